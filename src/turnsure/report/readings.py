"""What the controls on turns found, in plain words: placebo turns and single-turn formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turnsure.core.confidence import Target
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.tested import clear_sign, is_within
from turnsure.core.turn_controls import (
    Diagnosis,
    FormatEffects,
    FormatRow,
    PlaceboEffects,
    PlaceboRow,
)
from turnsure.report.sentences import (
    Sentence,
    behind,
    behind_all,
    cannot_tell,
    compared,
    moved,
    no_comparison,
    size,
    within,
)
from turnsure.report.summary import METRICS
from turnsure.report.text import printable

TARGETS: Mapping[Target, str] = {"answer": "own answer", "gold": "gold answer"}

DIAGNOSES: Mapping[Diagnosis, str] = {
    "information": "follows information",
    "turns": "follows the number of turns",
    "mixed": "follows both",
    "neither": "follows neither",
    "against": "goes against information",
    "open": "",
}
"""What a confidence follows, beside its verdict."""

_FORMATS: Mapping[str, str] = {"summary": "one summary", "joined": "joined hints"}


def format_name(condition: str) -> str:
    """What the condition of a single-turn format is called."""
    return _FORMATS.get(condition, condition)


def placebo_counts(effects: PlaceboEffects) -> str:
    """How many changes are significant, on information and on placebos."""
    n = effects.n_tests
    if not n:
        return "No change could be tested."
    return (
        f"Informative turns significant: {effects.n_significant_information:,} of {n:,}, placebo "
        f"turns significant: {effects.n_significant_placebo:,} of {n:,}, after Holm's correction "
        f"over all {2 * n:,} tests; without it {effects.n_uncorrected_information:,} and "
        f"{effects.n_uncorrected_placebo:,}."
    )


def placebo_sentences(effects: PlaceboEffects) -> tuple[Sentence, ...]:
    """A sentence for each method and target."""
    return tuple(placebo_sentence(row, effects.tolerance) for row in effects.rows)


def placebo_sentence(row: PlaceboRow, tolerance: float) -> Sentence:
    """What one method's confidence follows.

    Parameters
    ----------
    row
        What was found.
    tolerance
        The change, or separation, below which there is none.
    """
    return Sentence(
        subject=row.method,
        aside=TARGETS[row.target],
        text=_placebo_text(row, tolerance),
        decided=row.diagnosis != "open",
    )


def _placebo_text(row: PlaceboRow, tolerance: float) -> str:
    separation, placebo = row.separation.change, row.placebo.change
    if isinstance(separation, Undefined):
        return no_comparison(separation)
    if isinstance(placebo, Undefined):
        return no_comparison(placebo)
    match row.diagnosis:
        case "turns":
            return (
                f"{moved(placebo)} on placebo turns, and {_no_more(row, separation, tolerance)}: "
                "it follows the number of turns."
            )
        case "mixed":
            return (
                f"{moved(placebo)} on placebo turns and is {size(separation)} higher still after "
                "real hints: it follows both information and the number of turns."
            )
        case "information":
            return (
                f"is {size(separation)} higher after real hints than after placebos, and "
                f"{_on_placebo(row, placebo, tolerance)}: it follows information."
            )
        case "against":
            return (
                f"is {size(separation)} lower after real hints than after placebos: it goes "
                "against information."
            )
        case "neither":
            return (
                f"differs by {within(separation, tolerance)} between real hints and placebos: it "
                "does not tell a hint from a placebo."
            )
        case "open":
            return (
                "may follow information, the number of turns, both or neither: which of them "
                f"{cannot_tell(separation)}"
            )


def _no_more(row: PlaceboRow, separation: MetricResult, tolerance: float) -> str:
    """What real hints add where placebos alone raise a confidence."""
    if is_within(separation, tolerance):
        return f"real hints differ from placebos by {within(separation, tolerance)}"
    if row.separation.falls:
        return f"is {size(separation)} lower after real hints than after placebos"
    return "real hints do not raise it clearly more"


def _on_placebo(row: PlaceboRow, placebo: MetricResult, tolerance: float) -> str:
    """What placebos do to a confidence that follows information."""
    if is_within(placebo, tolerance):
        return f"placebos move it by {within(placebo, tolerance)}"
    if row.placebo.falls:
        return f"it {moved(placebo)} on placebos"
    return f"what placebos alone do cannot be told from these data ({behind(placebo)})"


def format_sentences(effects: FormatEffects) -> tuple[Sentence, ...]:
    """Accuracy, each method's confidence, clear differences in metrics, and what is open."""
    told = format_name(effects.condition)
    found = [_accuracy(effects, told), *confidence_sentences(effects)]
    for metric in ("info_ece", "kendall_tau"):
        found += _metric_sentences(metric, effects.rows, told)
    return tuple(found)


def confidence_sentences(effects: FormatEffects) -> tuple[Sentence, ...]:
    """Whether each method's confidence moves with the format."""
    told = format_name(effects.condition)
    return tuple(_confidence(row, effects.tolerance, told) for row in effects.rows)


def _accuracy(effects: FormatEffects, told: str) -> Sentence:
    found = effects.accuracy
    sign = clear_sign(found)
    if isinstance(found, Undefined):
        text = no_comparison(found)
    elif sign:
        text = f"is {size(found)} {'higher' if sign > 0 else 'lower'} than over the turns."
    else:
        text = f"may or may not differ from that over the turns: this {cannot_tell(found)}"
    return Sentence(subject="Accuracy", aside=told, text=text, decided=sign != 0)


def _confidence(row: FormatRow, tolerance: float, told: str) -> Sentence:
    change = row.confidence.change
    if isinstance(change, Undefined):
        text = no_comparison(change)
    elif row.verdict == "passed":
        text = f"moves by {within(change, tolerance)} against the turns."
    elif row.verdict == "failed":
        text = f"{moved(change)} against the turns."
    else:
        text = f"may or may not move against the turns: this {cannot_tell(change)}"
    return Sentence(subject=row.method, aside=told, text=text, decided=row.verdict != "open")


def _metric_sentences(metric: str, rows: Sequence[FormatRow], told: str) -> list[Sentence]:
    """One sentence for each clear difference, and one for all those that are open."""
    results = [
        (row.method, row.info_ece if metric == "info_ece" else row.kendall_tau) for row in rows
    ]
    defined = [(method, one) for method, one in results if isinstance(one, MetricResult)]
    clear = [
        Sentence(subject=method, aside=told, text=f"{compared(metric, one)} than over the turns.")
        for method, one in defined
        if clear_sign(one)
    ]
    unclear = [(method, one) for method, one in defined if not clear_sign(one)]
    if unclear:
        names = ", ".join(printable(method) for method, _ in unclear)
        text = (
            f"may or may not move for {names}: this cannot be told from these data "
            f"({behind_all([one for _, one in unclear])})."
        )
        clear.append(
            Sentence(subject=METRICS[metric].heading, aside=told, text=text, decided=False)
        )
    return clear
