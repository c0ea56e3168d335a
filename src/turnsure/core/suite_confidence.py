"""How sure a model was at the turns of test conversations, joined to what went wrong there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.confidence import Confidence
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.tested import Found, TestedChange

Scored = Confidence | Failure


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTurn:
    """One turn of a test conversation, with every confidence in what the assistant replied.

    Attributes
    ----------
    run
        Scenario and replicate.
    turn
        From 1.
    is_twist
        Whether the user changes or withdraws at this turn what held before.
    shows
        Whether the assistant shows items at this turn.
    is_wrong
        Whether a check found something wrong at this turn; None where the run was not decided, or
        where an earlier turn of the run was wrong already, so that this one may only follow from
        it.
    scores
        By method.
    """

    run: tuple[str, int]
    turn: int
    is_twist: bool
    shows: bool
    is_wrong: bool | None
    scores: Mapping[str, Scored]

    def __post_init__(self) -> None:
        if self.turn < 1:
            raise InputError(f"it is {self.turn}", field="turn", expected="1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyGuesses:
    """Turns at which the assistant shows items although the confidence is low.

    Attributes
    ----------
    threshold
        Below it a confidence is low.
    n_early, n_shown
        Such turns, and all turns that show items and have a confidence.
    n_runs
        Runs with such a turn.
    rate
        The share; not defined where no turn shows anything.
    """

    threshold: float
    n_early: int
    n_shown: int
    n_runs: int
    rate: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodOfSuite:
    """What one method says about the turns of a suite.

    Attributes
    ----------
    method
        Its name.
    n_turns, failures
        Turns asked about; and those without a confidence, by kind.
    mean
        Mean confidence.
    twist
        Change from the turn before to a turn with a twist, over runs, with its sign-flip test.
    otherwise
        The same change at all other turns but the first: what turns do to a confidence anyway.
    auroc
        Whether turns that are wrong have a lower confidence than those that are not, with the
        bootstrap over runs; turns after a run's first wrong one do not count.
    early
        Items shown at a low confidence.
    """

    method: str
    n_turns: int
    failures: Mapping[str, int]
    mean: Found
    twist: TestedChange
    otherwise: Found
    auroc: Found
    early: EarlyGuesses


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingCost:
    """What asking for confidences cost.

    Attributes
    ----------
    n_requests, n_from_store, n_failed, n_retries
        Requests; of these, answered from the store, and given up; and attempts beyond the first.
    prompt_tokens, completion_tokens
        Of what was sent, as it was reported.
    n_uncounted
        Replies whose tokens nobody reported.
    seconds
        Spent waiting.
    """

    n_requests: int
    n_from_store: int
    n_failed: int
    n_retries: int
    prompt_tokens: int
    completion_tokens: int
    n_uncounted: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteConfidence:
    """All methods of a suite.

    Attributes
    ----------
    model
        Which model was asked how sure it is.
    protocol
        Digest of how it was asked.
    turns
        Every turn that was asked about.
    methods
        In the order given.
    n_runs, n_different
        Runs with a turn, and how many of them differ in a word: copies of one conversation make
        intervals look surer than they are.
    cost
        Of asking.
    """

    model: str
    protocol: str
    turns: tuple[JudgedTurn, ...]
    methods: tuple[MethodOfSuite, ...]
    n_runs: int
    n_different: int
    cost: AskingCost

    def of(self, method: str) -> Mapping[tuple[str, int], Mapping[int, float]]:
        """Confidences of a method by run and turn; turns without one are left out."""
        found: dict[tuple[str, int], dict[int, float]] = {}
        for one in self.turns:
            score = one.scores.get(method)
            if isinstance(score, Confidence):
                found.setdefault(one.run, {})[one.turn] = score.value
        return found
