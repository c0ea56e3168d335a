"""What sharded runs add up to: mean, aptitude and unreliability, and what is lost on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.sharded import (
    SHARD_VERSIONS,
    Scoring,
    ShardedDrop,
    ShardedResult,
    ShardedRun,
    ShardVersion,
    VersionScores,
)
from turnsure.core.tested import Found
from turnsure.metrics.aptitude import Scores, drop, over_tasks
from turnsure.numerics.inputs import choice


def sharded_result(
    runs: Iterable[ShardedRun],
    *,
    scoring: Scoring = "final",
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> ShardedResult:
    """Mean, aptitude and unreliability of every version, and the drops from the full one.

    Parameters
    ----------
    runs
        From :func:`run_sharded`, or scored elsewhere.
    scoring
        ``"final"``: the answer in the last reply counts, which is what the user is left with.
        ``"any"``: a right answer at any turn does, as where a conversation ends with the first
        right one.
    resamples, seed, level
        Of the bootstrap over tasks.

    Raises
    ------
    InputError
        For a scoring that is unknown.
    """
    choice(scoring, "scoring", ("final", "any"))
    made = list(runs)
    there = {run.version for run in made}
    versions: list[ShardVersion] = [version for version in SHARD_VERSIONS if version in there]
    scores = {version: _scores(made, version, scoring) for version in versions}
    settings = {"resamples": resamples, "seed": seed}

    def of(version: ShardVersion, statistic: str) -> Found:
        return _found(
            statistic, lambda: over_tasks(statistic, scores[version], **settings, level=level)
        )

    def lost(version: ShardVersion, statistic: str, *, relative: bool = False) -> Found:
        return _found(
            f"{'relative_' if relative else ''}drop_in_{statistic}",
            lambda: drop(
                statistic,
                scores["full"],
                scores[version],
                relative=relative,
                **settings,
                level=level,
            ),
        )

    return ShardedResult(
        scoring=scoring,
        versions={
            version: VersionScores(
                version=version,
                mean=of(version, "mean"),
                aptitude=of(version, "aptitude"),
                unreliability=of(version, "unreliability"),
            )
            for version in versions
        },
        drops={
            version: ShardedDrop(
                version=version,
                mean=lost(version, "mean"),
                relative=lost(version, "mean", relative=True),
                aptitude=lost(version, "aptitude"),
                unreliability=lost(version, "unreliability"),
            )
            for version in versions
            if version != "full" and "full" in scores
        },
        n_failed=_count(made, versions, lambda run: run.failure is not None),
        n_no_answer=_count(made, versions, lambda run: run.answers[-1:] == (None,)),
    )


def _scores(runs: Sequence[ShardedRun], version: ShardVersion, scoring: Scoring) -> Scores:
    """The scores of each task that has any."""
    by_task: dict[str, list[float]] = {}
    for run in runs:
        score = run.score(scoring)
        if run.version == version and score is not None:
            by_task.setdefault(run.task, []).append(score)
    return by_task


def _found(name: str, compute: Callable[[], MetricResult]) -> Found:
    try:
        return compute()
    except UndefinedMetricError as error:
        return Undefined(name=name, reason=str(error))


def _count(
    runs: Sequence[ShardedRun],
    versions: Sequence[ShardVersion],
    counts: Callable[[ShardedRun], bool],
) -> Mapping[ShardVersion, int]:
    return {
        version: sum(run.version == version and counts(run) for run in runs) for version in versions
    }
