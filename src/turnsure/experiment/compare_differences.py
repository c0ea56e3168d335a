"""Tables of paired differences: between methods, models, sizes of a family, and protocols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from turnsure.core.grid import Grid, GridCell, GridColumn, GridRow, ScoredGroup
from turnsure.core.results import MetricResult
from turnsure.core.turns import TurnColumns
from turnsure.experiment.compare_runs import RunRows
from turnsure.experiment.evaluate import Settings
from turnsure.experiment.model_names import ModelFacts, model_facts
from turnsure.experiment.paired_rows import ACCURACY, columns_for, corrected, difference_cell

KINDS = ("methods", "models", "sizes", "protocols")
"""Between what differences are taken."""

_TITLES = {
    "methods": "Differences between methods of one run",
    "models": "Differences between models, same method and protocol",
    "sizes": "From the smaller to the larger model of a family, same method and protocol",
    "protocols": "Differences between protocols, same method",
}
_HEADINGS = {
    "methods": ("Data", "Model", "From → to"),
    "models": ("Data", "From → to", "Method"),
    "sizes": ("Data", "Family, from → to", "Method"),
    "protocols": ("Data", "From → to", "Method"),
}

ARROW = " → "


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A run with the names that the grid gives to its block of rows and to its data."""

    rows: RunRows
    block: str
    data: str
    answers: TurnColumns | None


def difference_grids(
    runs: Sequence[Named], names: Sequence[str], kinds: Sequence[str], settings: Settings
) -> list[Grid]:
    """One grid a kind, without those in which there is nothing to compare.

    Parameters
    ----------
    runs
        All runs of the comparison.
    names
        Metrics.
    kinds
        Of :data:`KINDS`.
    settings
        Bins, resamples and seed.
    """
    lines: dict[str, list[GridRow]] = {kind: [] for kind in kinds}
    columns = tuple(GridColumn(group="", metric=name) for name in names)

    def add(kind: str, labels: tuple[str, ...], cells: list[GridCell | None]) -> None:
        lines[kind].append(GridRow(labels=labels, cells=tuple(cells), remarks=_behind(cells)))

    if "methods" in lines:
        for run in runs:
            for one, other in combinations(run.rows.groups, 2):
                labels = (run.data, run.block, f"{one.method}{ARROW}{other.method}")
                add("methods", labels, _cells(names, (run, one), (run, other), settings))
    for one, other in combinations(runs, 2):
        pair = _pair(one, other)
        if pair is None or pair.kind not in lines:
            continue
        for method, cells in _of_pair(pair, names, settings):
            add(pair.kind, (pair.data, pair.label, method), cells)
    return [
        Grid(
            key=f"differences_{kind}",
            title=_TITLES[kind],
            headings=_HEADINGS[kind],
            columns=columns,
            rows=tuple(_corrected_rows(rows)),
            remark_headings=("dialogues", "turns"),
        )
        for kind, rows in lines.items()
        if rows
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two runs of one data set, in the order in which they are subtracted."""

    kind: str
    left: Named
    right: Named
    data: str
    label: str


def _pair(one: Named, other: Named) -> _Pair | None:
    """How two runs are compared; None where their data differ."""
    left, right = one.rows.run, other.rows.run
    if left.data != right.data:
        return None
    if left.settings_digest != right.settings_digest:
        label = (
            f"{one.block} [{left.settings_digest}]{ARROW}{other.block} [{right.settings_digest}]"
        )
        return _Pair(kind="protocols", left=one, right=other, data=left.data, label=label)
    small, large = _facts(one), _facts(other)
    if small is not None and large is not None and _is_one_family(small, large):
        if small.parameters > large.parameters:
            return _pair(other, one)
        label = f"{small.family} {small.size}{ARROW}{large.size}"
        return _Pair(kind="sizes", left=one, right=other, data=one.data, label=label)
    label = f"{one.block}{ARROW}{other.block}"
    return _Pair(kind="models", left=one, right=other, data=one.data, label=label)


def _facts(run: Named) -> ModelFacts | None:
    return model_facts(run.rows.run.model, run.rows.run.fingerprint)


def _is_one_family(one: ModelFacts, other: ModelFacts) -> bool:
    same = one.family.casefold() == other.family.casefold()
    return same and one.parameters != other.parameters


def _of_pair(
    pair: _Pair, names: Sequence[str], settings: Settings
) -> list[tuple[str, list[GridCell | None]]]:
    """Accuracy first, then every method that both runs have."""
    left, right = pair.left, pair.right
    found: list[tuple[str, list[GridCell | None]]] = []
    if left.answers is not None and right.answers is not None:
        cell = difference_cell(
            ACCURACY, (left.rows, left.answers), (right.rows, right.answers), settings
        )
        found.append(("Accuracy", [cell, *[None] * (len(names) - 1)]))
    of_right = {group.method: group for group in right.rows.groups}
    for group in left.rows.groups:
        if group.method in of_right:
            pairs = _cells(names, (left, group), (right, of_right[group.method]), settings)
            found.append((group.method, pairs))
    return found


def _cells(
    names: Sequence[str],
    left: tuple[Named, ScoredGroup],
    right: tuple[Named, ScoredGroup],
    settings: Settings,
) -> list[GridCell | None]:
    """The differences between two methods, or one method of two runs, by metric."""
    (one_run, one), (other_run, other) = left, right
    return [
        difference_cell(
            name,
            (one_run.rows, columns_for(one, name)),
            (other_run.rows, columns_for(other, name)),
            settings,
        )
        for name in names
    ]


def _behind(cells: Sequence[GridCell | None]) -> tuple[str, str]:
    """Dialogues and turns behind the first number of a row."""
    for cell in cells:
        if cell is not None and isinstance(cell.result, MetricResult):
            return f"{cell.result.n_dialogues:,}", f"{cell.result.n_turns:,}"
    return "0", "0"


def _corrected_rows(rows: Sequence[GridRow]) -> list[GridRow]:
    cells = iter(corrected([cell for row in rows for cell in row.cells if cell is not None]))

    def renewed(row: GridRow) -> tuple[GridCell | None, ...]:
        return tuple(None if cell is None else next(cells) for cell in row.cells)

    return [GridRow(labels=row.labels, cells=renewed(row), remarks=row.remarks) for row in rows]
