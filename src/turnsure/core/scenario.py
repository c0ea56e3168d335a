"""The plan of a test conversation, and what is found when it is run.

A **scenario** says who the user is, what they want, what they reveal and when, and which rules each
reveal sets, changes or withdraws.  **Checks** look at every turn with the rules as of that turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from turnsure.core.errors import InputError
from turnsure.core.item_source import ItemSource

FailureType = Literal[
    "forgotten_constraint",
    "ignored_correction",
    "contradiction",
    "early_guessing",
    "repetition",
    "lost_goal",
    "wrong_tool_use",
    "wrong_end_state",
    "missing_information",
    "rubric",
    "other",
]
FAILURE_TYPES: tuple[FailureType, ...] = get_args(FailureType)

Verdict = Literal["pass", "fail", "inconclusive", "invalid", "error"]
"""``invalid``: the user broke the card, so the run says nothing; ``error``: the assistant or the
infrastructure failed; ``inconclusive``: the judge could not tell."""

Scope = Literal["item", "turn", "tool_call", "end"]
"""What an expression is asked about: every item shown, every turn, every tool call, or the whole
conversation once it is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal:
    """Something the user makes known.

    Attributes
    ----------
    id
        Unique within the scenario.
    turn
        The turn at which it is made; None for the first turn that is free.
    say
        The user's words in a script; for a simulated user, the fact that it has to word.
    facts
        Texts that a wording has to hold, so that a simulated user's message can be checked; with
        none, the words of ``say`` stand in.
    sets
        Rules that hold from this turn on, by name; a name that is set already gets the new value
        (a *twist*), and the old value must not come back.
    withdraws
        Names of rules that no longer hold.
    rejects
        Ids of items that the user turns down at this turn.
    """

    id: str
    turn: int | None = None
    say: str
    facts: tuple[str, ...] = ()
    sets: Mapping[str, Any] = field(default_factory=dict[str, Any])
    withdraws: tuple[str, ...] = ()
    rejects: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.say.strip():
            raise InputError("the user says nothing", field="say", expected="non-empty text")
        if self.turn is not None and self.turn < 1:
            raise InputError(f"it is {self.turn}", field="turn", expected="1 or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSpec:
    """A check as a card writes it.

    Attributes
    ----------
    name
        Unique within the scenario.
    kind
        ``"expression"``, or one of the ready ones by its name in the registry.
    failure
        What a finding of it is called.
    scope, expression
        For expressions: what it is asked about, and the text, true where all is well.
    rules
        Names of ledger rules that it needs; without them at a turn, it has nothing to say there.
    options
        Of a ready check.
    say
        Words of a finding; ``{item.id}`` and the like are filled in.
    optional
        True where it may find nothing to look at in a whole conversation, such as no item.
    unreadable
        What it is where it cannot be evaluated (an item lacks a field): an error or a finding.
    """

    name: str
    kind: str
    failure: FailureType
    scope: Scope = "item"
    expression: str | None = None
    rules: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    say: str | None = None
    optional: bool = False
    unreadable: Literal["error", "finding"] = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricItem:
    """A quality that code cannot tell, for the judge.

    Attributes
    ----------
    name, ask
        A name that is unique within the scenario; a question, answered by yes where all is well.
    """

    name: str
    ask: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where a conversation is stopped.

    Attributes
    ----------
    turns
        Cap on user turns.
    seconds
        For one reply of the assistant.
    tool_calls
        Cap on tool calls within one turn.
    """

    turns: int = 20
    seconds: float = 60.0
    tool_calls: int = 20

    def __post_init__(self) -> None:
        for name in ("turns", "seconds", "tool_calls"):
            value: float = getattr(self, name)
            if not value > 0:
                raise InputError(f"it is {value}", field=name, expected="a number above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """The written plan of one test conversation.

    Attributes
    ----------
    id
        Unique within a suite.
    persona, goal
        Who the user is and what they want, in words for people and for simulated users.
    reveals
        In the order in which they are made.
    answers
        What the user says when asked about something, by topic ("furnished": "does not mind").
    checks
        At least one check or rubric item; a scenario that checks nothing is refused.
    rubric
        For the judge.
    fixtures
        The frozen world: tables by name, for tools and for the end state.
    tools
        Names of the tools served from the fixtures, with their settings.
    limits, runs, seed
        Where a conversation stops, how often it is run, and the seed of the user.
    items
        Where the items that the assistant shows are read from, beside those that it states.
    meta
        Strings for slicing.
    """

    id: str
    persona: str = ""
    goal: str = ""
    reveals: tuple[Reveal, ...]
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    checks: tuple[CheckSpec, ...] = ()
    rubric: tuple[RubricItem, ...] = ()
    fixtures: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tools: Mapping[str, Any] = field(default_factory=dict[str, Any])
    items: tuple[ItemSource, ...] = ()
    limits: Limits = field(default_factory=Limits)
    runs: int = 10
    seed: int = 0
    meta: Mapping[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        if not self.id.strip():
            raise InputError("the id is blank", field="id", expected="non-empty text")
        if not self.reveals:
            raise InputError("the user reveals nothing", field="reveals", expected="one or more")
        if not self.checks and not self.rubric:
            raise InputError(
                "this scenario checks nothing, so everything would pass",
                field="checks",
                expected="a check or a rubric item",
            )
        if self.runs < 1:
            raise InputError(f"it is {self.runs}", field="runs", expected="1 or more")
        for field_name, names in (
            ("reveals", [one.id for one in self.reveals]),
            ("checks", [one.name for one in self.checks]),
            ("rubric", [one.name for one in self.rubric]),
        ):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise InputError(
                    f"{twice!r} stands twice", field=field_name, expected="different names"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that a check found wrong.

    Attributes
    ----------
    check
        Its name.
    failure
        The failure type.
    turn
        From 1; None for what concerns the whole conversation.
    rule
        Name of the ledger's rule that was broken, where there is one.
    evidence
        What shows it: the item, the words or the call, shortened.
    message
        One sentence for a person.
    standing
        ``"broken"``: something is wrong; ``"unreadable"``: the check could not be evaluated there;
        ``"idle"``: it had nothing to look at in the whole conversation.  No run with any passes.
    """

    check: str
    failure: FailureType
    turn: int | None
    rule: str | None = None
    evidence: str = ""
    message: str
    standing: Literal["broken", "unreadable", "idle"] = "broken"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict:
    """What became of one run.

    Attributes
    ----------
    scenario, replicate
        Which run.
    verdict
        Never ``"pass"`` without a full transcript and without every check having been asked.
    findings
        In the order of the turns.
    reason
        One sentence: why it failed, is invalid, inconclusive or in error; empty for a pass.
    n_turns
        Exchanges of the transcript.
    """

    scenario: str
    replicate: int
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    n_turns: int

    @property
    def broken(self) -> tuple[Finding, ...]:
        """The findings of what is wrong, without those of checks that could not look."""
        return tuple(one for one in self.findings if one.standing == "broken")

    @property
    def first_failing_turn(self) -> int | None:
        """The earliest turn with a finding; None without one that has a turn."""
        return min((one.turn for one in self.broken if one.turn is not None), default=None)

    @property
    def failure(self) -> FailureType | None:
        """The type of the first finding; None without any."""
        first = self.first_failing_turn
        found = [one for one in self.broken if one.turn == first]
        return found[0].failure if found else None
