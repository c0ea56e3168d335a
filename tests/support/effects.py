"""Effects of controls with chosen numbers, for tests of what is said and drawn about them.

Their diagnoses and verdicts are those of the real rules, so that no test is about a row that cannot
be.
"""

from __future__ import annotations

from turnsure.core.question_controls import SuppliedEffects, SuppliedRow
from turnsure.core.results import Direction, Interval, MetricResult, Undefined
from turnsure.core.tested import Found, TestedChange
from turnsure.core.turn_controls import FormatEffects, FormatRow, PlaceboEffects, PlaceboRow
from turnsure.experiment.effects import formats, placebo, supplied

NOTHING = Undefined(name="paired_change", reason="no turn has both values.")


def found(
    value: float,
    low: float | None = None,
    high: float | None = None,
    *,
    n_turns: int = 40,
    n_dialogues: int | None = 12,
    direction: Direction = "none",
    **details: float,
) -> MetricResult:
    """A result; without bounds it has no interval."""
    bounds = None
    if low is not None and high is not None:
        bounds = Interval(low=low, high=high, method="cluster_bootstrap", n_resamples=2000)
    return MetricResult(
        name="paired_change",
        value=value,
        interval=bounds,
        n_turns=n_turns,
        n_dialogues=n_dialogues,
        direction=direction,
        details=details,
    )


def change(
    value: float,
    low: float | None = None,
    high: float | None = None,
    *,
    p: float = 0.001,
    p_holm: float | None = None,
    n_turns: int = 40,
    n_dialogues: int = 12,
) -> TestedChange:
    """A tested change; the corrected p-value is the uncorrected one unless given."""
    return TestedChange(
        change=found(
            value,
            low,
            high,
            n_turns=n_turns,
            n_dialogues=n_dialogues,
            mean_before=0.5,
            mean_after=0.5 + value,
        ),
        p_value=p,
        p_holm=p if p_holm is None else p_holm,
    )


UNDEFINED = TestedChange(change=NOTHING)


def placebo_row(**changed: object) -> PlaceboRow:
    """A method whose confidence rises on information only, unless changed."""
    whole = {
        "method": "P(True)",
        "target": "answer",
        "before": 0.5,
        "after_information": 0.6,
        "after_placebo": 0.5,
        "information": change(0.1, 0.05, 0.15),
        "placebo": change(0.0, -0.02, 0.02, p=0.9),
        "separation": change(0.1, 0.05, 0.15),
        **changed,
    }
    diagnosis = placebo.diagnosis_of(whole["information"], whole["placebo"], whole["separation"])
    return PlaceboRow(diagnosis=diagnosis, **whole)


def placebo_effects(*rows: PlaceboRow, **changed: object) -> PlaceboEffects:
    """The control of these rows."""
    whole = {
        "definition": {"turns": "all"},
        "accuracy_before": 0.4,
        "accuracy_information": 0.6,
        "accuracy_placebo": 0.41,
        "n_accuracy": 38,
        "n_tests": 10,
        "n_significant_information": 7,
        "n_significant_placebo": 3,
        "n_uncorrected_information": 8,
        "n_uncorrected_placebo": 4,
        "n_tested": 40,
        "n_first_turns": 12,
        "n_untested": 5,
        "failures": {},
        "tolerance": placebo.TOLERANCE,
        **changed,
    }
    return PlaceboEffects(rows=rows, **whole)


def format_row(confidence: TestedChange, **changed: Found) -> FormatRow:
    """A method under a format; InfoECE and τ are open unless changed."""
    whole = {
        "info_ece": found(0.01, -0.02, 0.03, direction="lower", left=0.1, right=0.11),
        "kendall_tau": found(-0.01, -0.1, 0.1, direction="higher", left=0.5, right=0.49),
        **changed,
    }
    return FormatRow(
        method="P(True)",
        confidence=confidence,
        verdict=formats.verdict_of(confidence),
        **whole,
    )


def format_effects(*rows: FormatRow, **changed: object) -> FormatEffects:
    """A summary of these rows."""
    whole = {
        "condition": "summary",
        "accuracy": found(0.04, -0.02, 0.1, mean_before=0.5, mean_after=0.54),
        "n_states": 50,
        "n_measured": 45,
        "n_flagged": 6,
        "problems": {"lost": 6},
        "failures": {"summary_flagged": 5},
        "tolerance": formats.TOLERANCE,
        **changed,
    }
    return FormatEffects(rows=rows, **whole)


def supplied_row(gap: TestedChange, source: str = "eliminated") -> SuppliedRow:
    """A method that judged wrong answers of one source."""
    return SuppliedRow(
        method="P(True)",
        source=source,
        auroc=found(0.7, 0.6, 0.8, n_answers=93),
        gap=gap,
        verdict=None if source == "remaining" else supplied.verdict_of(gap),
    )


def supplied_effects(*rows: SuppliedRow, **changed: object) -> SuppliedEffects:
    """The control of these rows, with three sources."""
    whole = {
        "definition": {},
        "n_supplied": {"remaining": 30, "samples": 1, "eliminated": 12},
        "n_turns_without": {"samples": 39, "remaining": 10, "eliminated": 28},
        "failures": {},
        "tolerance": supplied.TOLERANCE,
        **changed,
    }
    return SuppliedEffects(rows=rows, **whole)
