"""QANTA and TrickMe: quizbowl questions in JSON, with ``tokenizations`` as clue boundaries."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.readers.answer_line import AnswerLine, parse_answer_line
from turnsure.dialogues.readers.clues import tossup
from turnsure.dialogues.readers.convert import Dropped, Kept, dialogues_of
from turnsure.dialogues.readers.files import json_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record, shown

_META = ("dataset", "fold", "category", "subcategory", "tournament", "difficulty", "year")


def read_qanta(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Questions of a QANTA or TrickMe file; a clue is a span of ``tokenizations``.

    Gold are the answers of the answer line (``raw_answer`` where there is one, else ``answer``),
    then the title of the Wikipedia page.

    Parameters
    ----------
    path
        A document with the list ``questions``, a list, or an object a line.
    task
        The task, None for the usual one.
    log
        Counts what became of each question.

    Raises
    ------
    InputError
        The file cannot be read or holds no such question.
    """
    records = json_records(Path(path), within="questions")
    return dialogues_of(records, lambda record: _question(record, task), file=path, log=log)


def _question(record: Record, task: str | None) -> Kept | Dropped:
    # An export that cuts questions keeps the whole one, to which the spans belong, by this name.
    text = record.text_or_none("full_question") or record.text("text")
    return tossup(
        name=f"qanta-{record.label('qid', 'qanta_id', 'id')}",
        task=task,
        clues=_clues(record, text),
        answer=_answer(record),
        page=_page(record),
        meta=record.labels(*_META),
    )


def _answer(record: Record) -> AnswerLine:
    # Wikipedia titles are full of brackets that are no clauses, so a page alone is not parsed.
    line, page = record.text_or_none("raw_answer", "answer"), _page(record)
    if line is None and page is not None:
        return AnswerLine(gold=(page,))
    return parse_answer_line(line or record.text("answer"))


def _page(record: Record) -> str | None:
    page = record.text_or_none("page")
    return None if page is None else " ".join(page.replace("_", " ").split())


def _clues(record: Record, text: str) -> list[str]:
    """The text cut at the ends of the spans, so that no word between or after them is lost."""
    spans = record.items("tokenizations")
    cuts = [0]
    for place, span in enumerate(spans):
        pair = cast("list[Any]", span) if isinstance(span, list) else []
        if not _is_span(pair, least=cuts[-1], most=len(text)):
            raise record.error(
                f"{shown(span)} does not fit",
                field=f"tokenizations[{place}]",
                expected=f"[begin, end] with {cuts[-1]} ≤ begin < end ≤ {len(text)}, the end of "
                "the span before it and the length of the text",
            )
        cuts.append(pair[1])
    if not spans:
        raise record.error("the list is empty", field="tokenizations", expected="one span or more")
    cuts[-1] = len(text)
    return [text[begin:end] for begin, end in itertools.pairwise(cuts)]


def _is_span(pair: list[Any], *, least: int, most: int) -> bool:
    if len(pair) != 2 or type(pair[0]) is not int or type(pair[1]) is not int:  # bool is no place
        return False
    return least <= pair[0] < pair[1] <= most
