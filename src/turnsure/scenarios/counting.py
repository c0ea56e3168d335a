"""Counting runs: pass rates, pass@k and pass^k, and what runs that were not decided leave open.

A run that is inconclusive, invalid or in error is neither a pass nor a fail, and vanishes from
nothing: each number comes once with such runs as failures and once without them, beside their
count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.results import Detail, Interval, MetricResult, Undefined
from turnsure.core.scenario import RunVerdict
from turnsure.core.suite import SuiteResult
from turnsure.core.suite_counts import Bounded, RunCounts, ScenarioCounts, SuiteCounts
from turnsure.core.tested import Found
from turnsure.metrics.rates import wilson
from turnsure.metrics.scenario_means import SCENARIO_INTERVAL, scenario_interval
from turnsure.numerics.inputs import whole_number
from turnsure.scenarios.counting_repeats import Spread, of_rate, repeats_of

MOST_K = 10
"""Unless k is given, every k up to this, or up to the fewest runs of a scenario, is counted."""

RATE, MEAN_RATE = "pass_rate", "mean_pass_rate"


def count_suite(
    result: SuiteResult,
    *,
    ks: Sequence[int] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> SuiteCounts:
    """Count the runs of a suite; see :func:`count_runs`."""
    return count_runs(result.verdicts, ks=ks, resamples=resamples, seed=seed, level=level)


def count_runs(
    verdicts: Sequence[RunVerdict],
    *,
    ks: Sequence[int] | None = None,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> SuiteCounts:
    """Count runs by scenario.

    Parameters
    ----------
    verdicts
        One a run, of one scenario or more.
    ks
        For pass@k and pass^k, each at most the runs of every scenario; None for 1, 2, 3 … as far as
        the runs reach, at most :data:`MOST_K`.
    resamples, seed
        Of the bootstrap over scenarios.
    level
        Of all intervals, in (0, 1).

    Raises
    ------
    InputError
        A k is more than the runs of a scenario, which is named, or two verdicts are about one run.
    UndefinedMetricError
        There is no run.
    """
    by_scenario = runs_by_scenario(verdicts)
    if not by_scenario:
        raise UndefinedMetricError("there is no run, so there is no rate")
    runs = {name: RunCounts.of(of_it.values()) for name, of_it in by_scenario.items()}
    chosen = _checked_ks(ks, runs)
    everything = sum(runs.values(), RunCounts())
    counts = list(runs.values())

    def interval_of(values: Sequence[float]) -> Interval | None:
        return scenario_interval(values, resamples=resamples, seed=seed, level=level)

    def over_scenarios(each: Sequence[MetricResult], *_: Sequence[int]) -> Spread:
        return interval_of([one.value for one in each]), SCENARIO_INTERVAL

    return SuiteCounts(
        scenarios=tuple(
            ScenarioCounts(
                scenario=name,
                runs=of_it,
                rate=_rate(of_it, level),
                repeats=tuple(repeats_of([of_it], k, of_rate(k, level)) for k in chosen),
                caution=caution(of_it, level=level),
            )
            for name, of_it in runs.items()
        ),
        runs=everything,
        rate=_rate(everything, level),
        mean_rate=_mean_rate(counts, interval_of),
        repeats=tuple(repeats_of(counts, k, over_scenarios) for k in chosen),
        caution=caution(everything, level=level),
    )


def runs_by_scenario(verdicts: Sequence[RunVerdict]) -> dict[str, dict[int, RunVerdict]]:
    """Verdicts by scenario and replicate.

    Raises
    ------
    InputError
        Two are about one run.
    """
    found: dict[str, dict[int, RunVerdict]] = {}
    for one in verdicts:
        of_it = found.setdefault(one.scenario, {})
        if one.replicate in of_it:
            raise InputError(
                f"replicate {one.replicate} of scenario {one.scenario!r} has two verdicts",
                field="verdicts",
                expected="one a run",
            )
        of_it[one.replicate] = one
    return found


def caution(runs: RunCounts, *, level: float = 0.95) -> str | None:
    """What a perfect or a zero score still allows, in a sentence.

    ``0 failures in 10 decided runs still fit a true failure rate of up to 28 % (upper end of the
    95 % Wilson interval)``; None where some runs passed and some failed, or none was decided.
    """
    if not runs.n_decided or (runs.n_pass and runs.n_fail):
        return None
    kind, name = ("failures", "failure") if runs.n_pass else ("passes", "pass")
    upper = wilson(0, runs.n_decided, level).high
    undecided = f" (and {runs.n_undecided} that were not)" if runs.n_undecided else ""
    noun = "run" if runs.n_decided == 1 else "runs"
    return (
        f"0 {kind} in {runs.n_decided} decided {noun}{undecided} still fit a true {name} rate of "
        f"up to {100 * upper:.0f} % (upper end of the {100 * level:g} % Wilson interval)"
    )


def _checked_ks(ks: Sequence[int] | None, runs: Mapping[str, RunCounts]) -> tuple[int, ...]:
    fewest = min(runs, key=lambda name: runs[name].n_runs)
    n_fewest = runs[fewest].n_runs
    if ks is None:
        return tuple(range(1, min(n_fewest, MOST_K) + 1))
    for k in ks:
        if whole_number(k, "k", minimum=1) > n_fewest:
            raise InputError(
                f"it is {k}, and scenario {fewest!r} was run {n_fewest} times",
                field="k",
                expected=f"at most the runs of every scenario, {n_fewest}",
            )
    return tuple(sorted(set(ks)))


def _rate(runs: RunCounts, level: float) -> Bounded:
    """Share of passes, with Wilson's interval."""
    details: dict[str, Detail] = {"n_passes": runs.n_pass, "n_undecided": runs.n_undecided}

    def among(n: int, undecided: str, n_left_out: int) -> MetricResult:
        return MetricResult(
            name=RATE,
            value=runs.n_pass / n,
            interval=wilson(runs.n_pass, n, level),
            n_turns=n,
            n_failed=n_left_out,
            direction="higher",
            definition={"undecided": undecided},
            details=details,
        )

    excluded: Found = Undefined(name=RATE, reason="no run was decided", n_failed=runs.n_undecided)
    if runs.n_decided:
        excluded = among(runs.n_decided, "excluded", runs.n_undecided)
    return Bounded(as_failures=among(runs.n_runs, "failures", 0), excluded=excluded)


def _mean_rate(
    counts: Sequence[RunCounts], interval_of: Callable[[Sequence[float]], Interval | None]
) -> Bounded:
    decided = [one for one in counts if one.n_decided]
    n_undecided = sum(one.n_undecided for one in counts)

    def of(shares: Sequence[float], n: int, undecided: str, n_left_out: int) -> MetricResult:
        return MetricResult(
            name=MEAN_RATE,
            value=sum(shares) / len(shares),
            interval=interval_of(shares),
            n_turns=n,
            n_dialogues=len(shares),
            n_failed=n_left_out,
            direction="higher",
            definition={
                "average": "scenarios weigh the same",
                "undecided": undecided,
                "interval": SCENARIO_INTERVAL,
            },
            details={"n_undecided": n_undecided, "n_left_out": len(counts) - len(shares)},
        )

    excluded: Found = Undefined(name=MEAN_RATE, reason="no run was decided", n_failed=n_undecided)
    if decided:
        excluded = of(
            [one.n_pass / one.n_decided for one in decided],
            sum(one.n_decided for one in decided),
            "excluded",
            n_undecided,
        )
    return Bounded(
        as_failures=of(
            [one.n_pass / one.n_runs for one in counts],
            sum(one.n_runs for one in counts),
            "failures",
            0,
        ),
        excluded=excluded,
    )
