"""What formats of whole conversations share: turns of a user, and the last reply as reference."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.dialogue import Hint

TASK = "Below is a conversation. Reply to what the user says last."
REFERENCE = "the last reply, a reference and not the only right answer"
"""What ``meta["gold"]`` says where no accepted answer is given."""


def user_turns(said: Sequence[tuple[str, str]]) -> tuple[Hint, ...]:
    """A hint for each message of the user, with what the assistant said before it as its question.

    Parameters
    ----------
    said
        Pairs of ``"user"`` or ``"assistant"`` and a text; texts of the assistant in a row are
        joined, and those after the last message of the user belong to no hint.
    """
    hints: list[Hint] = []
    before: list[str] = []
    for role, text in said:
        if role == "assistant":
            before.append(text)
        else:
            hints.append(Hint(question="\n".join(before) or None, answer=text))
            before = []
    return tuple(hints)
