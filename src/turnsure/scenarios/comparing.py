"""Whether one suite passes more than another, over the scenarios that both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from turnsure.core.results import MetricResult, Undefined
from turnsure.core.scenario import RunVerdict
from turnsure.core.suite_counts import RunCounts, SuiteDifference
from turnsure.core.tested import Found
from turnsure.metrics.mcnemar import mcnemar_exact
from turnsure.metrics.scenario_means import SCENARIO_INTERVAL, scenario_interval
from turnsure.scenarios.counting import runs_by_scenario

_NAME = "mean_pass_rate_difference"
_DECIDED = frozenset({"pass", "fail"})


def compare_runs(
    left: Sequence[RunVerdict],
    right: Sequence[RunVerdict],
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> SuiteDifference:
    """Right minus left.

    Two questions are answered apart.  McNemar's test pairs runs by scenario and replicate and asks
    whether the pass probability of *these* scenarios changed: given its scenario, each pair that
    disagrees falls either way with probability ½ if it did not, so the test is exact although
    replicates share their scenario.  The mean difference is bootstrapped over scenarios and speaks
    of scenarios *like* these.

    Parameters
    ----------
    left, right
        One verdict a run; only scenarios that both have count.
    resamples, seed, level
        Of the bootstrap.

    Raises
    ------
    InputError
        Two verdicts are about one run.
    """
    before, after = runs_by_scenario(left), runs_by_scenario(right)
    common = [name for name in before if name in after]
    cells: Counter[tuple[str, str]] = Counter()
    n_unpaired = 0
    for name in common:
        shared = before[name].keys() & after[name].keys()
        n_unpaired += len(before[name]) + len(after[name]) - 2 * len(shared)
        cells.update(
            (before[name][replicate].verdict, after[name][replicate].verdict)
            for replicate in shared
        )
    n_decided = sum(n for kinds, n in cells.items() if _DECIDED.issuperset(kinds))
    counts = [
        (RunCounts.of(before[name].values()), RunCounts.of(after[name].values())) for name in common
    ]
    settings = {"resamples": resamples, "seed": seed}
    return SuiteDifference(
        pairs=mcnemar_exact(
            only_left=cells["pass", "fail"],
            only_right=cells["fail", "pass"],
            both=cells["pass", "pass"],
            neither=cells["fail", "fail"],
        )
        if n_decided
        else None,
        n_undecided_pairs=cells.total() - n_decided,
        n_unpaired=n_unpaired,
        mean_rate=_difference(counts, "failures", settings, level),
        mean_rate_decided=_difference(
            [pair for pair in counts if all(one.n_decided for one in pair)],
            "excluded",
            settings,
            level,
        ),
        only_left=tuple(name for name in before if name not in after),
        only_right=tuple(name for name in after if name not in before),
    )


def _difference(
    counts: Sequence[tuple[RunCounts, RunCounts]],
    undecided: str,
    settings: Mapping[str, int],
    level: float,
) -> Found:
    if not counts:
        return Undefined(name=_NAME, reason="no scenario has such runs on both sides")

    def n_of(runs: RunCounts) -> int:
        return runs.n_runs if undecided == "failures" else runs.n_decided

    shares = [
        (before.n_pass / n_of(before), after.n_pass / n_of(after)) for before, after in counts
    ]
    differences = [after - before for before, after in shares]
    return MetricResult(
        name=_NAME,
        value=sum(differences) / len(differences),
        interval=scenario_interval(differences, **settings, level=level),
        n_turns=sum(n_of(one) for pair in counts for one in pair),
        n_dialogues=len(counts),
        n_failed=0
        if undecided == "failures"
        else sum(one.n_undecided for pair in counts for one in pair),
        direction="higher",
        definition={
            "difference": "right - left",
            "average": "scenarios weigh the same",
            "undecided": undecided,
            "interval": SCENARIO_INTERVAL,
        },
        details={
            "left": sum(before for before, _ in shares) / len(shares),
            "right": sum(after for _, after in shares) / len(shares),
        },
    )
