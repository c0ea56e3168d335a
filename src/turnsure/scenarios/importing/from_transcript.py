"""A real conversation turned into a frozen scenario: the bug that it shows becomes a test.

What the user said becomes a script, and what the tools gave back is served again for the same
arguments.  What the assistant said stays outside of the card: it is the transcript that
:func:`~turnsure.scenarios.importing.reproducing.reproduces` replays against the card's checks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.scenario import Scenario
from turnsure.scenarios.calls import calls_of
from turnsure.scenarios.cards import scenarios_of
from turnsure.scenarios.importing.card_yaml import card_yaml
from turnsure.scenarios.importing.conversations import Conversation
from turnsure.scenarios.importing.redaction import Redactor
from turnsure.scenarios.items import extract_items

_DEFAULT_CHECKS: tuple[Mapping[str, Any], ...] = (
    {"name": "same-facts", "check": "contradiction"},
    {"name": "rejected", "check": "repetition"},
)
_TOOL_CHECK: Mapping[str, Any] = {"name": "tools", "check": "tool_use"}
_HEADING = (
    "Made from a real conversation. Say in `sets`, `changes` and `rejects` what each message asks\n"
    "for, and in `checks` what the assistant got wrong."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CardParts:
    """What the conversation itself cannot say, in the words of a card.

    Attributes
    ----------
    id
        Of the scenario; None for the conversation's.
    persona, goal
        For people and simulated users.
    sets
        Rules that the user's messages set, by turn.
    rejects
        Ids that they turn down, by turn.
    items
        Where shown items are read from.
    checks, success, rubric
        What is to hold; with none of them the card gets ready checks to start from.
    """

    id: str | None = None
    persona: str = ""
    goal: str = ""
    sets: Mapping[int, Mapping[str, Any]] = field(default_factory=dict[int, Mapping[str, Any]])
    rejects: Mapping[int, Sequence[str]] = field(default_factory=dict[int, Sequence[str]])
    items: Sequence[Mapping[str, Any]] = ()
    checks: Sequence[Mapping[str, Any]] = ()
    success: Sequence[str | Mapping[str, Any]] = ()
    rubric: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenScenario:
    """A conversation as a test.

    Attributes
    ----------
    card
        YAML.
    scenario
        What the card says, read back from it.
    transcript
        The conversation as a run of the scenario, redacted as the card is.
    n_redacted
        Different values that got a stand-in, by kind.
    left_out
        What is not in the card, a sentence each.
    """

    card: str
    scenario: Scenario
    transcript: Transcript
    n_redacted: Mapping[str, int]
    left_out: tuple[str, ...] = ()


def freeze(
    conversation: Conversation,
    parts: CardParts | None = None,
    *,
    redactor: Redactor | None = None,
    folder: str | Path = ".",
) -> FrozenScenario:
    """Make a scenario of a conversation.

    Parameters
    ----------
    conversation
        From :func:`~turnsure.scenarios.importing.conversations.read_conversations`.
    parts
        What it cannot say itself.
    redactor
        Takes personal data out; None for the built-in one.
    folder
        Where the card will lie.

    Raises
    ------
    InputError
        The parts do not fit the conversation or one another, or a redaction hook fails.
    """
    given = parts or CardParts()
    hide = redactor or Redactor()
    exchanges = tuple(_redacted(one, hide) for one in conversation.exchanges)
    for name, turns in (("sets", given.sets), ("rejects", given.rejects)):
        wrong = next((turn for turn in turns if not 1 <= turn <= len(exchanges)), None)
        if wrong is not None:
            raise InputError(
                f"there is no turn {wrong}", field=name, expected=f"1 to {len(exchanges)}"
            )
    tools, left_out = _tools(conversation, exchanges, hide)
    body = _card(conversation.id, given, exchanges, tools)
    text = card_yaml(body, heading=_HEADING)
    [scenario] = scenarios_of(text, file=Path(folder) / f"{body['id']}.yaml")
    return FrozenScenario(
        card=text,
        scenario=scenario,
        transcript=Transcript(
            scenario=scenario.id,
            replicate=0,
            exchanges=tuple(
                replace(
                    one,
                    reveals=(_reveal(one.turn),),
                    items=extract_items(scenario.items, one.replies),
                )
                for one in exchanges
            ),
            ending="script_end",
        ),
        n_redacted=hide.n_replaced,
        left_out=(*conversation.left_out, *left_out),
    )


def _reveal(turn: int) -> str:
    return f"turn-{turn}"


def _card(
    name: str, parts: CardParts, exchanges: Sequence[Exchange], tools: Mapping[str, Any]
) -> dict[str, Any]:
    """The card's fields, without those that say nothing."""
    reveals = [
        _filled(
            id=_reveal(one.turn),
            turn=one.turn,
            say=one.user.content,
            sets=dict(parts.sets.get(one.turn, {})),
            rejects=list(parts.rejects.get(one.turn, ())),
        )
        for one in exchanges
    ]
    checks: list[Mapping[str, Any]] = list(parts.checks)
    if not (parts.checks or parts.success or parts.rubric):
        checks = [*_DEFAULT_CHECKS, *([_TOOL_CHECK] if tools else [])]
    return _filled(
        id=parts.id or name,
        persona=parts.persona,
        goal=parts.goal,
        reveals=reveals,
        items=[dict(one) for one in parts.items],
        checks=[dict(one) for one in checks],
        success=list(parts.success),
        rubric=[dict(one) for one in parts.rubric],
        tools=dict(tools),
        limits={"turns": len(exchanges)},
    )


def _filled(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in ("", [], {})}


def _redacted(exchange: Exchange, hide: Redactor) -> Exchange:
    return replace(
        exchange,
        user=replace(exchange.user, content=hide.text(exchange.user.content)),
        replies=tuple(_message(one, hide) for one in exchange.replies),
    )


def _message(message: Message, hide: Redactor) -> Message:
    return replace(
        message,
        content=_text(message.content, hide)
        if message.role == "tool"
        else hide.text(message.content),
        tool_calls=tuple(
            replace(call, arguments=_text(call.arguments, hide)) for call in message.tool_calls
        ),
    )


def _text(text: str, hide: Redactor) -> str:
    """JSON redacted value by value, so that it stays JSON; other text as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return hide.text(text)
    redacted = hide.value(value)
    return text if redacted == value else json.dumps(redacted, ensure_ascii=False)


def _tools(
    conversation: Conversation, exchanges: Sequence[Exchange], hide: Redactor
) -> tuple[dict[str, Any], list[str]]:
    """Each tool with what it gave for which arguments, and the calls that cannot be kept."""
    tools: dict[str, dict[str, Any]] = {
        name: {**hide.value(described), "results": []}
        for name, described in conversation.tools.items()
    }
    left_out: list[str] = []
    for exchange in exchanges:
        for call in calls_of(exchange.replies):
            tool = tools.setdefault(call.name, {"results": []})
            if call.arguments is None or call.result is None:
                what = "readable arguments" if call.arguments is None else "result"
                left_out.append(f"a call of {call.name} at turn {exchange.turn} without {what}")
                continue
            tool["results"].append({"arguments": call.arguments, "result": call.result})
    return tools, left_out
