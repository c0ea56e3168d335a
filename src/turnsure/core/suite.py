"""What a test suite brings: the runs of every scenario, their verdicts, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from turnsure.core.conversation import Transcript
from turnsure.core.errors import InputError
from turnsure.core.judged import RubricJudgement
from turnsure.core.scenario import RunVerdict, Scenario, Verdict

SuiteRole = Literal["assistant", "user", "judge"]
SUITE_ROLES: tuple[SuiteRole, ...] = get_args(SuiteRole)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleCost:
    """What one role cost in this call of the suite; runs that were kept from before cost nothing.

    Attributes
    ----------
    role
        Whose.
    n_calls
        Requests to a model, or calls of the assistant's function or webhook.
    n_from_store
        Of these, answered from the folder's store.
    n_again
        Of these, made because an earlier try was not taken: wordings that a guard refused, and
        calls of a webhook that was busy or away.
    n_failed
        Of these, given up.
    prompt_tokens, completion_tokens
        Of what was sent, as it was reported.
    n_uncounted
        Calls whose tokens nobody reported.
    seconds
        Spent waiting, summed over calls that ran side by side.
    """

    role: SuiteRole
    n_calls: int = 0
    n_from_store: int = 0
    n_again: int = 0
    n_failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    n_uncounted: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteCost:
    """What a suite cost in this call.

    Attributes
    ----------
    roles
        Assistant, user, judge.
    n_conversations
        Conversations that were held to their end now.
    n_replayed
        Runs that were finished before and read from the folder.
    n_restarted
        Conversations that were started anew after a fault of the infrastructure.
    n_retries
        Requests that were sent again because a server was busy or away.
    """

    roles: tuple[RoleCost, ...]
    n_conversations: int = 0
    n_replayed: int = 0
    n_restarted: int = 0
    n_retries: int = 0

    def of(self, role: SuiteRole) -> RoleCost:
        """The cost of one role."""
        return next((one for one in self.roles if one.role == role), RoleCost(role=role))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioResult:
    """All runs of one scenario.

    Attributes
    ----------
    scenario
        As it was run.
    transcripts, verdicts
        In the order of the replicates, from 0.
    judgements
        What the judge said, by replicate; runs that nobody judged are not there.
    """

    scenario: Scenario
    transcripts: tuple[Transcript, ...]
    verdicts: tuple[RunVerdict, ...]
    judgements: Mapping[int, RubricJudgement] = field(default_factory=dict[int, RubricJudgement])

    def __post_init__(self) -> None:
        if not len(self.transcripts) == len(self.verdicts) > 0:
            raise InputError(
                f"there are {len(self.transcripts)} transcripts and {len(self.verdicts)} verdicts",
                field="verdicts",
                expected="one verdict a transcript, and one run or more",
            )
        stray = sorted(self.judgements.keys() - {one.replicate for one in self.verdicts})
        if stray:
            raise InputError(
                f"run {stray[0]} of {self.scenario.id!r} is judged and not there",
                field="judgements",
                expected="judgements of runs that are there",
            )

    @property
    def n_runs(self) -> int:
        """Runs, whatever became of them."""
        return len(self.verdicts)

    def count(self, verdict: Verdict) -> int:
        """How many runs have a verdict."""
        return sum(one.verdict == verdict for one in self.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteResult:
    """A suite that was run.

    Attributes
    ----------
    scenarios
        In the order given.
    assistant, user, judge
        What they are, for people and for telling suites apart: ``name`` and what else makes them
        what they are.  The judge is None where there was none.
    seed
        Of users and assistants.
    folder
        Where it is kept.
    cost
        Of the call that ran it, the last one where there were several; None where none is known.
    """

    scenarios: tuple[ScenarioResult, ...]
    assistant: Mapping[str, str]
    user: Mapping[str, str]
    judge: Mapping[str, str] | None = None
    seed: int = 0
    folder: str
    cost: SuiteCost | None = None

    @property
    def verdicts(self) -> tuple[RunVerdict, ...]:
        """Of all runs."""
        return tuple(verdict for one in self.scenarios for verdict in one.verdicts)

    @property
    def judgements(self) -> tuple[tuple[str, int, RubricJudgement], ...]:
        """Of all runs that were judged: scenario, replicate, and what the judge said."""
        return tuple(
            (each.scenario.id, replicate, one)
            for each in self.scenarios
            for replicate, one in each.judgements.items()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteProgress:
    """How far a suite is.

    Attributes
    ----------
    n_runs, n_done
        Runs in all, and finished.
    n_replayed
        Of those finished, read from the folder.
    verdicts
        Of those finished, how many have which verdict.
    """

    n_runs: int
    n_done: int
    n_replayed: int
    verdicts: Mapping[Verdict, int]
