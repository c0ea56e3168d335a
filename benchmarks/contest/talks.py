"""Customers' conversations as dialogues, for turns of the length that products have."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError

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
        It cannot be read as such a file.
    """
    found: dict[int, Dialogue] = {}
    try:
        for run in json.loads(path.read_bytes()):
            hints = tuple(_hints(run["traj"]))[:turns]
            actions = run["info"]["task"]["actions"]
            if len(hints) == turns and actions:
                task = int(run["task_id"])
                gold = str(actions[0]["name"]).replace("_", " ")
                found.setdefault(
                    task, Dialogue(id=f"talk-{task}", task=_TASK, hints=hints, gold=(gold,))
                )
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise InputError(
            f"it cannot be read: {error}", file=path, expected="runs of tau-bench, as JSON"
        ) from error
    return list(found.values())


def _hints(messages: list[dict[str, Any]]) -> Iterator[Hint]:
    asked = None
    for message in messages:
        if message["role"] == "assistant" and message.get("content"):
            asked = message["content"]
        elif message["role"] == "user" and asked is not None:
            yield Hint(question=asked, answer=message["content"])
            asked = None
