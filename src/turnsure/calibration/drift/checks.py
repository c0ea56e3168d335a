"""The tests of drift for labelled scores of any origin: arguments are checked here.

:func:`turnsure.watch` does all of them on a file, corrected together, and gives a verdict.
"""

from __future__ import annotations

from turnsure.calibration.drift.gap import GapTest, gap_test
from turnsure.calibration.drift.monitor import Monitor, monitor_gap, stream_units
from turnsure.calibration.drift.needed import POWER, answers_for_error, labels_for_gap
from turnsure.calibration.drift.recalibration import Recalibration, recalibration
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import InputError
from turnsure.numerics.inputs import Numbers, coverage, scored_fractions

ALPHA = 0.05
"""Level of a test, unless told otherwise."""


def check_gap(rows: LabelledScores) -> GapTest:
    """Test that accuracy is what the mean probability says.

    Parameters
    ----------
    rows
        With probabilities as scores; see :func:`turnsure.calibration.drift.gap.gap_test`.
    """
    return gap_test(rows.score, rows.correct, rows.group)


def check_line(rows: LabelledScores, *, level: float = 0.95) -> Recalibration:
    """Fit and test the recalibration line, slope 1 and intercept 0 where probabilities hold.

    Parameters
    ----------
    rows
        With probabilities as scores.
    level
        Of the intervals, in (0, 1).

    Raises
    ------
    InputError
        The level is out of range.
    UndefinedMetricError
        There is no line; says why.
    """
    return recalibration(rows.score, rows.correct, rows.group, level=coverage(level))


def check_stream(rows: LabelledScores, *, alpha: float = ALPHA) -> Monitor:
    """Watch the gap row by row, in the order of the rows; valid however often one looks.

    Parameters
    ----------
    rows
        With probabilities as scores, in the order of the stream.  Of a dialogue with several rows
        the mean counts, at its last row; ``alarm`` is then the number of a dialogue in the order
        in which they end.
    alpha
        Probability of a false alarm ever, in (0, 1).

    Raises
    ------
    InputError
        ``alpha`` is out of range.
    """
    means, _ = stream_units(rows.group, rows.correct - rows.score)
    return monitor_gap(means, alpha=_share(alpha, "alpha"))


def labels_needed_for_gap(
    probability: Numbers,
    drop: float,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
    design_effect: float = 1.0,
) -> int:
    """Labelled rows with which :func:`check_gap` notices a drop of the accuracy.

    Parameters
    ----------
    probability
        Like those to come, in [0, 1], shape (n,).
    drop, alpha, power
        How much lower accuracy is, level of the test and probability of noticing, in (0, 1).
    design_effect
        From 1; see :func:`turnsure.calibration.drift.needed.labels_for_gap`.

    Raises
    ------
    InputError
        An argument is out of range.
    UndefinedMetricError
        There is no probability above 0.
    """
    if not 1.0 <= design_effect < float("inf"):
        raise InputError(
            f"it is {design_effect!r}", field="design_effect", expected="a finite number from 1"
        )
    return labels_for_gap(
        scored_fractions(probability, "probability")[1],
        _share(drop, "drop"),
        alpha=_share(alpha, "alpha"),
        power=_share(power, "power"),
        design_effect=design_effect,
    )


def answers_needed_for_error(
    target: float, drop: float, *, alpha: float = ALPHA, power: float = POWER
) -> int | None:
    """Labelled answers from which on an exact test notices ``target + drop``; None above 2^30.

    Arguments are in (0, 1); see :func:`turnsure.calibration.drift.needed.answers_for_error`.

    Raises
    ------
    InputError
        An argument is out of range, or ``target + drop`` is 1 or more.
    """
    return answers_for_error(
        _share(target, "target"),
        _share(drop, "drop"),
        alpha=_share(alpha, "alpha"),
        power=_share(power, "power"),
    )


def _share(value: float, field: str) -> float:
    if not 0.0 < value < 1.0:
        raise InputError(f"it is {value!r}", field=field, expected="a number between 0 and 1")
    return value
