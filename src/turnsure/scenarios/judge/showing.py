"""A transcript as the judge is shown it, so that no speaker can pass for another or for us.

Only our own lines begin at the margin; whatever was said is indented, line by line.  The mark
around it is made from the transcript's digest, so nobody who speaks in it can have known it.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.digest import digest
from turnsure.models.control_tokens import without_control_tokens

_MARK_LENGTH = 16
_INDENT = "    "
_LEAST_CHARACTERS = 3
"""Letters and digits of a quote: fewer stand in any text."""

_QUOTED = "\"'“”„‘’«»`"
_STRAIGHT = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "«": '"', "»": '"'})


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What one speaker said at one turn.

    Attributes
    ----------
    turn
        From 1.
    speaker
        As a line names it.
    text
        Without control tokens.
    """

    turn: int
    speaker: str
    text: str


def passages(transcript: Transcript) -> tuple[Passage, ...]:
    """Everything that was said, called and given back, in order."""
    return tuple(
        Passage(turn=exchange.turn, speaker=speaker, text=without_control_tokens(text))
        for exchange in transcript.exchanges
        for speaker, text in _said(exchange)
        if text.strip()
    )


def _said(exchange: Exchange) -> Iterator[tuple[str, str]]:
    yield "user", exchange.user.content
    for message in exchange.replies:
        if message.role == "tool":
            yield "result of a tool", message.content
            continue
        yield message.role, message.content
        for call in message.tool_calls:
            yield "assistant calls a tool", f"{call.name} {call.arguments}"
    if exchange.items and not exchange.text.strip():
        yield "assistant shows", json.dumps(exchange.items, ensure_ascii=False, default=repr)


def one_sided(transcript: Transcript) -> str | None:
    """Why there is nothing to judge; None where user and assistant both speak."""
    if not transcript.exchanges:
        return "the transcript is empty"
    if not any(one.user.content.strip() for one in transcript.exchanges):
        return "the user says nothing in the whole transcript"
    if not any(one.text.strip() or one.items for one in transcript.exchanges):
        return "the assistant says nothing in the whole transcript"
    return None


def shown(said: Sequence[Passage]) -> str:
    """Passages as lines: ``[2] user``, and below it the words, indented."""
    return "\n".join(
        line
        for one in said
        for line in (
            f"[{one.turn}] {one.speaker}",
            *(f"{_INDENT}{line}" for line in one.text.splitlines()),
        )
    )


def mark_around(*texts: str) -> str:
    """A line that stands in none of the texts; the same for the same texts."""
    salt = 0
    while True:
        mark = f"=== {digest([salt, *texts])[:_MARK_LENGTH]} ==="
        if not any(mark in text for text in texts):
            return mark
        salt += 1


def find_quote(quote: str, said: Sequence[Passage]) -> Passage | None:
    """The first passage that holds a quote; None where none does, or it is too short to tell.

    Letter case, white space, typographic quotes, and quotation marks or dots around the quote do
    not matter.  A quote does not run over two speakers.
    """
    wanted = _normal(without_control_tokens(quote)).strip(_QUOTED + " .…")
    if sum(letter.isalnum() for letter in wanted) < _LEAST_CHARACTERS:
        return None
    return next((one for one in said if wanted in _normal(one.text)), None)


def _normal(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).translate(_STRAIGHT)
    return " ".join(plain.casefold().split())
