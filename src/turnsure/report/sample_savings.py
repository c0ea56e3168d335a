"""The page's part about adaptive self-consistency: what it saved, and what that changed."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.core.sample_savings import SampleSavings
from turnsure.report.chapters import first_kind
from turnsure.report.control_cells import PairCell, pair_cell
from turnsure.report.summary import METRICS
from turnsure.report.text import Unit, count, number


@dataclass(frozen=True, slots=True, kw_only=True)
class SavingsPart:
    """A sentence and a table of one line.

    Attributes
    ----------
    left, right
        The methods: with all samples, and with fewer.
    used
        How many samples were drawn, and where it stopped.
    headings
        Name and unit of each metric.
    cells
        Its value under both methods and the difference.
    interval_kind
        Of the intervals in brackets; None where there are none.
    """

    left: str
    right: str
    used: str
    headings: tuple[tuple[str, Unit], ...]
    cells: tuple[PairCell, ...]
    interval_kind: str | None


def savings_part(savings: SampleSavings) -> SavingsPart:
    """Prepare the part."""
    columns = [METRICS[name] for name in savings.differences]
    found = list(savings.differences.values())
    return SavingsPart(
        left="self_consistency",
        right="adaptive_self_consistency",
        used=savings_text(savings),
        headings=tuple((column.heading, column.unit) for column in columns),
        cells=tuple(
            pair_cell(one, column.unit) for one, column in zip(found, columns, strict=True)
        ),
        interval_kind=first_kind(found),
    )


def savings_text(savings: SampleSavings) -> str:
    """How many samples were drawn, in two or three sentences."""
    failed = (
        f" {count(savings.n_failed, 'turn')} without a confidence left out."
        if savings.n_failed
        else ""
    )
    if savings.saved is None:
        return f"Adaptive self-consistency gave no confidence.{failed}"
    (n, turns), *rest = savings.stopped.items()
    others = "".join(f", {n:,} at {turns:,}" for n, turns in rest)
    more = savings.n_drawn - savings.n_used
    shared = f", {more:,} of them for the gold answer alone" if more else ""
    return (
        f"Adaptive self-consistency drew {savings.n_drawn:,} of {savings.n_full:,} samples at "
        f"{count(savings.n_turns, 'turn')}{shared}: {number(savings.saved, 'percent')} % saved. "
        f"The own answer needed {count(n, 'sample')} at {count(turns, 'turn')}{others}.{failed}"
    )
