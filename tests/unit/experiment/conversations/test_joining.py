"""What confidences say of turns, against values counted by hand."""

import pytest

from tests.support.suite_reports import NO_SCORE, sure
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.suite_confidence import JudgedTurn
from turnsure.experiment.conversations.joining import joined

SPEC = RunSpec(resamples=200)
TWIST = 3


def run(place, values, *, wrong=None, shows=True):
    """Turns of one run; ``wrong`` is its first failing turn."""
    return [
        JudgedTurn(
            run=("flats", place),
            turn=turn,
            is_twist=turn == TWIST,
            shows=shows,
            is_wrong=turn == wrong if wrong is None or turn <= wrong else None,
            scores={"m": NO_SCORE if value is None else sure(value, "m")},
        )
        for turn, value in enumerate(values, start=1)
    ]


def of(*runs):
    [found] = joined([one for turns in runs for one in turns], ("m",), SPEC)
    return found


def test_the_change_at_a_twist_is_paired_with_the_turn_before():
    found = of(*(run(place, (0.5, 0.75, 0.25)) for place in range(8)))
    assert isinstance(found.twist.change, MetricResult)
    assert found.twist.change.value == pytest.approx(-0.5)
    assert found.otherwise.value == pytest.approx(0.25)
    assert found.twist.change.n_turns == 8
    # All 2**8 sign patterns; two of them reach as far.
    assert found.twist.exact
    assert found.twist.p_value == pytest.approx(2 / 256)
    assert found.mean.value == pytest.approx(0.5)


def test_a_missing_confidence_is_counted_and_never_filled_in():
    found = of(run(0, (0.5, None, 0.25)), run(1, (0.5, 0.75, 0.25)))
    assert found.failures == {"unparsable": 1}
    assert (found.n_turns, found.twist.change.n_turns, found.twist.change.n_failed) == (6, 1, 1)
    assert found.early.n_shown == 5


def test_low_confidence_tells_the_wrong_turn():
    runs = [run(place, (0.9, 0.8, 0.2), wrong=3) for place in range(4)]
    found = of(*runs, run(4, (0.9, 0.8, 0.7)))
    assert found.auroc.value == 1.0
    assert found.auroc.details["n_wrong"] == 4
    against = of(*(run(place, (0.2, 0.1, 0.9), wrong=3) for place in range(4)))
    assert against.auroc.value == 0.0


def test_turns_after_the_first_wrong_one_do_not_count():
    found = of(run(0, (0.9, 0.2, 0.1), wrong=2), run(1, (0.9, 0.8, 0.7)))
    assert found.auroc.n_turns == 5
    assert found.auroc.value == 1.0


@pytest.mark.parametrize(
    ("runs", "reason"),
    [
        ([run(0, (0.9, 0.8))], "no turn is wrong"),
        ([run(0, (0.9,), wrong=1)], "every turn is wrong"),
        ([run(0, (None, None), wrong=2)], "0 of 2|none of the|missing"),
    ],
)
def test_without_both_kinds_of_turns_there_is_no_auroc(runs, reason):
    found = of(*runs)
    assert isinstance(found.auroc, Undefined)
    assert found.auroc.reason
    if "|" not in reason:
        assert found.auroc.reason == reason


def test_early_answers_are_counted_by_turn_and_run():
    found = of(
        run(0, (0.4, 0.49, 0.5)), run(1, (0.9, 0.8, 0.7)), run(2, (0.1, 0.1, 0.1), shows=False)
    )
    early = found.early
    assert (early.n_early, early.n_shown, early.n_runs, early.threshold) == (2, 6, 1, 0.5)
    assert early.rate.value == pytest.approx(2 / 6)
    assert isinstance(of(run(0, (0.1,), shows=False)).early.rate, Undefined)


def test_without_a_twist_nothing_is_said_of_twists():
    found = of(run(0, (0.5, 0.6)))
    assert isinstance(found.twist.change, Undefined)
    assert (found.twist.p_value, found.twist.p_holm) == (None, None)


def test_tests_of_several_methods_are_corrected_together():
    turns = [
        JudgedTurn(
            run=("flats", place), turn=turn, is_twist=turn == 2, shows=True, is_wrong=False,
            scores={"a": sure((0.9, 0.1)[turn - 1]), "b": sure((0.9, 0.1)[turn - 1])},
        )
        for place in range(8)
        for turn in (1, 2)
    ]  # fmt: skip
    for one in joined(turns, ("a", "b"), SPEC):
        assert one.twist.p_holm == pytest.approx(2 * one.twist.p_value)
