"""A dialogue's prefix as chat messages: one text, or a real exchange.

The messages end with a user message, to which a method appends its question.  The rendering of a
turn begins with that of the turn before, up to the closing line, so a model that keeps its prompt
evaluates only what is new.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from turnsure.core.dialogue import Hint, Message, MessageRole, Prefix
from turnsure.core.errors import InputError

Style = Literal["transcript", "chat"]

_SLOT = re.compile(r"\{(question|answer)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryWording:
    """The words around the hints.

    Attributes
    ----------
    intro
        Between the task and the first hint.
    clue
        Line of a plain clue; ``{answer}`` is the clue.
    pair
        Line of a question and its answer, ``{question}`` and ``{answer}``.
    closing
        After the last hint, where the dialogue itself says nothing there.
    """

    intro: str = "Here is what is known so far:"
    clue: str = "- {answer}"
    pair: str = "- {question} {answer}"
    closing: str = "Now give your answer."

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> HistoryWording:
        """The default words with some of them replaced.

        Raises
        ------
        InputError
            A name is unknown, or a line lacks the slot for its hint.
        """
        known = [one.name for one in fields(cls)]
        for name in texts:
            if name not in known:
                raise InputError(
                    "unknown wording", field=f"history.{name}", expected=", ".join(known)
                )
        wording = cls(**texts)
        for name, slots in (("clue", ["{answer}"]), ("pair", ["{question}", "{answer}"])):
            for slot in slots:
                if slot not in getattr(wording, name):
                    raise InputError(
                        f"the text has no {slot}", field=f"history.{name}", expected=slot
                    )
        return wording

    @property
    def definition(self) -> Mapping[str, str]:
        """The wording's part of a protocol."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


def render(prefix: Prefix, *, style: Style, wording: HistoryWording) -> tuple[Message, ...]:
    """Messages that say what is known at a turn.

    Parameters
    ----------
    prefix
        Task and hints so far.
    style
        ``"transcript"``: everything in one user message, a line a hint.  ``"chat"``: questions
        are assistant messages and answers user messages; messages of one role in a row are joined,
        since chat templates want the roles to alternate.
    wording
        The words around the hints.
    """
    head = _joined([prefix.task, wording.intro], "\n\n")
    closing = wording.closing if prefix.closing is None else prefix.closing
    if style == "transcript":
        lines = "\n".join(_line(hint, wording) for hint in prefix.hints)
        return (Message(role="user", content=_joined([head, lines, closing], "\n\n")),)
    said: list[tuple[MessageRole, str]] = [("user", head)]
    for hint in prefix.hints:
        if hint.question is not None:
            said.append(("assistant", _one_line(hint.question)))
        said.append(("user", _one_line(hint.answer)))
    said.append(("user", closing))
    return _alternating(said)


def _line(hint: Hint, wording: HistoryWording) -> str:
    said = {"answer": _one_line(hint.answer)}
    if hint.question is not None:
        said["question"] = _one_line(hint.question)
    line = wording.clue if hint.question is None else wording.pair
    # One pass, so that a slot written inside a hint stays as it is.
    return _SLOT.sub(lambda slot: said.get(slot[1], slot[0]), line)


def _one_line(text: str) -> str:
    """A hint on one line, so that it cannot pass for the next speaker's line."""
    return " ".join(text.split())


def _alternating(said: Sequence[tuple[MessageRole, str]]) -> tuple[Message, ...]:
    messages: list[Message] = []
    for role, text in said:
        if messages and messages[-1].role == role:
            messages[-1] = Message(role=role, content=_joined([messages[-1].content, text], "\n\n"))
        else:
            messages.append(Message(role=role, content=text))
    return tuple(messages)


def _joined(parts: Sequence[str], between: str) -> str:
    return between.join(part for part in parts if part)
