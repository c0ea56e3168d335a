"""What the runs of a test suite add up to: counts first, then rates that carry them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from turnsure.core.errors import InputError
from turnsure.core.results import MetricResult
from turnsure.core.scenario import RunVerdict
from turnsure.core.tested import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCounts:
    """Runs by what became of them; every run is in exactly one of the five.

    Attributes
    ----------
    n_pass, n_fail
        Decided runs.
    n_inconclusive, n_invalid, n_error
        Runs that say nothing either way.
    """

    n_pass: int = 0
    n_fail: int = 0
    n_inconclusive: int = 0
    n_invalid: int = 0
    n_error: int = 0

    def __post_init__(self) -> None:
        for name in ("n_pass", "n_fail", "n_inconclusive", "n_invalid", "n_error"):
            value: int = getattr(self, name)
            if value < 0:
                raise InputError(f"it is {value}", field=name, expected="0 or more")

    @classmethod
    def of(cls, verdicts: Iterable[RunVerdict]) -> RunCounts:
        """Count verdicts."""
        kinds = [one.verdict for one in verdicts]
        return cls(
            n_pass=kinds.count("pass"),
            n_fail=kinds.count("fail"),
            n_inconclusive=kinds.count("inconclusive"),
            n_invalid=kinds.count("invalid"),
            n_error=kinds.count("error"),
        )

    @property
    def n_runs(self) -> int:
        """All runs."""
        return self.n_decided + self.n_undecided

    @property
    def n_decided(self) -> int:
        """Runs that passed or failed."""
        return self.n_pass + self.n_fail

    @property
    def n_undecided(self) -> int:
        """Runs that did neither: inconclusive, invalid or in error."""
        return self.n_inconclusive + self.n_invalid + self.n_error

    def __add__(self, other: RunCounts) -> RunCounts:
        return RunCounts(
            n_pass=self.n_pass + other.n_pass,
            n_fail=self.n_fail + other.n_fail,
            n_inconclusive=self.n_inconclusive + other.n_inconclusive,
            n_invalid=self.n_invalid + other.n_invalid,
            n_error=self.n_error + other.n_error,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A number in two readings of the runs that were not decided.

    Attributes
    ----------
    as_failures
        They count as failed: what can be promised.
    excluded
        They do not count at all; Undefined where too few runs are left.
    """

    as_failures: MetricResult
    excluded: Found

    @property
    def agree(self) -> bool:
        """Whether both are the same number, as they are when every run was decided."""
        return (
            isinstance(self.excluded, MetricResult)
            and self.excluded.value == self.as_failures.value
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """k runs of one scenario, drawn from those that were made.

    Attributes
    ----------
    k
        From 1 to the runs of every scenario.
    any_of_k
        pass@k: at least one of them passes.
    all_of_k
        pass^k: all of them pass.
    """

    k: int
    any_of_k: Bounded
    all_of_k: Bounded


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioCounts:
    """One scenario.

    Attributes
    ----------
    scenario
        Its id.
    runs
        How many runs became what.
    rate
        Share of passes with Wilson's interval: ``as_failures`` over all runs, ``excluded`` over
        the decided ones.
    repeats
        By k, rising.
    caution
        How large a rate the runs still allow, where none failed or none passed; None otherwise.
    """

    scenario: str
    runs: RunCounts
    rate: Bounded
    repeats: tuple[Repeats, ...]
    caution: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCounts:
    """All scenarios of a suite.

    Attributes
    ----------
    scenarios
        In the order of the suite.
    runs
        Of all scenarios together.
    rate
        Share of passes among the runs of all scenarios, with Wilson's interval: about these
        scenarios.
    mean_rate
        Mean over scenarios, which weigh the same, with the bootstrap over scenarios: about
        scenarios like these.  ``excluded`` leaves out scenarios without a decided run.
    repeats
        Means over scenarios, with the bootstrap over scenarios.
    caution
        As for a scenario, about all runs together.
    """

    scenarios: tuple[ScenarioCounts, ...]
    runs: RunCounts
    rate: Bounded
    mean_rate: Bounded
    repeats: tuple[Repeats, ...]
    caution: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemarTest:
    """What McNemar's exact test found.

    Attributes
    ----------
    p_value
        Two-sided, in (0, 1].
    n_only_left, n_only_right
        Pairs in which only the left one passed, and only the right one.
    n_both, n_neither
        Pairs that agree; they do not bear on the p-value.
    """

    p_value: float
    n_only_left: int
    n_only_right: int
    n_both: int
    n_neither: int

    @property
    def n_pairs(self) -> int:
        """All pairs."""
        return self.n_only_left + self.n_only_right + self.n_both + self.n_neither


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteDifference:
    """Two suites over the scenarios that both have.

    Attributes
    ----------
    pairs
        McNemar's exact test over pairs of (scenario, replicate) that both sides decided: about
        these scenarios.  None where there is no such pair.
    n_undecided_pairs, n_unpaired
        Pairs that a side left undecided, and runs whose partner is missing.
    mean_rate
        Mean pass rate of the right side minus the left one's over scenarios, undecided runs
        counted as failures, with the bootstrap over scenarios: about scenarios like these.
    mean_rate_decided
        The same over decided runs alone, of scenarios with such runs on both sides.
    only_left, only_right
        Ids of scenarios that only one side has; they do not count.
    """

    pairs: McNemarTest | None
    n_undecided_pairs: int
    n_unpaired: int
    mean_rate: Found
    mean_rate_decided: Found
    only_left: tuple[str, ...] = ()
    only_right: tuple[str, ...] = ()
