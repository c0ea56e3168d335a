"""What the numbers of a packed row stand for."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Generic, NamedTuple, TypeVar

from turnsure.core.confidence import Confidence, Path, Scale, Target
from turnsure.core.kept_texts import KeptTexts
from turnsure.core.outcome import Failure, Outcome, Stage
from turnsure.core.turn_row import TurnRow

V = TypeVar("V", bound=Hashable)

TYPES: Mapping[str, str] = {
    **dict.fromkeys(("dialogue", "condition", "target", "method", "answer"), "i"),
    **dict.fromkeys(("turn", "n_turns"), "q"),
    **dict.fromkeys(("form", "outcome", "meta", "reply", "raw"), "i"),
    **dict.fromkeys(("value", "label_mass"), "d"),
}
"""Columns in the letters of :mod:`array`, in which i is a number that stands for a value.

Value and label mass hold 0 where there is none.
"""


class Scored(NamedTuple):
    """What many confidences have in common."""

    method: str
    scale: Scale
    path: Path
    rule: str | None
    truncated: bool
    request_keys: tuple[str, ...]
    has_mass: bool


class Failed(NamedTuple):
    """What many failures have in common; ``where`` is None for the row's own place."""

    stage: Stage
    kind: str
    message: str
    where: tuple[str | None, int | None, str | None] | None


class Coded(Generic[V]):
    """Distinct values by number, only ever added to."""

    __slots__ = ("_codes", "values")

    def __init__(self) -> None:
        self.values: list[V] = []
        self._codes: dict[V, int] = {}

    def code(self, value: V) -> int:
        """The number of a value, which may be new."""
        found = self._codes.get(value)
        if found is None:
            found = self._codes[value] = len(self.values)
            self.values.append(value)
        return found


class Pool:
    """What the numbers of columns stand for, shared by tables that come from one another."""

    __slots__ = (
        "answer", "condition", "dialogue", "form", "meta", "method", "outcome", "target", "texts",
    )  # fmt: skip

    def __init__(self) -> None:
        self.dialogue = Coded[str]()
        self.condition = Coded[str]()
        self.target = Coded[Target]()
        self.method = Coded[str]()
        self.answer = Coded[str | None]()
        self.form = Coded[Scored | Failed]()
        self.outcome = Coded[Outcome]()
        self.meta = Coded[tuple[tuple[str, str], ...]]()
        self.texts = KeptTexts()

    def record(self, row: TurnRow) -> tuple[int | float, ...]:
        """A row as numbers, in the order of the columns."""
        found = row.confidence
        if isinstance(found, Confidence):
            form = Scored(
                found.method, found.scale, found.path, found.rule, found.truncated,
                found.request_keys, found.label_mass is not None,
            )  # fmt: skip
            value, mass = found.value, found.label_mass or 0.0
        else:
            where = (found.dialogue, found.turn, found.method)
            own = where == (row.dialogue, row.turn, row.method)
            form = Failed(found.stage, found.kind, found.message, None if own else where)
            value = mass = 0.0
        return (
            self.dialogue.code(row.dialogue), self.condition.code(row.condition),
            self.target.code(row.target), self.method.code(row.method),
            self.answer.code(row.answer), row.turn, row.n_turns, self.form.code(form),
            self.outcome.code(row.outcome), self.meta.code(tuple(row.meta.items())),
            self.texts.add(row.reply), self.texts.add(found.raw), value, mass,
        )  # fmt: skip

    def row(
        self, dialogue: int, condition: int, target: int, method: int, answer: int, turn: int,
        n_turns: int, form: int, outcome: int, meta: int, reply: int, raw: int, value: float,
        mass: float,
    ) -> TurnRow:  # fmt: skip
        """The row that was recorded so."""
        place = self.dialogue.values[dialogue], turn, self.method.values[method]
        return TurnRow(
            dialogue=place[0],
            turn=turn,
            n_turns=n_turns,
            condition=self.condition.values[condition],
            target=self.target.values[target],
            method=place[2],
            answer=self.answer.values[answer],
            confidence=_confidence(
                self.form.values[form], place, self.texts[raw], value=value, mass=mass
            ),
            outcome=self.outcome.values[outcome],
            reply=self.texts[reply],
            meta=dict(self.meta.values[meta]),
        )


def _confidence(
    form: Scored | Failed,
    place: tuple[str, int, str],
    raw: str | None,
    *,
    value: float,
    mass: float,
) -> Confidence | Failure:
    if isinstance(form, Failed):
        dialogue, turn, method = form.where or place
        return Failure(
            stage=form.stage,
            kind=form.kind,
            message=form.message,
            dialogue=dialogue,
            turn=turn,
            method=method,
            raw=raw,
        )
    return Confidence(
        value=value,
        method=form.method,
        scale=form.scale,
        path=form.path,
        label_mass=mass if form.has_mass else None,
        rule=form.rule,
        truncated=form.truncated,
        raw=raw,
        request_keys=form.request_keys,
    )
