"""Made-up rows of controls beside the made-up plain ones, evaluated by the real functions.

Five methods behave as their names in :data:`FOLLOWS` say: after a placebo one rises, one falls,
one stays, and so on.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from tests.support.synthetic import (
    NASTY,
    STYLES,
    Style,
    evaluate,
    hostile,
    make_dialogue,
    make_rows,
)
from turnsure.core.dialogue import Dialogue
from turnsure.core.digest import seed_from
from turnsure.core.evaluation import ReportData
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.experiment.controls.protocols import LEFT_OUT
from turnsure.experiment.effects.of_run import control_effects

CONTROLS = ("placebo", "summary", "supplied", "protocols")

FOLLOWS = {
    "vanilla_verb": 0.12,
    "cot_verb": 0.05,
    "self_consistency": 0.0,
    "p_true": -0.06,
    "p_sufficient": -0.2,
}
"""How far a placebo moves each method's confidence."""

SHIFTS = {"vanilla_verb": 0.0, "self_consistency": 0.03, "p_sufficient": -0.3}
"""How far a summary moves it; half as far when the hints are joined."""

PLACEBOS = ("Let me think for a moment.", "That is a good question.", "One more thing to come.")

VARIANTS = {"other-rendering": 0.01, "labels-swapped": -0.15, "no-context": -0.4, "reworded": 0.08}

_SOURCES = {"remaining": 0.02, "eliminated": 0.25, "samples": 0.1}
"""How much less confidence a wrong answer of each source gets than the gold one."""


def controlled(
    n_dialogues: int = 24,
    styles: dict[str, Style] | None = None,
    *,
    controls: Sequence[str] = CONTROLS,
    seed: int = 7,
    resamples: int = 60,
) -> ReportData:
    """Countries, five methods, every control."""
    rng = random.Random(seed)
    dialogues = [make_dialogue(number, rng) for number in range(n_dialogues)]
    used = STYLES if styles is None else styles
    rows = make_rows(dialogues, used, random.Random(seed))
    return with_controls(dialogues, rows, tuple(used), controls=controls, resamples=resamples)


def with_controls(
    dialogues: Sequence[Dialogue],
    plain: Sequence[TurnRow],
    methods: Sequence[str],
    *,
    controls: Sequence[str] = CONTROLS,
    resamples: int = 60,
    texts: Sequence[str] = PLACEBOS,
    variants: dict[str, float] | None = None,
) -> ReportData:
    """Data with rows of controls made from the plain ones.

    Parameters
    ----------
    dialogues, plain, methods
        What the run measured; the rows' condition must be ``"plain"``.
    controls
        Which controls were run.
    resamples
        Of the bootstrap.
    texts
        Stand in hints, summaries, pools and problems.
    variants
        How far each variant moves confidences.
    """
    rng = random.Random(5)
    spec = RunSpec(data="countries", controls=tuple(controls), resamples=resamples)
    tried = VARIANTS if variants is None else variants
    rows: list[TurnRow] = []
    if "placebo" in controls:
        rows += _placebo(plain, texts, rng)
    if "summary" in controls:
        rows += _joined(plain, dialogues, rng)
        rows += _summary(plain, texts, rng)
    if "supplied" in controls:
        rows += _supplied(plain, texts, rng)
    effects = control_effects(
        TurnsTable.of([*plain, *rows]),
        {name: _variant(plain, shift, rng) for name, shift in tried.items()},
        spec,
        definitions={
            name: {f"set {text}": text for text in texts}
            | {f"{LEFT_OUT}idle {text}": text for text in texts if name == "protocols"}
            for name in controls
        },
        digests={name: f"{k}f2c9a1be07d44c3" * 2 for k, name in enumerate(tried)},
    )
    return ReportData(
        evaluation=replace(evaluate(dialogues, plain, methods), controls=effects),
        dialogues=tuple(dialogues),
        table=TurnsTable.of(plain),
        controlled=TurnsTable.of(rows),
        facts=(("turnsure", "0.1.0"),),
        created="2026-01-02 03:04 UTC",
    )


@cache
def usual() -> ReportData:
    """What :func:`controlled` makes, once for all tests."""
    return controlled()


@cache
def hostile_controls() -> ReportData:
    """Controls in which every name and every text that was shown tries to be something else."""
    data = hostile()
    plain = [replace(row, condition="plain") for row in data.table.rows]
    return with_controls(
        data.dialogues,
        plain,
        data.table.methods,
        texts=NASTY,
        variants=dict.fromkeys(NASTY[::3], 0.1),
    )


@cache
def unpaired() -> ReportData:
    """Every control was run, and every state and every confidence failed."""
    rng = random.Random(3)
    dialogues = [make_dialogue(number, rng) for number in range(6)]
    styles = {"p_true": Style(failing=1.0), "cot_verb": Style(failing=1.0)}
    return with_controls(dialogues, make_rows(dialogues, styles, rng), tuple(styles))


@cache
def single_dialogue() -> ReportData:
    """One dialogue: means, but neither intervals nor anything that can be told."""
    return controlled(1)


def _placebo(plain: Sequence[TurnRow], texts: Sequence[str], rng: random.Random) -> list[TurnRow]:
    before = {(row.dialogue, row.turn, row.target, row.method): row for row in plain}
    rows: list[TurnRow] = []
    for row in plain:
        if row.turn == 1 or _chance(row, "untested") < 0.1:
            continue
        notes = {
            "control.pool": _text(row, "pool", texts),
            "control.hint": _text(row, "hint", texts),
        }
        if _chance(row, "dry") < 0.05:
            rows.append(_missing(row, "placebo", "pool_exhausted", {}))
            continue
        earlier = before[row.dialogue, row.turn - 1, row.target, row.method]
        shift = FOLLOWS.get(row.method, 0.0)
        moved = _moved(earlier, shift, rng)
        rows.append(_row(replace(moved, turn=row.turn), "placebo", notes))
    return rows


def _joined(
    plain: Sequence[TurnRow], dialogues: Sequence[Dialogue], rng: random.Random
) -> list[TurnRow]:
    hints = {one.id: [hint.answer for hint in one.hints] for one in dialogues}
    rows: list[TurnRow] = []
    for row in plain:
        notes = {"control.text": " ".join(hints[row.dialogue][: row.turn])}
        if row.turn == 1 and _chance(row, "same") < 0.5:
            rows.append(_missing(row, "joined", "same_as_the_turn", notes))
        else:
            rows.append(_row(_moved(row, SHIFTS.get(row.method, 0.01) / 2, rng), "joined", notes))
    return rows


def _summary(plain: Sequence[TurnRow], texts: Sequence[str], rng: random.Random) -> list[TurnRow]:
    rows: list[TurnRow] = []
    for row in plain:
        text = f"In short: {_text(row, 'summary', texts)}"
        if _chance(row, "flag") < 0.1:
            failed = _missing(row, "summary", "summary_flagged", {"control.problems": "lost, new"})
            rows.append(replace(failed, confidence=replace(failed.confidence, raw=text)))
            continue
        notes = {"control.text": text}
        if _chance(row, "kept") < 0.05:
            notes["control.problems"] = "lost"
        rows.append(_row(_moved(row, SHIFTS.get(row.method, -0.1), rng), "summary", notes))
    return rows


def _supplied(plain: Sequence[TurnRow], texts: Sequence[str], rng: random.Random) -> list[TurnRow]:
    rows: list[TurnRow] = []
    for row in plain:
        if row.target != "gold" or row.method == "self_consistency":
            continue
        for source, gap in _SOURCES.items():
            if source == "eliminated" and row.turn == 1:
                continue
            moved = _moved(row, -gap, rng)
            rows.append(
                replace(
                    _row(moved, f"supplied:{source}:1", {"control.source": source}),
                    target="other",
                    answer=f"Other answer {_text(row, source, texts)}",
                    outcome=Outcome(correct=False, grader="match", rule="no match"),
                    reply=None,
                )
            )
    return rows


def _variant(plain: Sequence[TurnRow], shift: float, rng: random.Random) -> TurnsTable:
    return TurnsTable(
        tuple(_moved(row, shift, rng) for row in plain if row.method != "self_consistency")
    ).select(target="answer")


def _moved(row: TurnRow, shift: float, rng: random.Random) -> TurnRow:
    if isinstance(row.confidence, Failure):
        return row
    value = min(1.0, max(0.0, row.confidence.value + shift + rng.gauss(0, 0.05)))
    return replace(row, confidence=replace(row.confidence, value=value))


def _row(row: TurnRow, condition: str, notes: dict[str, str]) -> TurnRow:
    return replace(row, condition=condition, meta={**row.meta, **notes})


def _missing(row: TurnRow, condition: str, kind: str, notes: dict[str, str]) -> TurnRow:
    failed = replace(
        row,
        answer=None,
        confidence=Failure(stage="control", kind=kind, message="It could not be made."),
        outcome=Outcome(correct=None, grader="match", reason=kind),
        reply=None,
    )
    return _row(failed, condition, notes)


def _text(row: TurnRow, what: str, texts: Sequence[str]) -> str:
    """One of the texts, the same for all methods and targets of a turn.

    Neighbouring dialogues get different ones.
    """
    number = sum(map(ord, row.dialogue)) + row.turn + len(what)
    return texts[number % len(texts)]


def _chance(row: TurnRow, what: str) -> float:
    """The same for all methods and targets of a turn."""
    return random.Random(seed_from(0, f"{row.dialogue} {what}", row.turn)).random()


CASES: dict[str, Callable[[], ReportData]] = {
    "usual": usual,
    "hostile": hostile_controls,
    "unpaired": unpaired,
    "single": single_dialogue,
}
