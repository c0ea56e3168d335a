"""Twenty questions: logs of games, and the crowd-sourced questions of AllenAI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.readers.convert import Dropped, Kept, dialogues_of, dialogues_of_groups
from turnsure.dialogues.readers.files import Source, json_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record

TASK = (
    "Work out which {kind} is meant from the answers to yes-or-no questions, and name it. If you "
    "are not sure, give your best guess. Keep the answer short."
)


def read_games(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Logged games: a turn is a round, in the order of the rounds.

    A round that was judged to name the secret (``finalSecretCorrect``) is left out, since it gives
    the answer away.

    Parameters
    ----------
    path
        A game in JSON, a list of games, an object a line, or a folder with a JSON file a game.
    task
        The task, None for one that names the secret's category.
    log
        Counts what became of each game.

    Raises
    ------
    InputError
        There is no such file, or no game in it.
    """
    return dialogues_of(_games(Path(path)), lambda record: _game(record, task), file=path, log=log)


def _games(path: Path) -> Source:
    if not path.is_dir():
        yield from json_records(path)
        return
    files = sorted(path.glob("*.json"))
    if not files:
        raise InputError("the folder holds no game", file=path, expected="files *.json")
    for file in files:
        try:
            yield from json_records(file)
        except InputError as error:
            yield error


def _game(record: Record, task: str | None) -> Kept | Dropped:
    secret = record.record("secret")
    rounds = sorted(record.records("rounds"), key=lambda one: one.whole_number("roundNumber"))
    hints: list[Hint] = []
    naming = 0
    for one in rounds:
        result = one.record("answererResults")
        if result.flag_or_none("finalSecretCorrect"):
            naming += 1
            continue
        answer = result.text("answerCorrect").strip()
        hints.append(Hint(question=one.text("questions").strip(), answer=answer))
    if not hints:
        return Dropped(reason="no round but those that name the secret")
    category = secret.label_or_none("category")
    meta = {**record.labels("won"), **_player(record, "guesser"), **_player(record, "answerer")}
    if category is not None:
        meta["category"] = category
    dialogue = Dialogue(
        id=f"20q-{record.label('runId')}",
        task=task or TASK.format(kind=category or "thing"),
        hints=tuple(hints),
        gold=(secret.text("secret").strip(),),
        meta={**meta, "progressive": "yes"},
    )
    return Kept(dialogue=dialogue, left_out=("round that names the secret",) * naming)


def _player(record: Record, role: str) -> dict[str, str]:
    name = record.record(role).label_or_none("name") if record.has(role) else None
    return {} if name is None else {role: name}


def read_allenai(
    path: str | Path, *, task: str | None = None, log: ReadLog | None = None
) -> Iterator[Dialogue]:
    """Questions about one subject, in the order of the file, as the hints of one dialogue.

    The answer is the vote of the crowd (``majority``).  Questions that the crowd found bad, such as
    guesses, are left out.

    Parameters
    ----------
    path
        A file of the data set: an object a line.
    task
        The task, None for the usual one.
    log
        Counts what became of each subject, and the questions that were left out.

    Raises
    ------
    InputError
        The file cannot be read or holds no such question.
    """
    log = ReadLog() if log is None else log
    subjects = _by_subject(json_records(Path(path)), log)
    return dialogues_of_groups(subjects, lambda rows: _subject(rows, task), file=path, log=log)


def _by_subject(rows: Iterable[Record | InputError], log: ReadLog) -> Iterator[Sequence[Record]]:
    subjects: dict[str, list[Record]] = {}
    for row in rows:
        if isinstance(row, InputError):
            log.malformed_part(row)
            continue
        try:
            _check_row(row)
        except InputError as error:
            log.malformed_part(error)
            continue
        subjects.setdefault(_subject_of(row), []).append(row)
    yield from subjects.values()


def _subject_of(row: Record) -> str:
    return " ".join(row.text("subject").split())


def _check_row(row: Record) -> None:
    row.text("subject")
    row.text("question")
    for name in ("is_bad", "high_quality"):
        row.flag_or_none(name)
    if row.flag_or_none("majority") is None:
        raise row.wrong("majority", expected="true or false")


def _subject(rows: Sequence[Record], task: str | None) -> Kept | Dropped:
    subject = _subject_of(rows[0])
    hints: dict[str, Hint] = {}
    left_out: list[str] = []
    for row in rows:
        question = " ".join(row.text("question").split())
        if row.flag_or_none("is_bad"):
            left_out.append("question without a sound answer")
        elif row.flag_or_none("high_quality") is False:
            left_out.append("question of low quality")
        elif question.casefold() in hints:
            left_out.append("question that was asked before")
        else:
            answer = "yes" if row.flag_or_none("majority") else "no"
            hints[question.casefold()] = Hint(question=question, answer=answer)
    if not hints:
        return Dropped(reason="no question of good quality")
    dialogue = Dialogue(
        id=f"allenai-20q-{subject}",
        task=task or TASK.format(kind="thing"),
        hints=tuple(hints.values()),
        gold=(subject,),
        meta={"order": "file", **rows[0].labels("subject_split_index"), "progressive": "yes"},
    )
    return Kept(dialogue=dialogue, left_out=tuple(left_out))
