"""From what was found to ok, recalibrate or stop, with the reasons in plain sentences.

Stop: the protocol is another one, the gate has expired, or its answers are wrong more often than
the target allows.  Recalibrate: the probability does not hold, on all rows or on a slice; or,
without any label, the scores have moved so far that the evidence no longer speaks of them.  Ok:
neither.

Looked at once, the tests decide, corrected by Holm so that a gate that holds is accused with a
probability of at most α; with slices, they and the others share α in halves.  For a stream the
monitors decide, α shared in the same way, and a gate that holds is accused *ever* with a
probability of at most α.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from turnsure import metrics
from turnsure.calibration.drift.changes import Change
from turnsure.calibration.drift.findings import DriftVerdict, LabelledDrift, VerdictTest
from turnsure.calibration.drift.recalibration import Coefficient, Recalibration
from turnsure.calibration.drift.shift import SOME_SHIFT, Shift
from turnsure.experiment.watching.settings import WatchSettings

GAP, LINE, ANSWERS = "gap", "line", "answers"
_NO_GATE = "Build a new gate under this protocol."
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the verdict is made of."""

    differences: tuple[str, ...]
    expired: str | None
    labels: LabelledDrift | None
    shift: Shift | None
    shares: tuple[Change, ...]
    tests: tuple[VerdictTest, ...]


def verdict_tests(labels: LabelledDrift | None, settings: WatchSettings) -> tuple[VerdictTest, ...]:
    """The tests on all rows, corrected together; none for a stream."""
    if labels is None or settings.stream:
        return ()
    given: dict[str, float | None] = {GAP: labels.gap.p_value}
    if isinstance(labels.line, Recalibration):
        given[LINE] = labels.line.p_value
    if labels.answered is not None:
        given[ANSWERS] = labels.answered.p_value
    names = [name for name, p in given.items() if p is not None]
    values = [p for p in given.values() if p is not None]
    if not values:
        return ()
    limit = settings.alpha / 2.0 if labels.slices else settings.alpha
    return tuple(
        VerdictTest(name=name, p_value=p, p_holm=1.0 if corrected is None else corrected,
                    limit=limit)
        for name, p, corrected in zip(names, values, metrics.holm(values), strict=True)
    )  # fmt: skip


def judged(found: Found, settings: WatchSettings) -> tuple[DriftVerdict, tuple[str, ...]]:
    """The verdict and its reasons; those for "ok" when there are no others."""
    stop = list(_stop(found))
    again = list(_recalibrate(found, settings))
    if stop:
        return "stop", (*stop, *again)
    if again:
        return "recalibrate", tuple(again)
    return "ok", (_nothing(found, settings),)


def _stop(found: Found) -> Iterator[str]:
    if found.differences:
        more = len(found.differences) - _MOST_NAMED
        rest = f"; and {more} more" if more > 0 else ""
        yield (
            "The new rows were measured under another protocol: "
            f"{'; '.join(found.differences[:_MOST_NAMED])}{rest}. {_NO_GATE}"
        )
    if found.expired is not None:
        yield f"The gate was valid until {found.expired}."
    answered = None if found.labels is None else found.labels.answered
    if answered is None or answered.target is None:
        return
    state = (
        f"{answered.n_wrong:,} of {answered.n:,} answers are wrong, "
        f"{answered.n_wrong / answered.n:.1%}, where {answered.target:.4g} is the target"
    )
    if _rejected(found.tests, ANSWERS):
        yield f"Answers are wrong too often: {state} ({_p(found.tests, ANSWERS)})."
    if not found.tests and answered.monitor is not None and answered.monitor.alarm is not None:
        alarm = _at(answered.alarm_line)
        yield f"Answers are wrong too often: the monitor raised an alarm {alarm}; {state}."


def _recalibrate(found: Found, settings: WatchSettings) -> Iterator[str]:
    labels = found.labels
    if labels is None:
        if _has_moved(found, settings):
            yield _moved(found)
        return
    if _rejected(found.tests, GAP):
        yield f"{_gap(labels)} ({_p(found.tests, GAP)})."
    if _rejected(found.tests, LINE) and isinstance(labels.line, Recalibration):
        line = labels.line
        yield (
            f"The probability {_shape(line)}: slope {_bounded(line.slope)} where 1 is "
            f"right, intercept at slope 1 {_bounded(line.large)} where 0 is right "
            f"({_p(found.tests, LINE)})."
        )
    if settings.stream:
        if labels.monitor.alarm is not None:
            alarm = _at(labels.alarm_line)
            yield f"The monitor of the gap raised an alarm {alarm}; {_lower(_gap(labels))}."
        return
    flagged = [one for one in labels.slices if one.flagged]
    for one in flagged[:_MOST_NAMED]:
        yield (
            f"On {one.name} {one.value} accuracy is {one.accuracy:.1%} where the probability says "
            f"{one.probability:.1%} ({one.n:,} rows, corrected p {_number(one.p_holm)})."
        )
    if len(flagged) > _MOST_NAMED:
        yield f"Slices that deviate besides: {len(flagged) - _MOST_NAMED:,}."


def _has_moved(found: Found, settings: WatchSettings) -> bool:
    """Whether scores differ beyond chance, and by enough to matter."""
    shift = found.shift
    if shift is None or shift.test.p_value > settings.alpha:
        return False
    answers = next((one for one in found.shares if one.name == "answer"), None)
    change = 0.0 if answers is None or answers.difference is None else abs(answers.difference)
    return shift.psi >= SOME_SHIFT or change >= settings.drop


def _moved(found: Found) -> str:
    shift = found.shift
    distance = "" if shift is None else (
        f" (distance {shift.test.statistic:.3f} at score {shift.test.at:.3g}, p "
        f"{_number(shift.test.p_value)}; stability index {shift.psi:.3f})"
    )  # fmt: skip
    return (
        f"Scores are no longer distributed as on the evidence{distance}, and no label says whether "
        "the probability still holds: label some rows, then look again or recalibrate."
    )


def _nothing(found: Found, settings: WatchSettings) -> str:
    labels = found.labels
    if labels is None:
        if found.shift is None:
            return "There are no labels and nothing to compare the scores with: nothing was tested."
        return "The scores show no change that matters; without labels calibration is not tested."
    if settings.stream:
        return f"No monitor has raised an alarm in {labels.n:,} labelled rows."
    if not found.tests:
        return "There are too few dialogues with labels to test anything."
    return f"No test on {labels.n:,} labelled rows says that the probability does not hold."


def _gap(labels: LabelledDrift) -> str:
    gap = labels.gap
    side = "below" if gap.gap < 0.0 else "above"
    return (
        f"Accuracy is {100.0 * abs(gap.gap):.1f} points {side} what the probability says: "
        f"{gap.n_right:,} of {gap.n:,} are right where {gap.expected:,.1f} were announced"
    )


def _shape(line: Recalibration) -> str:
    slope = line.slope
    if slope.high < 1.0:
        return "is too extreme"
    if slope.low > 1.0:
        return "is not extreme enough"
    if line.large.high < 0.0:
        return "is too high throughout"
    if line.large.low > 0.0:
        return "is too low throughout"
    return "does not hold"


def _bounded(one: Coefficient) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]".replace("-", "−")


def _rejected(tests: Sequence[VerdictTest], name: str) -> bool:
    return any(one.name == name and one.rejects for one in tests)


def _p(tests: Sequence[VerdictTest], name: str) -> str:
    [test] = [one for one in tests if one.name == name]
    return f"corrected p {_number(test.p_holm)}, limit {test.limit:g}"


def _number(p: float | None) -> str:
    return "not known" if p is None else "below 0.001" if p < 0.001 else f"{p:.3f}"


def _at(line: str | None) -> str:
    return "" if line is None else f"at {line}"


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
