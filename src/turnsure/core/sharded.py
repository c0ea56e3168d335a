"""Tasks told at once, as a list, and piece by piece: what that does to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.tested import Found

ShardVersion = Literal["full", "concatenated", "sharded"]
SHARD_VERSIONS: tuple[ShardVersion, ...] = get_args(ShardVersion)
"""The task as it was written; its pieces as a list in one message; one piece a turn."""

Scoring = Literal["final", "any"]
"""``final``: the answer of the last reply counts; ``any``: a right answer at any turn does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedRun:
    """One run of one version of a task.

    Attributes
    ----------
    task
        The dialogue's id.
    version, replicate
        Which run; replicates count from 0.
    answers
        What each reply gives as its answer, None where it gives none; empty after a failure.
    scores
        Of each reply, in [0, 1]; 0 for one that gives no answer.
    failure
        Why the run came to no end; None where it did.
    """

    task: str
    version: ShardVersion
    replicate: int
    answers: tuple[str | None, ...] = ()
    scores: tuple[float, ...] = ()
    failure: Failure | None = None

    def __post_init__(self) -> None:
        if (self.failure is None) is not bool(self.scores):
            raise InputError(
                "a run has scores or a failure", field="scores", expected="one of the two"
            )
        if not all(0.0 <= score <= 1.0 for score in self.scores):
            raise InputError(
                f"they are {self.scores}", field="scores", expected="numbers in [0, 1]"
            )

    def score(self, scoring: Scoring) -> float | None:
        """The score of the run, in [0, 1]; None after a failure."""
        if self.failure is not None:
            return None
        return self.scores[-1] if scoring == "final" else max(self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionScores:
    """One version, over all tasks.

    Attributes
    ----------
    version
        Which.
    mean
        Mean over tasks of the mean over runs.
    aptitude
        A90: mean over tasks of the 90th percentile of the runs.
    unreliability
        U: mean over tasks of the 90th minus the 10th percentile.
    """

    version: ShardVersion
    mean: Found
    aptitude: Found
    unreliability: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedDrop:
    """From the full task to another version, over the tasks that have runs of both.

    Attributes
    ----------
    version
        Which.
    mean, aptitude, unreliability
        Full minus this version, in [−1, 1]: of the first two, how much is lost; the last is
        negative where it gets less reliable.
    relative
        Share of the full version's mean that is lost; Undefined where that mean is 0.
    """

    version: ShardVersion
    mean: Found
    relative: Found
    aptitude: Found
    unreliability: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedResult:
    """All versions.

    Attributes
    ----------
    scoring
        What of a run counts.
    versions
        Those that were run, by name.
    drops
        To each of the others, where the full version was run too.
    n_failed
        Runs that came to no end, by version; they count nowhere.
    n_no_answer
        Runs whose last reply gives no answer, by version; they score what they score, usually 0.
    """

    scoring: Scoring
    versions: Mapping[ShardVersion, VersionScores]
    drops: Mapping[ShardVersion, ShardedDrop]
    n_failed: Mapping[ShardVersion, int]
    n_no_answer: Mapping[ShardVersion, int]
