"""pass@k and pass^k."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.errors import InputError, UndefinedMetricError

BOTH = [metrics.pass_at_k, metrics.pass_hat_k]


@pytest.mark.parametrize("compute", BOTH)
def test_one_run_is_the_pass_rate(compute):
    assert compute(3, 8, 1).value == 3 / 8


@pytest.mark.parametrize(("passes", "value"), [(0, 0.0), (5, 1.0)])
@pytest.mark.parametrize("compute", BOTH)
def test_never_and_always(compute, passes, value):
    assert compute(passes, 5, 3).value == value


def test_scenarios_with_different_numbers_of_runs():
    passes, runs = [1, 2, 3, 3], [3, 5, 7, 7]
    exact = sum(
        Fraction(math.comb(c, 2), math.comb(n, 2)) for c, n in zip(passes, runs, strict=True)
    )
    assert metrics.pass_hat_k(passes, runs, 2).value == float(exact / 4)


def test_a_single_number_holds_for_all_scenarios():
    assert metrics.pass_hat_k([1, 2], 3, 2).value == metrics.pass_hat_k([1, 2], [3, 3], 2).value
    assert metrics.pass_at_k(1, np.array([3, 4]), 2).details["n_scenarios"] == 2


@pytest.mark.parametrize("compute", BOTH)
def test_many_runs_neither_overflow_nor_lose_digits(compute):
    value = compute(500_000, 1_000_000, 10).value
    exact = Fraction(math.comb(500_000, 10), math.comb(1_000_000, 10))
    assert value == float(exact if compute is metrics.pass_hat_k else 1 - exact)


def test_both_bounds_of_errored_runs():
    result = metrics.pass_at_k([1, 2], [4, 4], 2, errors=[2, 0])
    as_failures = (Fraction(1, 2) + Fraction(5, 6)) / 2
    excluded = (Fraction(1) + Fraction(5, 6)) / 2
    assert result.value == float(as_failures)
    assert dict(result.details) == {
        "n_scenarios": 2,
        "n_errors": 2,
        "errors_as_failures": float(as_failures),
        "errors_excluded": float(excluded),
    }
    assert result.n_turns == 8


def test_too_few_runs_left_in_one_scenario():
    result = metrics.pass_hat_k([1, 2], [4, 4], 3, errors=[2, 0])
    assert result.details["errors_excluded"] is None
    assert result.details["errors_as_failures"] == result.value


def test_without_errors_there_are_no_bounds():
    details = metrics.pass_hat_k([1, 2], [4, 4], 2, errors=0).details
    assert dict(details) == {"n_scenarios": 2, "n_errors": 0}


@pytest.mark.parametrize("compute", BOTH)
@pytest.mark.parametrize(
    ("passes", "runs", "k", "errors", "problem"),
    [
        (1, 3, 4, 0, "'runs': row 0 is 3 .*at least k, 4"),
        (1, 3, 0, 0, "'k': it is 0"),
        (1, 3, 1.5, 0, "'k'"),
        (1, 3, True, 0, "'k'"),
        (4, 3, 1, 0, "'passes': row 0 is 4"),
        (-1, 3, 1, 0, "'passes': it is -1"),
        ([1, -1], 3, 1, 0, "'passes': row 1 is -1"),
        ([1, 0.5], 3, 1, 0, "'passes': row 1 is 0.5"),
        ([1, None], 3, 1, 0, "'passes': row 1 is nan"),
        ("1", 3, 1, 0, "'passes'"),
        (1, "3", 1, 0, "'runs'"),
        (1.0, 3, 1, 0, "'passes'"),
        (2, 3, 1, 2, "'errors': row 0 is 2 .*at most runs - passes"),
        ([1, 1], [3, 3, 3], 1, 0, "'runs': it has 3 rows and 'passes' has 2"),
        ([1, 1], 3, 1, [0], "'errors': it has 1 rows"),
        (0, 0, 1, 0, "'runs': row 0 is 0"),
    ],
)
def test_what_cannot_be(compute, passes, runs, k, errors, problem):
    with pytest.raises(InputError, match=problem):
        compute(passes, runs, k, errors=errors)


@pytest.mark.parametrize("compute", BOTH)
def test_without_scenarios_it_is_undefined(compute):
    with pytest.raises(UndefinedMetricError):
        compute([], [], 1)
