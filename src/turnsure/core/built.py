"""What building dialogues brings: games that were played, kept or dropped, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from turnsure.core.dialogue import Hint
from turnsure.core.generation import Generation
from turnsure.core.outcome import Failure
from turnsure.core.results import Interval

Game = Literal["20q", "guess"]
BuildRole = Literal["hinter", "guesser"]

RefusalReason: TypeAlias = Literal[
    "leaked_secret",
    "other_script",
    "repeated_hint",
    "contradicting_hint",
    "not_yes_no",
    "empty_reply",
    "unreadable_reply",
    "refused_reply",
]
DropReason: TypeAlias = Literal[RefusalReason, "never_right", "never_certified", "backend_failed"]

REFUSALS: Mapping[RefusalReason, str] = MappingProxyType(
    {
        "leaked_secret": "the hint gives the secret away",
        "other_script": "the hint holds words in a script that the guards cannot read",
        "repeated_hint": "the hint says again what an earlier one said",
        "contradicting_hint": "the hint answers an earlier question otherwise",
        "not_yes_no": "the hint is no yes-or-no question with its answer",
        "empty_reply": "the Hinter wrote nothing",
        "unreadable_reply": "the Hinter wrote something else than a hint",
        "refused_reply": "the Hinter declined to give a hint",
    }
)
"""Why a hint is not taken, and asked for again."""

DROPS: Mapping[DropReason, str] = MappingProxyType(
    {
        **{reason: f"{text}, at every attempt" for reason, text in REFUSALS.items()},
        "never_right": "turn limit: the Guesser was never right",
        "never_certified": "turn limit: the Guesser was right, but never certified it",
        "backend_failed": "a request failed; the same command asks it again",
    }
)
"""Why a game is dropped; for a hint that is not taken, the reason of the last attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What is to be guessed.

    Attributes
    ----------
    id
        Of its dialogue, unique within a build.
    names
        Accepted names, at least one; the Hinter is told the first.
    meta
        Texts by which results can be sliced.
    task, closing
        What the Guesser is asked, and what is said after the last hint; None for the usual words.
    """

    id: str
    names: tuple[str, ...]
    meta: Mapping[str, str] = field(default_factory=dict[str, str])
    task: str | None = None
    closing: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """That a reply is not taken as a hint, and what shows it."""

    reason: RefusalReason
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One attempt at a hint that was not taken.

    Attributes
    ----------
    turn, attempt
        Both count from 1.
    refused
        Why.
    reply
        What the Hinter wrote.
    """

    turn: int
    attempt: int
    refused: Refused
    reply: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What the Guesser said at one turn.

    Attributes
    ----------
    answer
        Its answer, or why none could be read.
    right
        Whether the grader accepts it.
    unique
        The probability that it gives to its answer being the only one that fits, in [0, 1], in the
        order of the options in which that is smaller; or why there is none.
    certified
        Whether that is enough to say that no other answer fits.
    """

    answer: str | Failure
    right: bool
    unique: float | Failure
    certified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Why a game is not kept.

    Attributes
    ----------
    reason
        One of :data:`DROPS`.
    turn
        At which it ended, from 1.
    evidence
        What shows it.
    """

    reason: DropReason
    turn: int
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Requests and tokens of one role as the back-end reported them, kept replies included.

    ``n_uncounted`` replies came without token counts; ``n_failed`` requests brought nothing.
    """

    n_requests: int = 0
    n_failed: int = 0
    n_uncounted: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, reply: Generation | Failure) -> Spent:
        """The same with one more reply."""
        failed = isinstance(reply, Failure)
        prompt = None if failed else reply.usage.prompt_tokens
        completion = None if failed else reply.usage.completion_tokens
        return Spent(
            n_requests=self.n_requests + 1,
            n_failed=self.n_failed + failed,
            n_uncounted=self.n_uncounted + (not failed and (prompt is None or completion is None)),
            prompt_tokens=self.prompt_tokens + (prompt or 0),
            completion_tokens=self.completion_tokens + (completion or 0),
        )

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            n_requests=self.n_requests + other.n_requests,
            n_failed=self.n_failed + other.n_failed,
            n_uncounted=self.n_uncounted + other.n_uncounted,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One game from its first hint to its end.

    Attributes
    ----------
    secret
        What was to be guessed.
    hints, guesses
        Turn by turn; a game that ended within a turn has one guess less than hints, or none.
    refusals
        Hints that were not taken.
    n_mended
        Hints whose question named the secret, which "it" stands for now.
    dropped
        Why it is not kept; None for a game that is.
    spent
        By role.
    """

    secret: Secret
    hints: tuple[Hint, ...]
    guesses: tuple[Guess, ...]
    refusals: tuple[Refusal, ...]
    n_mended: int
    dropped: Dropped | None
    spent: Mapping[BuildRole, Spent]

    @property
    def n_early(self) -> int:
        """How often the Guesser certified an answer that was wrong."""
        return sum(guess.certified and not guess.right for guess in self.guesses)

    @property
    def first_right(self) -> int | None:
        """The turn of the first right answer, from 1; None without any."""
        rights = (turn for turn, guess in enumerate(self.guesses, start=1) if guess.right)
        return next(rights, None)


def spent_by_role(games: Iterable[Played]) -> dict[BuildRole, Spent]:
    """Requests and tokens of all games together."""
    whole: dict[BuildRole, Spent] = {"hinter": Spent(), "guesser": Spent()}
    for game in games:
        for role, spent in game.spent.items():
            whole[role] += spent
    return whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A build that was played to its end.

    Attributes
    ----------
    games
        All of them, in the order of the secrets.
    kept_rate
        Wilson's interval for the share that is kept.
    facts
        What the build was made with, name and text, for a report.
    digest
        Of everything that decides what is built, secrets aside.
    seed
        Draws what a report shows as a sample.
    n_requests, n_from_store, n_failed
        This time: made, answered without asking a model, given up.
    """

    games: tuple[Played, ...]
    kept_rate: Interval
    facts: tuple[tuple[str, str], ...]
    digest: str
    seed: int
    n_requests: int
    n_from_store: int
    n_failed: int

    @property
    def kept(self) -> tuple[Played, ...]:
        """Games that became dialogues."""
        return tuple(game for game in self.games if game.dropped is None)
