"""Every dialogue turn by turn, joined from the dialogues and the rows of the turns table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from turnsure.core.confidence import Target
from turnsure.core.dialogue import Dialogue
from turnsure.core.evaluation import ReportData
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.turns import TurnRow
from turnsure.report.text import MISSING, score

Grade = Literal["right", "wrong", "ungraded", "missing"]

MOST_DIALOGUES = 500
"""Of which the page shows every turn; more would make it too long for a browser."""

_TARGETS: tuple[Target, ...] = ("answer", "gold")
_TARGET_NAMES: Mapping[Target, str] = {"answer": "own answer", "gold": "gold answer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCell:
    """One confidence: its text, the length of its bar in percent, and a remark where needed."""

    text: str
    bar: float = 0.0
    note: str = ""
    doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnView:
    """One line of a transcript.

    Attributes
    ----------
    turn
        Counts from 1.
    question, hint
        What was asked and revealed; None where the dialogue is not known.
    answer
        The model's answer, None where there is none.
    grade, rule, grading
        Whether it is right, by which rule, and the grader's words.
    scores
        A cell for each pair of method and target, in the order of ``Transcripts.columns``.
    texts
        (heading, text) of the raw replies behind answer and confidences.
    """

    turn: int
    question: str | None
    hint: str | None
    answer: str | None
    grade: Grade
    rule: str | None
    grading: str
    scores: tuple[ScoreCell, ...]
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueView:
    """One dialogue under one condition.  ``last`` is the grade of its last turn."""

    anchor: str
    id: str
    condition: str
    task: str | None
    gold: tuple[str, ...]
    meta: Mapping[str, str]
    turns: tuple[TurnView, ...]
    last: Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcripts:
    """Dialogues, the (method, target) columns that their lines share, and how many are left out."""

    methods: tuple[str, ...]
    targets: tuple[Target, ...]
    dialogues: tuple[DialogueView, ...]
    n_left_out: int = 0

    @property
    def columns(self) -> tuple[tuple[str, Target], ...]:
        """Method and target of each score cell."""
        return tuple((method, target) for method in self.methods for target in self.targets)


def transcripts(data: ReportData) -> Transcripts:
    """Join dialogues and rows; dialogues without rows and rows without a dialogue are kept.

    Of more than ``MOST_DIALOGUES`` so many are taken, evenly spaced through the data.
    """
    methods = data.table.methods
    present = data.table.packed.distinct("target")
    targets: tuple[Target, ...] = tuple(target for target in _TARGETS if target in present)
    columns: list[tuple[str, Target]] = [
        (method, target) for method in methods for target in targets
    ]
    rows: dict[str, dict[str, dict[int, list[TurnRow]]]] = {}
    every = list(dict.fromkeys([*(one.id for one in data.dialogues), *data.table.dialogues]))
    n = min(len(every), MOST_DIALOGUES)
    shown = dict.fromkeys(every[k * len(every) // n] for k in range(n))
    for row in data.table.packed.where("dialogue", shown.__contains__):
        by_turn = rows.setdefault(row.dialogue, {}).setdefault(row.condition, {})
        by_turn.setdefault(row.turn, []).append(row)
    known = {dialogue.id: dialogue for dialogue in data.dialogues}
    parts = [
        (id_, condition, by_turn)
        for id_ in shown
        for condition, by_turn in rows.get(id_, {"": {}}).items()
    ]
    return Transcripts(
        methods=methods,
        targets=targets,
        dialogues=tuple(
            _dialogue(f"dialogue-{k}", id_, condition, known.get(id_), by_turn, columns)
            for k, (id_, condition, by_turn) in enumerate(parts, start=1)
        ),
        n_left_out=len(every) - n,
    )


def _dialogue(
    anchor: str,
    id_: str,
    condition: str,
    dialogue: Dialogue | None,
    by_turn: Mapping[int, Sequence[TurnRow]],
    columns: Sequence[tuple[str, Target]],
) -> DialogueView:
    n_turns = max([0 if dialogue is None else dialogue.n_turns, *by_turn])
    turns = tuple(
        _turn(turn, dialogue, by_turn.get(turn, ()), columns) for turn in range(1, n_turns + 1)
    )
    return DialogueView(
        anchor=anchor,
        id=id_,
        condition=condition,
        task=None if dialogue is None else dialogue.task,
        gold=() if dialogue is None else dialogue.gold,
        meta={} if dialogue is None else dialogue.meta,
        turns=turns,
        last=turns[-1].grade,
    )


def _turn(
    turn: int,
    dialogue: Dialogue | None,
    rows: Sequence[TurnRow],
    columns: Sequence[tuple[str, Target]],
) -> TurnView:
    hint = dialogue.hints[turn - 1] if dialogue is not None and turn <= dialogue.n_turns else None
    own = [row for row in rows if row.target == "answer"]
    answered = next((row for row in own if row.answer is not None), None)
    outcome = own[0].outcome if own else None
    found = {(row.method, row.target): row for row in rows}
    return TurnView(
        turn=turn,
        question=None if hint is None else hint.question,
        hint=None if hint is None else hint.answer,
        answer=None if answered is None else answered.answer,
        grade=_grade(outcome),
        rule=None if outcome is None else outcome.rule or outcome.reason,
        grading="" if outcome is None else _grading(outcome),
        scores=tuple(_score(found.get(column)) for column in columns),
        texts=tuple(_texts(rows)),
    )


def _grade(outcome: Outcome | None) -> Grade:
    if outcome is None:
        return "missing"
    if outcome.correct is None:
        return "ungraded"
    return "right" if outcome.correct else "wrong"


def _grading(outcome: Outcome) -> str:
    parts = [f"grader: {outcome.grader}"]
    if outcome.matched is not None:
        parts.append(f"matched: {outcome.matched}")
    if outcome.reason is not None:
        parts.append(f"reason: {outcome.reason}")
    return "; ".join(parts)


def _score(row: TurnRow | None) -> ScoreCell:
    if row is None:
        return ScoreCell(text=MISSING, note="not asked")
    confidence = row.confidence
    if isinstance(confidence, Failure):
        return ScoreCell(text=MISSING, note=f"{confidence.kind}: {confidence.message}")
    notes: list[str] = []
    if confidence.off_format and confidence.label_mass is not None:
        notes.append(f"the labels got {score(confidence.label_mass)} % of the probability")
    if confidence.truncated:
        notes.append("a label was outside the listed top tokens")
    return ScoreCell(
        text=score(confidence.value),
        bar=100.0 * confidence.value,
        note="; ".join(notes),
        doubtful=bool(notes),
    )


def _texts(rows: Sequence[TurnRow]) -> list[tuple[str, str]]:
    """Raw texts of one turn, each once: the reply, which all methods share, comes first."""
    texts = [("reply", row.reply) for row in rows if row.reply is not None]
    for row in rows:
        confidence = row.confidence
        heading = f"{row.method}, {_TARGET_NAMES[row.target]}"
        if isinstance(confidence, Failure):
            raw = "" if confidence.raw is None else f"\n{confidence.raw}"
            place = "answer" if confidence.stage == "answer" else heading
            texts.append((place, f"{confidence.kind}: {confidence.message}{raw}"))
        elif confidence.raw is not None:
            texts.append((heading, confidence.raw))
    return list(dict.fromkeys(texts))
