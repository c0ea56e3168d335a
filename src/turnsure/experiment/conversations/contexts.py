"""A turn of a finished conversation as what an estimator asks about.

The task, what was said until the user's message of the turn, and the reply as the answer that is
proposed.  The messages become hints as in :mod:`turnsure.experiment.gating.conversation`: every
message of the user is one, and what the assistant said before it is its question.  Unlike there,
tool calls and their results are put into words, since here they are known to have been seen: those
of earlier turns with what the assistant said, those of the turn itself after the last message.
"""

from __future__ import annotations

from collections.abc import Iterator

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.dialogue import Prefix
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.readers.conversation import TASK, user_turns

LOOKED_UP = "Before replying, the assistant looked up:"
CLOSING = "Now reply."


def prefix_at(transcript: Transcript, turn: int) -> Prefix:
    """What was known when the assistant replied at a turn.

    Parameters
    ----------
    transcript
        Nothing of it after the turn, and not the reply itself, gets into the prefix.
    turn
        1 to the number of exchanges.

    Raises
    ------
    InputError
        There is no such turn.
    """
    n_turns = len(transcript.exchanges)
    if not 1 <= turn <= n_turns:
        raise InputError(f"it is {turn}", field="turn", expected=f"1 to {n_turns}")
    said: list[tuple[str, str]] = []
    for exchange in transcript.exchanges[: turn - 1]:
        said.append(("user", exchange.user.content))
        said += [
            ("assistant", text) for text in (*_looked_up(exchange), exchange.text) if text.strip()
        ]
    now = transcript.exchanges[turn - 1]
    said.append(("user", now.user.content))
    looked_up = tuple(_looked_up(now))
    closing = "\n".join((LOOKED_UP, *looked_up, "", CLOSING)) if looked_up else CLOSING
    return Prefix(
        dialogue=run_name(transcript),
        task=TASK,
        hints=user_turns(said),
        turn=turn,
        closing=closing,
    )


def reply_at(transcript: Transcript, turn: int) -> str | Failure:
    """What the assistant replied, or why nobody can be asked about it."""
    text = transcript.exchanges[turn - 1].text
    if not text.strip():
        return _unasked("no_reply", "the assistant said nothing at this turn")
    if not all(one.user.content.strip() for one in transcript.exchanges[:turn]):
        return _unasked("no_message", "the user said nothing at this turn or before")
    return text


def run_name(transcript: Transcript) -> str:
    """The name of a run among others."""
    return f"{transcript.scenario}/{transcript.replicate}"


def _unasked(kind: str, message: str) -> Failure:
    return Failure(stage="answer", kind=kind, message=message)


def _looked_up(exchange: Exchange) -> Iterator[str]:
    """Tool calls and results of a turn, a line each."""
    for message in exchange.replies:
        for call in message.tool_calls:
            yield f"[calls {call.name}({call.arguments})]"
        if message.role == "tool":
            yield f"[result: {message.content}]"
