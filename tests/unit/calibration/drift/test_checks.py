import numpy as np
import pytest

from turnsure import calibration
from turnsure.calibration.drift.gap import gap_test
from turnsure.core.errors import InputError


def rows(**columns):
    return calibration.LabelledScores.of([0.9, 0.2, 0.7, 0.6], [1, 0, 0, 1], **columns)


def test_rows_are_judged_as_their_columns():
    given = rows(dialogue=["a", "b", "b", "a"])
    assert calibration.check_gap(given) == gap_test(given.score, given.correct, given.group)
    assert calibration.check_line(rows()).n == 4


def test_a_dialogue_counts_once_in_a_stream_when_it_is_complete():
    assert calibration.check_stream(rows()).n == 4
    found = calibration.check_stream(rows(dialogue=["a", "b", "b", "a"]))
    assert found.n == 2
    # b is complete first: its mean deviation is −.45, and that of a .25.
    sizes = [*(2.0**-k for k in range(7, 0, -1)), 0.75, 0.9375]
    bets = np.array([*sizes, *(-size for size in sizes)])
    assert found.e_value == pytest.approx(np.mean((1 - 0.45 * bets) * (1 + 0.25 * bets)))


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: calibration.check_stream(rows(), alpha=0.0), "alpha"),
        (lambda: calibration.check_stream(rows(), alpha=float("nan")), "alpha"),
        (lambda: calibration.check_line(rows(), level=1.0), "level"),
        (lambda: calibration.labels_needed_for_gap([0.5, 1.5], 0.1), "probability"),
        (lambda: calibration.labels_needed_for_gap([0.5], 0.0), "drop"),
        (lambda: calibration.labels_needed_for_gap([0.5], 0.1, power=1.0), "power"),
        (lambda: calibration.labels_needed_for_gap([0.5], 0.1, design_effect=0.5), "design_effect"),
        (lambda: calibration.answers_needed_for_error(0.0, 0.1), "target"),
        (lambda: calibration.answers_needed_for_error(0.1, 0.1, alpha=1.0), "alpha"),
        (lambda: calibration.answers_needed_for_error(0.5, 0.5), "drop"),
    ],
)
def test_arguments_out_of_range_are_named(call, field):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field
