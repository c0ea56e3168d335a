"""pass@k and pass^k over scenarios, and what interval each of them gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from turnsure.core.results import Interval, MetricResult, Undefined
from turnsure.core.suite_counts import Bounded, Repeats, RunCounts
from turnsure.metrics.rates import wilson
from turnsure.metrics.repeats import pass_at_k, pass_hat_k

_ANY_OF_K = "pass_at_k"

_Formula = Callable[..., MetricResult]
Spread = tuple[Interval | None, str]
"""An interval, and what it is."""
Spreading = Callable[[Sequence[MetricResult], Sequence[int], Sequence[int]], Spread]
"""The interval of a mean of one value a scenario, from these, the passes and the runs."""


def repeats_of(counts: Sequence[RunCounts], k: int, spread: Spreading) -> Repeats:
    """pass@k and pass^k, means over scenarios, with undecided runs as failures and without them.

    Parameters
    ----------
    counts
        One a scenario, each of k runs or more.
    k
        Runs that are drawn.
    spread
        Gives the intervals.
    """
    return Repeats(
        k=k,
        any_of_k=_of_k(pass_at_k, counts, k, spread),
        all_of_k=_of_k(pass_hat_k, counts, k, spread),
    )


@lru_cache(maxsize=4096)
def _one_scenario(formula: _Formula, passes: int, runs: int, k: int) -> MetricResult:
    """The formula for one scenario; in a large suite few pairs of counts come again and again."""
    return formula(passes, runs, k)


def _of_k(
    formula: _Formula,
    counts: Sequence[RunCounts],
    k: int,
    spread: Spreading,
) -> Bounded:
    passes = [one.n_pass for one in counts]
    n_undecided = sum(one.n_undecided for one in counts)

    def over(runs: Sequence[int], undecided: str, n_left_out: int) -> MetricResult:
        each = [_one_scenario(formula, c, n, k) for c, n in zip(passes, runs, strict=True)]
        found = each[0] if len(each) == 1 else formula(passes, runs, k)
        interval, its_kind = spread(each, passes, runs)
        return replace(
            found,
            interval=interval,
            n_dialogues=len(counts),
            n_failed=n_left_out,
            definition={
                "k": k,
                "average": "scenarios weigh the same",
                "undecided": undecided,
                "interval": its_kind,
            },
            details={"n_scenarios": len(counts), "n_undecided": n_undecided},
        )

    as_failures = over([one.n_runs for one in counts], "failures", 0)
    decided = [one.n_decided for one in counts]
    n_short = sum(n < k for n in decided)
    if n_short:
        of = f"{n_short} of {len(counts)} scenarios have" if len(counts) > 1 else "there are"
        reason = f"{of} fewer than {k} decided runs"
        return Bounded(
            as_failures=as_failures,
            excluded=Undefined(name=as_failures.name, reason=reason, n_failed=n_undecided),
        )
    return Bounded(as_failures=as_failures, excluded=over(decided, "excluded", n_undecided))


def of_rate(k: int, level: float) -> Spreading:
    """For one scenario: pass^k and pass@k rise with its pass rate p, and so does their interval.

    Wilson's interval of p gives that of p^k, or of 1 − (1 − p)^k, made as wide as to hold the
    value, which is no power of a rate.
    """

    def spread(each: Sequence[MetricResult], passes: Sequence[int], runs: Sequence[int]) -> Spread:
        [found], [n_pass], [n_runs] = each, passes, runs
        rate = wilson(n_pass, n_runs, level)
        low, high = rate.low**k, rate.high**k
        if found.name == _ANY_OF_K:
            low, high = 1.0 - (1.0 - rate.low) ** k, 1.0 - (1.0 - rate.high) ** k
        wide = replace(rate, low=min(low, found.value), high=max(high, found.value))
        return wide, "Wilson's, of the pass rate"

    return spread
