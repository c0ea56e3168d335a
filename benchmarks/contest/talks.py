"""Customers' conversations as dialogues, for turns of the length that products have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from turnsure.core.dialogue import Dialogue, Hint, Message
from turnsure.core.errors import InputError
from turnsure.dialogues.readers.files import json_records
from turnsure.scenarios.importing.conversations import messages_of

_TASK = "Work out what the customer wants to be done in the end, and name it in a few words."


def read_talks(path: Path, turns: int) -> list[Dialogue]:
    """Conversations of a tau-bench results file that are long enough, one of each task.

    What the agent said last and what the customer replied are a hint; the first action that the
    task wants is the accepted answer.

    Parameters
    ----------
    path
        A JSON list of runs with ``task_id``, ``info.task.actions`` and ``traj``.
    turns
        Replies of the customer at least; later ones are left out.

    Raises
    ------
    InputError
        It cannot be read as such a file; names file, place and field.
    """
    found: dict[int, Dialogue] = {}
    for run in json_records(path):
        if isinstance(run, InputError):
            raise run
        hints = tuple(_hints(messages_of(run.records("traj"))))[:turns]
        actions = run.record("info").record("task").records("actions")
        if len(hints) == turns and actions:
            task = run.whole_number("task_id")
            gold = actions[0].text("name").replace("_", " ")
            found.setdefault(
                task, Dialogue(id=f"talk-{task}", task=_TASK, hints=hints, gold=(gold,))
            )
    return list(found.values())


def _hints(messages: Iterable[Message]) -> Iterator[Hint]:
    asked = ""
    for message in messages:
        if message.role == "assistant" and message.content:
            asked = message.content
        elif message.role == "user" and asked:
            yield Hint(question=asked, answer=message.content)
            asked = ""
