import math

import numpy as np
import pytest

from turnsure.calibration.drift.monitor import monitor_gap, monitor_rate, stream_units


def test_streams_of_a_gate_that_holds_rarely_raise_an_alarm():
    random = np.random.default_rng(0)
    gaps = rates = 0
    for _ in range(500):
        probability = random.beta(5, 2, size=400)
        gaps += (
            monitor_gap((random.random(400) < probability) - probability, alpha=0.1).alarm
            is not None
        )
        loss = (random.random(400) < 0.1).astype(float)
        rates += monitor_rate(loss, at_most=0.1, alpha=0.1).alarm is not None
    assert gaps <= 50
    assert rates <= 50
    assert gaps + rates > 0


def test_dialogues_that_agree_raise_no_more_alarms_as_units():
    random = np.random.default_rng(1)
    alarms = naive = 0
    group = np.repeat(np.arange(100), 5)
    for _ in range(200):
        right = np.repeat(random.random(100) < 0.7, 5)
        means, _ = stream_units(group, right - 0.7)
        alarms += monitor_gap(means, alpha=0.1).alarm is not None
        naive += monitor_gap(right - 0.7, alpha=0.1).alarm is not None
    assert alarms <= 20
    assert naive > 40


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_drop_or_rise_is_noticed_with_its_direction(sign):
    random = np.random.default_rng(2)
    noticed = []
    for _ in range(40):
        probability = random.uniform(0.2, 0.8, size=2000)
        right = random.random(2000) < probability + sign * 0.1
        found = monitor_gap(right - probability, alpha=0.05)
        noticed.append(found.alarm is not None and found.rising == (sign > 0))
    assert np.mean(noticed) > 0.95


def test_the_alarm_is_the_first_unit_at_the_limit_and_later_rows_do_not_move_it():
    loss = np.ones(30)
    found = monitor_rate(loss, at_most=0.2, alpha=0.05)
    before = monitor_rate(loss[: found.alarm], at_most=0.2, alpha=0.05)
    at = monitor_rate(loss[: found.alarm + 1], at_most=0.2, alpha=0.05)
    assert before.alarm is None
    assert before.largest < 20.0 <= at.largest
    assert at.alarm == found.alarm
    after = monitor_rate(np.append(loss, np.zeros(5000)), at_most=0.2, alpha=0.05)
    assert after.alarm == found.alarm
    assert after.e_value < 1.0
    assert after.p_value == pytest.approx(1.0 / found.largest)


def test_errors_below_the_target_never_raise_one():
    found = monitor_rate(np.zeros(1000), at_most=0.1, alpha=0.05)
    assert found.alarm is None
    assert found.p_value == 1.0


def test_endless_gains_stay_finite():
    found = monitor_gap(np.ones(5000), alpha=0.05)
    assert math.isfinite(found.largest)


def test_an_empty_stream_says_nothing():
    found = monitor_gap(np.zeros(0), alpha=0.05)
    assert (found.n, found.e_value, found.alarm) == (0, 1.0, None)


def test_units_come_when_their_last_row_does():
    means, last = stream_units(np.array([7, 3, 7, 5, 3]), np.array([1.0, 0.0, 0.0, 0.25, 0.5]))
    assert last.tolist() == [2, 3, 4]
    assert means.tolist() == [0.5, 0.25, 0.25]
