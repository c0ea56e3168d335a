"""GRACE: the tossups of the QANTA 2024 competition, in the CSV table of its authors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.readers.answer_line import parse_answer_line
from turnsure.dialogues.readers.clues import sentences, tossup
from turnsure.dialogues.readers.convert import Dropped, Kept, dialogues_of
from turnsure.dialogues.readers.files import csv_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record

CLUE_MARK = "|||"
"""Between the clues of a question, in tables that mark them."""


def read_grace(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Tossups of a GRACE table.

    A question with the mark ``|||`` is cut there; any other is cut into sentences, and
    ``meta["boundaries"]`` says which.

    Parameters
    ----------
    path
        A CSV table with the columns ``tossup_index``, ``question`` and ``answer``.
    task
        The task, None for the usual one.
    log
        Counts what became of each tossup.

    Raises
    ------
    InputError
        The file cannot be read or holds no such tossup.
    """
    records = csv_records(Path(path), needed=("tossup_index", "question", "answer"))
    return dialogues_of(records, lambda record: _tossup(record, task), file=path, log=log)


def _tossup(record: Record, task: str | None) -> Kept | Dropped:
    text = record.text("question")
    marked = CLUE_MARK in text
    return tossup(
        name=f"grace-{record.label('tossup_index')}",
        task=task,
        clues=text.split(CLUE_MARK) if marked else sentences(text),
        answer=parse_answer_line(record.text("answer")),
        meta={**record.labels("category"), "boundaries": "clues" if marked else "sentences"},
    )
