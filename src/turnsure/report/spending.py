"""What a run cost, in words and as the rows of a table."""

from __future__ import annotations

from turnsure.core.evaluation import RunCost, Spending
from turnsure.report.text import MISSING

COLUMNS = (
    "asked",
    "prompt tokens sent",
    "evaluated",
    "distinct",
    "decoded tokens",
    "a request",
    "seconds",
)


def spending_rows(cost: RunCost) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """One row a method or step, and one for all: its name and a cell for each of ``COLUMNS``."""
    return tuple((one.tag, _cells(one)) for one in (*cost.ledger.by_tag, cost.ledger.whole))


def spending_sentence(cost: RunCost) -> str:
    """The same in two sentences, for the end of a run; empty when nothing was sent."""
    whole = cost.whole
    if not whole.prompt_tokens:
        return ""
    notes: list[str] = []
    if whole.saving is not None and whole.saving > 1.0:
        notes.append(f"1 of {whole.saving:.1f} sent")
    if whole.waste is not None:
        notes.append(f"{whole.waste:.3f} for each of {whole.distinct_tokens:,} distinct ones")
    aside = f" ({'; '.join(notes)})" if notes else ""
    uncounted = f", without {whole.n_uncounted:,} uncounted replies" if whole.n_uncounted else ""
    return (
        f"Prompt tokens: {whole.prompt_tokens:,} sent, {whole.evaluated_tokens:,} evaluated"
        f"{aside}. Tokens decoded: {whole.completion_tokens:,}{uncounted}."
    )


def _cells(spent: Spending) -> tuple[str, ...]:
    more = "+" if spent.n_uncounted else ""
    return (
        f"{spent.n_sent:,}",
        f"{spent.prompt_tokens:,}",
        f"{spent.evaluated_tokens:,}",
        MISSING if spent.distinct_tokens is None else f"{spent.distinct_tokens:,}",
        f"{spent.completion_tokens:,}{more}",
        MISSING if spent.mean_completion is None else f"{spent.mean_completion:,.1f}",
        f"{spent.seconds:,.1f}",
    )
