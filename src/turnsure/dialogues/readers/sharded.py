"""Sharded instructions: a task told in pieces, one a turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.readers.convert import Dropped, Kept, dialogues_of
from turnsure.dialogues.readers.files import json_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record

TASK = (
    "Work out the answer to the problem that is told below piece by piece. If something is still "
    "missing, give your best guess. Answer with a number only."
)
FINAL = "####"
"""Stands before the final answer of a worked solution."""


def read_sharded(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Sharded instructions of the kind ``math``; a shard is a hint, in the order of ``shard_id``.

    Other kinds (code, database, summary …) have no short answer to grade and are dropped, counted
    by kind.

    Parameters
    ----------
    path
        A list in JSON, or an object a line.
    task
        The task, None for the usual one.
    log
        Counts what became of each instruction.

    Raises
    ------
    InputError
        The file cannot be read or holds no such instruction.
    """
    return dialogues_of(
        json_records(Path(path)), lambda one: _instruction(one, task), file=path, log=log
    )


def _instruction(record: Record, task: str | None) -> Kept | Dropped:
    kind = record.label("task")
    if kind != "math":
        return Dropped(reason=f"no short answer in tasks of the kind {kind!r}")
    shards = sorted(record.records("shards"), key=lambda one: one.whole_number("shard_id"))
    numbers = [one.whole_number("shard_id") for one in shards]
    if len(set(numbers)) < len(numbers):
        raise record.error(
            "two shards have one shard_id", field="shards", expected="different numbers"
        )
    texts = [one.text_or_none("shard", "shard_text") for one in shards]
    hints = tuple(Hint(answer=" ".join(text.split())) for text in texts if text is not None)
    if not hints:
        return Dropped(reason="no shard says anything")
    answer = record.label("answer").rpartition(FINAL)[2].strip()
    if not answer or "\n" in answer:
        return Dropped(reason=f"no final answer after {FINAL}")
    full = record.text_or_none("question")
    dialogue = Dialogue(
        id=record.label("task_id"),
        task=task or TASK,
        hints=hints,
        gold=(answer,),
        meta={
            "kind": kind,
            **({} if full is None else {"full": " ".join(full.split())}),
            "progressive": "yes",
        },
    )
    return Kept(dialogue=dialogue, left_out=("blank shard",) * (len(texts) - len(hints)))
