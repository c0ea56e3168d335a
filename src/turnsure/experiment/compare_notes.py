"""What a reader of a comparison must know, one sentence or two an item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, takewhile

from turnsure.core.grid import Grid
from turnsure.core.results import MetricResult
from turnsure.experiment.compare_runs import RunRows, shared_dialogues
from turnsure.experiment.grid_notes import missing_notes
from turnsure.experiment.paired_rows import ACCURACY

_SHOWN = 60
"""Characters of a protocol's entry that are shown."""

_PAIRS_SHOWN = 4
"""More pairs of runs than these are summed up."""


def comparison_notes(runs: Sequence[RunRows], grid: Grid) -> tuple[str, ...]:
    """Everything that keeps numbers of the grid from being compared without a second thought."""
    return (
        *_not_separable(grid),
        *missing_notes(grid),
        *_protocol_differences(runs),
        *_dialogue_differences(runs),
        *_controls(runs),
        *_own_answers(grid, runs),
    )


def _not_separable(grid: Grid) -> list[str]:
    """Columns in which the best is not beyond chance."""
    numbers: dict[tuple[str, str], list[bool]] = {}
    for row in grid.rows:
        for column, cell in zip(grid.columns, row.cells, strict=True):
            result = None if cell is None else cell.result
            if isinstance(result, MetricResult) and result.direction != "none":
                marks = numbers.setdefault((column.group, result.name), [])
                marks.append(cell is not None and cell.marked)
    open_ones = [
        f"{metric} on {group}"
        for (group, metric), marks in numbers.items()
        if len(marks) > 1 and not any(marks)
    ]
    if not open_ones:
        return []
    return [
        f"Not separable: {', '.join(open_ones)}. A number is marked as the best only where the "
        "interval of its paired difference to every other one excludes 0."
    ]


def _protocol_differences(runs: Sequence[RunRows]) -> list[str]:
    """What tells the columns' protocols apart, and models of one name."""
    notes: list[str] = []
    settings = {
        one.run.settings_digest: one.run.settings for one in runs if one.run.settings is not None
    }
    for (left, one), (right, other) in combinations(settings.items(), 2):
        notes.append(f"Protocols [{left}] and [{right}] differ in {_differing(one, other)}.")
    models: dict[str, list[Mapping[str, str]]] = {}
    for one in runs:
        known = models.setdefault(one.run.model, [])
        if one.run.fingerprint not in known:
            known.append(one.run.fingerprint)
    for name, prints in models.items():
        for one, other in combinations(prints, 2):
            notes.append(f"Two models are called {name}: they differ in {_differing(one, other)}.")
    return notes


def _differing(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    names = dict.fromkeys((*one, *other))
    parts: list[str] = []
    for name in names:
        left, right = one.get(name), other.get(name)
        if left != right:
            pairs = zip(left or "", right or "", strict=False)
            start = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            parts.append(f"{name} ({_shown(left, start)} / {_shown(right, start)})")
    return "; ".join(parts)


def _shown(value: str | None, start: int) -> str:
    """A part of an entry around the place where it begins to differ."""
    if value is None:
        return "absent"
    first = max(0, start - _SHOWN // 3) if len(value) > _SHOWN else 0
    part = " ".join(value[first : first + _SHOWN].split())
    return f"{'…' if first else ''}{part}{'…' if first + _SHOWN < len(value) else ''}"


def _dialogue_differences(runs: Sequence[RunRows]) -> list[str]:
    notes: list[str] = []
    if any(one.contents is None for one in runs):
        notes.append(
            "Scores made elsewhere come without their dialogues: equal ids are taken to be equal "
            "dialogues."
        )
    apart: dict[str, list[tuple[int, str]]] = {}
    for one, other in combinations(runs, 2):
        if one.run.data != other.run.data:
            continue
        n = len(shared_dialogues(one, other))
        changed = len(one.lengths.keys() & other.lengths.keys()) - n
        if n < max(len(one.lengths), len(other.lengths)):
            text = f"{n:,} of {len(one.lengths):,} and {len(other.lengths):,}"
            if changed:
                text += f" ({changed:,} more have one id but are not the same dialogue)"
            names = f"{one.run.model} and {other.run.model}"
            apart.setdefault(one.run.data, []).append((n, f"{names} {text}"))
    for data, parts in apart.items():
        told = "; ".join(text for _, text in parts)
        if len(parts) > _PAIRS_SHOWN:
            fewest, most = min(parts)[0], max(parts)[0]
            told = f"from {fewest:,} to {most:,}, by pair of runs"
        notes.append(f"Dialogues of {data} in common: {told}.")
    if apart:
        notes[-1] += " Differences are over these; the grid's numbers are over all that a run has."
    return notes


def _controls(runs: Sequence[RunRows]) -> list[str]:
    n = sum(one.n_controlled for one in runs)
    return [f"{n:,} rows of controls are left out: only ordinary turns count."] if n else []


def _own_answers(grid: Grid, runs: Sequence[RunRows]) -> list[str]:
    n = sum(cell is not None and cell.metric == ACCURACY for row in grid.rows for cell in row.cells)
    if n == len(runs):
        return []
    return [
        "Where there is no line for accuracy, methods disagree on whether the answer of a turn is "
        "right: they judge answers of their own."
    ]
