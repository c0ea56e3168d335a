"""A card as a person writes it: what pydantic checks before a Scenario is made.

The descriptions are those that an editor shows; the published schema is made of these models.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from turnsure.core.item_source import SourceKind
from turnsure.core.scenario import FailureType, Scope

FORMAT = 1

Text = Annotated[str, Field(min_length=1, pattern=r"\S")]
Name = Annotated[str, Field(min_length=1, pattern=r"^\S(.*\S)?$")]
RULE_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"
RuleName = Annotated[str, Field(pattern=RULE_NAME)]
Json = Any


class Card(BaseModel):
    """Unknown fields are refused, and nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, populate_by_name=False)


class ChangeCard(Card):
    """A twist: the value that a rule has, and the one that takes its place."""

    before: Json = Field(alias="from", description="The value in force, which this checks.")
    after: Json = Field(alias="to", description="The value from this turn on.")


class RevealCard(Card):
    """Something that the user makes known at one turn."""

    say: Text = Field(
        description="The user's words in a script; the fact to be worded by a simulated user."
    )
    id: Name | None = Field(default=None, description="A name; `reveal-1` and so on without it.")
    turn: int | None = Field(
        default=None,
        ge=1,
        description="When it is made; without it, the first turn that no reveal names.",
    )
    facts: list[Text] = Field(
        default_factory=list[str],
        description="Texts that a simulated user's wording has to hold.",
    )
    sets: dict[RuleName, Json] = Field(
        default_factory=dict[str, Json], description="Rules that hold from now on."
    )
    changes: dict[RuleName, ChangeCard] = Field(
        default_factory=dict[str, ChangeCard],
        description="Rules that get another value: the old one must not come back.",
    )
    withdraws: list[RuleName] = Field(
        default_factory=list[str], description="Rules that hold no longer."
    )
    rejects: list[Name] = Field(
        default_factory=list[str], description="Ids of items that the user turns down."
    )


def _check_kind(value: object) -> object:
    return {value: {}} if isinstance(value, str) else value


class CheckCard(Card):
    """What is looked at after every turn."""

    name: Name = Field(description="A name that is unique within the scenario.")
    expression: Text | None = Field(
        default=None, description="CEL, true where all is well: item.rent <= rules.max_rent"
    )
    check: Annotated[dict[str, Json] | None, BeforeValidator(_check_kind)] = Field(
        default=None,
        description=(
            "A ready check by its name, or {name: {its options}}, or {python: 'module:function'}. "
            "Without it an expression that reads rules is a forgotten_constraint."
        ),
    )
    scope: Scope | None = Field(
        default=None, description="What an expression is asked about; item without it."
    )
    failure: FailureType | None = Field(
        default=None, description="What a finding is called, where the usual type does not fit."
    )
    rules: list[RuleName] = Field(
        default_factory=list[str],
        description="More rules without which the check has nothing to say.",
    )
    say: Text | None = Field(
        default=None, description="Words of a finding: '{item.id} is over budget'."
    )
    optional: bool = Field(
        default=False,
        description="True where it may find nothing to look at in a whole conversation.",
    )
    unreadable: Literal["error", "finding"] = Field(
        default="error",
        description="What it is where the check cannot be evaluated, as a field is missing.",
    )


def _goal(value: object) -> object:
    return {"expression": value} if isinstance(value, str) else value


class GoalCard(Card):
    """What the user must have got at the end: a check of the kind lost_goal."""

    expression: Text = Field(description="CEL over the last turns: size(items) >= 2")
    name: Name | None = Field(default=None, description="A name; `success-1` without it.")
    last: int = Field(default=1, ge=1, description="How many turns count as the end.")
    say: Text | None = Field(default=None, description="Words of a finding.")


class RubricCard(Card):
    """A quality that code cannot tell, for the judge."""

    name: Name = Field(description="A name that is unique within the scenario.")
    ask: Text = Field(description="A question, answered by yes where all is well.")


class LimitsCard(Card):
    """Where a conversation is stopped."""

    turns: int = Field(default=20, ge=1, le=1000, description="Cap on the user's turns.")
    seconds: float = Field(
        default=60.0, gt=0, le=86_400, description="For one reply of the assistant, a day at most."
    )
    tool_calls: int = Field(default=20, ge=1, description="Cap on tool calls within one turn.")


class ItemsCard(Card):
    """Where the items that the assistant shows are read from."""

    source: SourceKind = Field(
        alias="from",
        description=(
            "JSON in the reply, the results or the arguments of a tool, or a Python function."
        ),
    )
    tool: Name | None = Field(default=None, description="Name of the tool; any without it.")
    path: Name | None = Field(
        default=None, description="Where the list stands in the JSON value: data.flats"
    )
    function: Name | None = Field(
        default=None, description="`module:function`, given the turn's messages; returns the items."
    )


class SharedCard(Card):
    """What a suite may say for all of its scenarios."""

    persona: str = Field(default="", description="Who the user is.")
    goal: str = Field(default="", description="What the user wants.")
    answers: dict[Name, Text] = Field(
        default_factory=dict[str, str],
        description="What the user says when asked about something, by topic.",
    )
    items: list[ItemsCard] = Field(
        default_factory=list[ItemsCard],
        description="Where items are read from, beside those that the assistant states itself.",
    )
    checks: list[CheckCard] = Field(
        default_factory=list[CheckCard], description="What is looked at after every turn."
    )
    success: list[
        Annotated[GoalCard, BeforeValidator(_goal, json_schema_input_type=str | GoalCard)]
    ] = Field(default_factory=list[GoalCard], description="What the user must have got at the end.")
    rubric: list[RubricCard] = Field(
        default_factory=list[RubricCard], description="Questions for the judge."
    )
    fixtures: dict[Name, Json] = Field(
        default_factory=dict[str, Json],
        description="Tables of the frozen world, inline or {file: name.json or name.csv}.",
    )
    tools: dict[Name, Json] = Field(
        default_factory=dict[str, Json], description="Tools that are served from the fixtures."
    )
    limits: LimitsCard = Field(
        default_factory=LimitsCard, description="Caps on turns, time and tool calls."
    )
    runs: int = Field(default=10, ge=1, description="How often the scenario is run.")
    seed: int = Field(default=0, ge=0, description="Seed of the user.")
    meta: dict[Name, str] = Field(default_factory=dict[str, str], description="Texts for slicing.")


class ScenarioCard(SharedCard):
    """One test conversation: who the user is, what they reveal and when, and what must hold."""

    id: Name = Field(description="Unique within the suite.")
    reveals: list[RevealCard] = Field(
        min_length=1, description="What the user makes known, in order, one a turn."
    )
    format: Literal[1] = Field(default=FORMAT, description="Of the card.")


class SuiteCard(Card):
    """Several scenarios, and what they share."""

    scenarios: list[ScenarioCard] = Field(min_length=1, description="The scenarios.")
    defaults: SharedCard = Field(
        default_factory=SharedCard,
        description=(
            "What every scenario has that does not say otherwise; checks, success rules and rubric "
            "items are added to its own."
        ),
    )
    format: Literal[1] = Field(default=FORMAT, description="Of the card.")


_NESTED: dict[str, type[Card]] = {
    "scenarios": ScenarioCard,
    "defaults": SharedCard,
    "reveals": RevealCard,
    "changes": ChangeCard,
    "checks": CheckCard,
    "success": GoalCard,
    "rubric": RubricCard,
    "limits": LimitsCard,
    "items": ItemsCard,
}


def known_fields(root: type[Card], path: tuple[str | int, ...]) -> list[str]:
    """Names that may stand where the last name of a path stands."""
    model = root
    for part in path[:-1]:
        if isinstance(part, str) and part in _NESTED:
            model = _NESTED[part]
    return [cast("str", one.alias) or name for name, one in model.model_fields.items()]
