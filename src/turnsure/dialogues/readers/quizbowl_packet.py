"""Quizbowl exhibition files: a row a sentence in CSV, or whole questions in JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError
from turnsure.dialogues.readers.answer_line import parse_answer_line
from turnsure.dialogues.readers.clues import sentences, tossup
from turnsure.dialogues.readers.convert import Dropped, Kept, dialogues_of, dialogues_of_groups
from turnsure.dialogues.readers.files import csv_records, json_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record


def read_quizbowl_packet(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Questions of an exhibition file; ids begin with the file's name, since they count from 1.

    In CSV the rows of one ``id`` are the clues of one question, in the order of ``sent`` (of the
    file, without that column).  A question in a single row without ``sent``, or in JSON, is cut
    into sentences.

    Parameters
    ----------
    path
        CSV with the columns ``id``, ``answer``, ``text`` and perhaps ``sent``; or, by the ending
        ``.json``, a document with the list ``questions`` of ``qid``, ``answer`` and ``question``.
    task
        The task, None for the usual one.
    log
        Counts what became of each question.

    Raises
    ------
    InputError
        The file cannot be read, holds no such question, or has a broken row.
    """
    file = Path(path)
    if file.suffix.lower() == ".json":
        records = json_records(file, within="questions")
        return dialogues_of(records, lambda record: _whole(record, task), file=path, log=log)
    rows = csv_records(file, needed=("id", "answer", "text"))
    return dialogues_of_groups(
        _by_question(rows), lambda group: _in_rows(group, task), file=path, log=log
    )


def _by_question(rows: Iterable[Record | InputError]) -> Iterator[Sequence[Record]]:
    """Rows by question.

    Raises
    ------
    InputError
        A row is broken or has no id: some question has lost a clue, and none can say which.
    """
    questions: dict[str, list[Record]] = {}
    for row in rows:
        if isinstance(row, InputError):
            raise row
        questions.setdefault(row.label("id"), []).append(row)
    yield from questions.values()


def _in_rows(rows: Sequence[Record], task: str | None) -> Kept | Dropped:
    first = rows[0]
    line = first.text("answer")
    for row in rows:
        if row.text("answer") != line:
            raise row.error(
                f"{row.text('answer')!r} is not the answer of line {first.line}",
                field="answer",
                expected=f"one answer for question {first.label('id')}",
            )
    texts = [str(row.body["text"]) for row in _in_order(rows)]
    if len(texts) == 1 and "sent" not in first.body:
        texts = sentences(texts[0])
    return tossup(
        name=_name(first, first.label("id")),
        task=task,
        clues=texts,
        answer=parse_answer_line(line),
        meta={"packet": first.file.stem},
    )


def _in_order(rows: Sequence[Record]) -> Sequence[Record]:
    if "sent" not in rows[0].body:
        return rows
    numbered: dict[int, Record] = {}
    for row in rows:
        number = row.whole_number("sent")
        if number in numbered:
            raise row.error(
                f"sentence {number} stands in line {numbered[number].line} already",
                field="sent",
                expected="each sentence of a question once",
            )
        numbered[number] = row
    return [row for _, row in sorted(numbered.items())]


def _whole(record: Record, task: str | None) -> Kept | Dropped:
    return tossup(
        name=_name(record, record.label("qid", "id")),
        task=task,
        clues=sentences(record.text("question", "text")),
        answer=parse_answer_line(record.text("answer")),
        meta={"packet": record.file.stem, **record.labels("fold")},
    )


def _name(record: Record, number: str) -> str:
    return f"{record.file.stem}-{number}"
