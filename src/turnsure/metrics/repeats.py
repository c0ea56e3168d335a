"""Reliability over repeated runs of the same scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import comb

import numpy as np

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import Detail, MetricResult
from turnsure.numerics.arrays import Int64Array
from turnsure.numerics.inputs import (
    Numbers,
    require_length,
    require_rows,
    whole_number,
    whole_numbers,
)

_MAX_RUNS = 1_000_000


def pass_at_k(passes: Numbers, runs: Numbers, k: int, *, errors: Numbers = 0) -> MetricResult:
    """Probability that at least one of k runs passes: mean of 1 − C(n − c, k) / C(n, k).

    Parameters
    ----------
    passes
        c, runs that passed: a whole number, or one a scenario, shape (n_scenarios,).
    runs
        n, all runs, those that died included: likewise.
    k
        At least 1, at most the runs of every scenario.
    errors
        Runs that died, among ``runs`` and not among ``passes``: likewise.

    Returns
    -------
    The mean over scenarios, exact before its last rounding; ``n_turns`` is the number of runs.
    Runs that died count as not passed.  If there are any, the details also give the value without
    them, ``errors_excluded`` (None when a scenario then has fewer than k runs), beside
    ``errors_as_failures``.

    Raises
    ------
    InputError
        For numbers out of range, k > runs, passes + errors > runs, and columns of different
        lengths.
    UndefinedMetricError
        With no scenario.

    References
    ----------
    Chen and others: Evaluating large language models trained on code (2021), equation 1.
    """
    return _mean_over_scenarios("pass_at_k", _any_of_k, passes, runs, k, errors)


def pass_hat_k(passes: Numbers, runs: Numbers, k: int, *, errors: Numbers = 0) -> MetricResult:
    """Probability that all of k runs pass: mean of C(c, k) / C(n, k).

    Parameters, details and errors are those of :func:`pass_at_k`.

    References
    ----------
    Yao, Shinn, Razavi, Narasimhan: τ-bench: a benchmark for tool–agent–user interaction in
    real-world domains (2024).
    """
    return _mean_over_scenarios("pass_hat_k", _all_of_k, passes, runs, k, errors)


def _any_of_k(passes: int, runs: int, k: int) -> int:
    """Of the C(runs, k) choices, those with a pass."""
    return comb(runs, k) - comb(runs - passes, k)


def _all_of_k(passes: int, _runs: int, k: int) -> int:
    """Of the C(runs, k) choices, those of passes alone."""
    return comb(passes, k)


def _mean_over_scenarios(
    name: str,
    choices: Callable[[int, int, int], int],
    passes: Numbers,
    runs: Numbers,
    k: int,
    errors: Numbers,
) -> MetricResult:
    n_together = whole_number(k, "k", minimum=1)
    n_passes, n_runs, n_errors = _scenarios(passes, runs, errors)
    require_rows(n_runs >= n_together, n_runs, "runs", f"at least k, {n_together}")

    value = _exact_mean(choices, n_passes, n_runs, n_together)
    died = int(n_errors.sum())
    details: dict[str, Detail] = {"n_scenarios": len(n_runs), "n_errors": died}
    if died:
        n_left = n_runs - n_errors
        enough = bool((n_left >= n_together).all())
        details["errors_as_failures"] = value
        details["errors_excluded"] = (
            _exact_mean(choices, n_passes, n_left, n_together) if enough else None
        )
    return MetricResult(
        name=name,
        value=value,
        n_turns=int(n_runs.sum()),
        direction="higher",
        definition={"k": n_together, "errors": "failures"},
        details=details,
    )


def _exact_mean(
    choices: Callable[[int, int, int], int], passes: Int64Array, runs: Int64Array, k: int
) -> float:
    """Mean of choices(c, n, k) / C(n, k) over scenarios, rounded once."""
    by_runs: dict[int, int] = {}
    for (c, n), count in Counter(zip(passes.tolist(), runs.tolist(), strict=True)).items():
        by_runs[n] = by_runs.get(n, 0) + count * choices(c, n, k)
    numerator, denominator = 0, 1
    for n, favourable in by_runs.items():
        possible = comb(n, k)
        numerator = numerator * possible + favourable * denominator
        denominator *= possible
    return numerator / (denominator * len(runs))


def _scenarios(
    passes: Numbers, runs: Numbers, errors: Numbers
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """The three counts of each scenario; a single number holds for all of them."""
    given = {"passes": passes, "runs": runs, "errors": errors}
    counts = {field: _counts(values, field) for field, values in given.items()}
    columns = {field: column for field, column in counts.items() if column.ndim}
    first, n_scenarios = next(((f, len(column)) for f, column in columns.items()), ("", 1))
    for field, column in columns.items():
        require_length(len(column), field, n_scenarios, first)
    if not n_scenarios:
        raise UndefinedMetricError("there is no scenario")
    n_passes, n_runs, n_errors = (
        np.broadcast_to(column, (n_scenarios,)) for column in counts.values()
    )
    require_rows(n_passes <= n_runs, n_passes, "passes", "at most the scenario's runs")
    require_rows(n_errors <= n_runs - n_passes, n_errors, "errors", "at most runs - passes")
    return n_passes, n_runs, n_errors


def _counts(values: Numbers, field: str) -> Int64Array:
    if hasattr(values, "__len__"):
        return whole_numbers(values, field, minimum=0, maximum=_MAX_RUNS)
    return np.array(whole_number(values, field, minimum=0, maximum=_MAX_RUNS))
