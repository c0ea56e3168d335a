"""From records to dialogues, with a count of what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record

REPEATED = "repeats an earlier record"
OTHER_OF_SAME_ID = "has the id of an earlier record that differs"


class Reader(Protocol):
    """What a row of ``registry.READERS`` names."""

    def __call__(
        self, path: str | Path, *, task: str | None = None, log: ReadLog | None = None
    ) -> Iterator[Dialogue]:
        """Dialogues of a file, in the order of the file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A dialogue, and why parts of its record are not in it, one reason a part."""

    dialogue: Dialogue
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Why a sound record cannot become a dialogue."""

    reason: str


def dialogues_of(
    records: Iterable[Record | InputError],
    build: Callable[[Record], Kept | Dropped],
    *,
    file: str | Path,
    log: ReadLog | None,
) -> Iterator[Dialogue]:
    """A dialogue for each record that can become one; see :func:`dialogues_of_groups`."""
    groups = (one if isinstance(one, InputError) else (one,) for one in records)
    return dialogues_of_groups(groups, lambda group: build(group[0]), file=file, log=log)


def dialogues_of_groups(
    groups: Iterable[Sequence[Record] | InputError],
    build: Callable[[Sequence[Record]], Kept | Dropped],
    *,
    file: str | Path,
    log: ReadLog | None,
) -> Iterator[Dialogue]:
    """A dialogue for each group of records (such as the clues of a question) that can become one.

    Of records with one id the first stays.

    Parameters
    ----------
    groups
        The records of each dialogue, or what is wrong with it.
    build
        Makes a dialogue; an InputError that it raises makes the record malformed.
    file
        Where they come from, for the message when there is none.
    log
        Told what became of each; None for a log of this call's own.

    Raises
    ------
    InputError
        No record became a dialogue; or one is malformed and the log is strict.
    """
    log = ReadLog() if log is None else log
    log.begin_file()
    seen: dict[str, int] = {}
    reasons: Counter[str] = Counter()
    for group in groups:
        if isinstance(group, InputError):
            log.malformed(group)
            continue
        first = group[0]
        place = first.place
        try:
            built = build(group)
        except InputError as error:
            log.malformed(first.placed(error))
            continue
        if isinstance(built, Dropped):
            log.drop(built.reason, place=place)
            reasons[built.reason] += 1
            continue
        dialogue = built.dialogue
        # A hash of the content tells repeats from clashes without keeping a large file in memory.
        content = hash((dialogue.task, dialogue.hints, dialogue.gold))
        if dialogue.id in seen:
            same = seen[dialogue.id] == content
            log.drop(REPEATED if same else OTHER_OF_SAME_ID, place=place)
            continue
        seen[dialogue.id] = content
        log.keep(dialogue.n_turns, place=place, left_out=built.left_out)
        yield dialogue
    if not seen:
        raise _nothing(file, log.first_problem, reasons)


def _nothing(file: str | Path, first: InputError | None, reasons: Mapping[str, int]) -> InputError:
    if first is not None:
        return InputError(
            f"no record became a dialogue; the first: {first.problem}",
            file=first.file,
            line=first.line,
            field=first.field,
            expected=first.expected,
        )
    why = ", ".join(f"{reason}: {n}" for reason, n in reasons.items())
    return InputError(
        f"no record became a dialogue ({why or 'there is none'})",
        file=file,
        expected="a record that can become one",
    )
