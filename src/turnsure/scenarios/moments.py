"""What a check may see at one turn: the rules as of then, and what was said and shown so far."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnsure.core.conversation import Exchange, Item, Transcript
from turnsure.scenarios.calls import Call, calls_of
from turnsure.scenarios.expressions import Values
from turnsure.scenarios.ledger import Ledger

VARIABLES: Mapping[str, str] = {
    "rules": "the rules in force at this turn, by name",
    "turn": "the number of the turn, from 1",
    "text": "what the assistant said at this turn",
    "user_text": "what the user said at this turn",
    "items": "the items that the assistant showed at this turn",
    "shown": "the items of all earlier turns",
    "calls": "the tool calls of this turn, each with name, arguments and result",
    "rejected": "ids of the items that the user has turned down",
    "said": "the assistant's texts of all turns so far",
    "ledger": "more on the rules: since, replaced, withdrawn, rejected",
}
"""What expressions can read at every turn."""

OF_SCOPE: Mapping[str, Mapping[str, str]] = {
    "item": {"item": "the item in question"},
    "tool_call": {"call": "the tool call in question: name, arguments, result"},
    "turn": {},
    "end": {"state": "the fixture database at the end"},
}
"""What they can read besides, by scope."""

MOST_EVIDENCE = 200
"""Characters of evidence that a finding keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One turn of a conversation, or its end, which is looked at after the last turn.

    Attributes
    ----------
    transcript
        The whole conversation; a check looks at no later turn than this one.
    exchange
        This turn; at the end, the last one.
    ledger
        The rules as of this turn.
    calls
        The tool calls of this turn.
    values
        What expressions read.
    confidence
        How sure the assistant was at this turn, in [0, 1]; None where nobody measured it.
    is_end
        Whether the conversation is over.
    """

    transcript: Transcript
    exchange: Exchange
    ledger: Ledger
    calls: tuple[Call, ...]
    values: Values
    confidence: float | None
    is_end: bool

    @property
    def turn(self) -> int:
        return self.exchange.turn

    @property
    def so_far(self) -> Sequence[Exchange]:
        """The exchanges up to this one."""
        return self.transcript.exchanges[: self.turn]


def moments(
    transcript: Transcript,
    kept: Sequence[Ledger],
    confidence: Mapping[int, float],
    *,
    with_end: bool,
) -> list[Moment]:
    """All turns in order, then the end where it is to be looked at.

    Parameters
    ----------
    transcript
        With one exchange or more.
    kept
        The ledgers, from :func:`turnsure.scenarios.ledger.ledgers`.
    confidence
        By turn, in [0, 1].
    with_end
        Whether the conversation came to its end, so that it can be judged as a whole.
    """
    made = [
        _moment(transcript, exchange, kept[exchange.turn], confidence.get(exchange.turn))
        for exchange in transcript.exchanges
    ]
    if with_end:
        made.append(
            _moment(transcript, transcript.exchanges[-1], kept[-1], None, is_end=True),
        )
    return made


def _moment(
    transcript: Transcript,
    exchange: Exchange,
    ledger: Ledger,
    confidence: float | None,
    *,
    is_end: bool = False,
) -> Moment:
    calls = calls_of(exchange.replies)
    before = transcript.exchanges[: exchange.turn - 1]
    values = {
        "rules": dict(ledger.rules),
        "turn": exchange.turn,
        "text": exchange.text,
        "user_text": exchange.user.content,
        "items": plain(exchange.items),
        "shown": plain(tuple(item for one in before for item in one.items)),
        "calls": [call.values for call in calls],
        "rejected": list(ledger.rejected),
        "said": [*(one.text for one in before), exchange.text],
        "ledger": ledger.values,
    }
    if is_end and transcript.state is not None:
        values["state"] = dict(transcript.state)
    return Moment(
        transcript=transcript,
        exchange=exchange,
        ledger=ledger,
        calls=calls,
        values=Values(values),
        confidence=confidence,
        is_end=is_end,
    )


def plain(items: Sequence[Item]) -> list[dict[str, Any]]:
    """Items as the language of expressions wants them."""
    return [dict(item) for item in items]


def shown_as(value: object) -> str:
    """A value as evidence: JSON on one line, shortened."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=repr)
    text = " ".join(text.split())
    return text if len(text) <= MOST_EVIDENCE else f"{text[: MOST_EVIDENCE - 1]}…"


def name_of(item: Item, key: str = "id") -> str:
    """What to call an item: its id, or what it says where it has none."""
    return str(item[key]) if key in item else shown_as(dict(item))
