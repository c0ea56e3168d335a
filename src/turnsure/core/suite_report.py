"""A suite as it is shown: its runs and counts, and what held at every turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from turnsure.core.scenario import Verdict
from turnsure.core.suite import SuiteResult
from turnsure.core.suite_confidence import SuiteConfidence
from turnsure.core.suite_counts import ScenarioCounts, SuiteCounts, SuiteDifference

Run = tuple[str, int]
"""Scenario and replicate."""

Ending = Literal["passed", "failed", "error", "inconclusive"]
"""``"passed"``: every scenario passes often enough.  Otherwise, of the scenarios that do not:
``"failed"`` where a run of one failed, else ``"error"`` where one is invalid or in error, else
``"inconclusive"``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOutcome:
    """What a suite comes to.

    Attributes
    ----------
    ending
        In one word.
    fail_under
        Share of passes that every scenario had to reach, in (0, 1]; runs that were not decided
        count as failures.
    below
        Ids of the scenarios that did not.
    """

    ending: Ending
    fail_under: float
    below: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleState:
    """A rule in force as of a turn.

    Attributes
    ----------
    name, value, since
        The rule, its value, and the turn at which it got it.
    before
        Values that were replaced, oldest first.
    """

    name: str
    value: Any
    since: int
    before: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerState:
    """What held as of a turn.

    Attributes
    ----------
    rules
        In force.
    withdrawn, rejected
        Rules that no longer hold and items that were turned down, each with the turn.
    """

    rules: tuple[RuleState, ...]
    withdrawn: Mapping[str, int] = field(default_factory=dict[str, int])
    rejected: Mapping[str, int] = field(default_factory=dict[str, int])


class FidelityCounts(Protocol):
    """What the guards of simulated users saw; see :mod:`turnsure.scenarios.users.fidelity`."""

    @property
    def n_runs(self) -> int: ...

    @property
    def n_invalid(self) -> int: ...

    @property
    def n_messages(self) -> int: ...

    @property
    def n_retries(self) -> int: ...

    @property
    def n_mended(self) -> int: ...

    @property
    def n_notes(self) -> int: ...

    @property
    def refused(self) -> Mapping[str, int]: ...

    @property
    def released(self) -> Mapping[tuple[str, str], Mapping[int, int]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """Failed runs that broke first in the same way at the same turn.

    Attributes
    ----------
    failure
        The failure type.
    turn
        The first failing turn; None where what is wrong concerns no turn.
    rules
        Rules that were broken first, each once.
    runs
        Which runs, in the order of the suite.
    example
        What was found first in the first of them.
    """

    failure: str
    turn: int | None
    rules: tuple[str, ...]
    runs: tuple[Run, ...]
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UndecidedGroup:
    """Runs that neither passed nor failed, for the same reason.

    Attributes
    ----------
    verdict, reason
        What they are, and why.
    runs
        Which runs.
    """

    verdict: Verdict
    reason: str
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteReport:
    """Everything that is shown of a suite.

    Attributes
    ----------
    result, counts, outcome
        The runs, what they add up to, and what that comes to.
    failures, undecided
        Runs that failed, and runs that were not decided, most runs first.
    ledgers
        For each run what held after each turn; none for a run whose reveals cannot be read.
    fidelity
        Of the user.
    to_read
        Runs that a person should read, to judge the user.
    confidence
        How sure a model was, where that was measured.
    created
        When the suite was finished.
    """

    result: SuiteResult
    counts: SuiteCounts
    outcome: SuiteOutcome
    failures: tuple[FailureGroup, ...]
    undecided: tuple[UndecidedGroup, ...]
    ledgers: Mapping[Run, tuple[LedgerState, ...]]
    fidelity: FidelityCounts
    to_read: tuple[Run, ...] = ()
    confidence: SuiteConfidence | None = None
    created: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """How many failed runs broke first in one way."""

    failure: str
    turn: int | None
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioPair:
    """One scenario that two suites have.

    Attributes
    ----------
    scenario
        Its id.
    left, right
        Its counts in either suite.
    failures_left, failures_right
        Failed runs by failure type and first failing turn.
    """

    scenario: str
    left: ScenarioCounts
    right: ScenarioCounts
    failures_left: tuple[FailureCount, ...]
    failures_right: tuple[FailureCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteComparison:
    """Two suites side by side.

    Attributes
    ----------
    left, right
        Folder and assistant of either.
    pairs
        Scenarios that both have.
    difference
        Right minus left.
    differs
        What is not the same in both although it should be, a sentence each.
    """

    left: tuple[str, str]
    right: tuple[str, str]
    pairs: tuple[ScenarioPair, ...]
    difference: SuiteDifference
    differs: tuple[str, ...] = ()
