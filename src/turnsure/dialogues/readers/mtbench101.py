"""MT-Bench-101: conversations that test one ability each; episodic, not progressive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.readers.conversation import REFERENCE, TASK, user_turns
from turnsure.dialogues.readers.convert import Dropped, Kept, dialogues_of
from turnsure.dialogues.readers.files import json_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record


def read_mtbench101(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Conversations of MT-Bench-101: a turn is what the user says.

    Its turns pose tasks of their own, so confidence need not rise, and there are no accepted
    answers: gold is the last reply.  ``meta`` says both (``progressive`` is ``"no"``).  Use it for
    formats and placebo turns.

    Parameters
    ----------
    path
        A conversation a line, with ``task``, ``id`` and ``history``: pairs of ``user`` and ``bot``.
    task
        The task, None for the usual one.
    log
        Counts what became of each conversation.

    Raises
    ------
    InputError
        The file cannot be read or holds no such conversation.
    """
    return dialogues_of(
        json_records(Path(path)), lambda one: _conversation(one, task), file=path, log=log
    )


def _conversation(record: Record, task: str | None) -> Kept | Dropped:
    ability = record.label("task")
    said: list[tuple[str, str]] = []
    for turn in record.records("history"):
        said += [("user", turn.text("user")), ("assistant", turn.text("bot"))]
    if not said:
        return Dropped(reason="an empty conversation")
    dialogue = Dialogue(
        id=f"mtbench101-{ability}-{record.label('id')}",
        task=task or TASK,
        hints=user_turns(said),
        gold=(said[-1][1],),
        meta={"ability": ability, "gold": REFERENCE, "progressive": "no"},
    )
    return Kept(dialogue=dialogue)
