"""What a chosen threshold promises, and on what that rests, in words."""

from __future__ import annotations

from typing import Literal

from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.core.chosen import Unit

How = Literal["raw", "split", "cross"]
"""Where the probabilities come from: no map, a map fitted on other dialogues, cross-fitting."""

NOTHING_SAFE = "No threshold meets this target with these data."
NOTHING_PAYS = "With these costs no probability is high enough to answer."
COSTS_WENT_HIGHER = (
    "Costs alone would answer only from a higher threshold, too high to test with these data; the "
    "highest threshold that keeps the promise stands."
)
CALIBRATED = "The probabilities are calibrated on the dialogues to come."
SAME_COSTS = "Costs and the mix of scores are what they are in the labelled rows."


def guarantee(target: RiskTarget, unit: Unit, threshold: float, n: int) -> str:
    """The promise of a threshold that was found on n units."""
    error, confidence = _percent(target.error), _percent(target.confidence)
    if target.method == "conformal":
        what = "dialogues get a wrong answer" if unit == "dialogue" else "rows are answered wrongly"
        return (
            f"On average over labelled sets of {n:,} like this one, at most {error} of all {what} "
            f"with the threshold found, here {threshold:.4g}. This says nothing of the share among "
            "the answers given, and nothing of a single set."
        )
    what = {
        "row": "answers given are wrong",
        "one_row": "answers given are wrong, where a dialogue is drawn and then one of its rows",
        "dialogue": "dialogues that get an answer get a wrong one",
    }[unit]
    return (
        f"With {confidence} confidence at most {error} of the {what}, when answers begin at "
        f"{threshold:.4g}: in at least {confidence} of labelled sets of {n:,} like this one the "
        "threshold found keeps to that."
    )


def assumptions(
    target: RiskTarget, unit: Unit, how: How, rows: LabelledScores, *, n_missing: int
) -> tuple[str, ...]:
    """What the promise rests on, a sentence an item; ``n_missing`` rows lack score or label."""
    found = [_exchangeable(unit, len(rows), len(rows.groups))]
    if unit == "dialogue":
        found.append(
            "A dialogue is answered at its first turn at or above the threshold, and asked before."
        )
    if n_missing:
        found.append(_passed_over(unit, n_missing))
    if target.method == "fixed_sequence":
        found.append(
            "The starts were fixed without these data."
            if target.starts is not None
            else "Where too few score high for the walk to begin at the first unsafe threshold, "
            "lower scores are wrong no less often."
        )
    if target.grid is not None:
        found.append("The grid of thresholds was fixed without these data.")
    found.append(
        {
            "raw": "The threshold is on the score itself; no map was fitted.",
            "split": "The map was fitted on other dialogues and is used as it is.",
            "cross": "Probabilities are cross-fitted: the map in use must place answers as the "
            "maps of the folds did. Fit and choose on different dialogues to be rid of this.",
        }[how]
    )
    found.append("Model, prompts and method stay what they were.")
    return tuple(found)


def _exchangeable(unit: Unit, n_rows: int, n_dialogues: int) -> str:
    if unit != "row":
        return "The dialogues are exchangeable with those to come."
    if n_dialogues == n_rows:
        return "The rows are exchangeable with those to come."
    return (
        f"The {n_rows:,} rows are declared independent though they come from {n_dialogues:,} "
        "dialogues: if rows of a dialogue are alike, the promise does not hold."
    )


def _passed_over(unit: Unit, n_missing: int) -> str:
    many = "" if n_missing == 1 else "s"
    if unit == "dialogue":
        return (
            f"{n_missing:,} turn{many} without score or label passed over: the dialogue is taken "
            "to go on there."
        )
    return (
        f"{n_missing:,} row{many} without score or label left out: those that lack a label alone "
        "are right as often as labelled ones with such scores."
    )


def _percent(share: float) -> str:
    return f"{100.0 * share:g} %"
