"""Slices: how well scores hold on parts of the rows, and which parts deviate from the rest.

A part deviates when its gap, accuracy − mean score, differs from that of all other rows.  The
test is Student's on the difference D of the two gaps.  Its variance is the larger of two estimates:
the cluster-robust one, G/(G − 1) Σ u², where u is what each of the G dialogues contributes to D;
and that under the hypothesis, in which a row with score s is right with probability s + gap of all
rows, cut to [0, 1].  The first one counts that rows of a dialogue belong together, the second one
does not vanish where all outcomes of a small part happen to be the same.  Degrees of freedom are
the dialogues of the smaller part less one.

References
----------
The cluster-robust variance: Liang, Zeger: Longitudinal data analysis using generalized linear
models. Biometrika 73 (1986).  For several tests: Holm (1979), :func:`turnsure.metrics.holm`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.results import Interval, MetricResult
from turnsure.core.slices import SliceKind, SliceRow, SliceTable
from turnsure.core.tested import ALPHA
from turnsure.experiment.calibrating import statistics
from turnsure.experiment.calibrating.cells import Bootstrap, cells_of
from turnsure.experiment.calibrating.columns import MISSING
from turnsure.experiment.calibrating.predictions import PredictionGroup
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.experiment.calibrating.tables import unless_alike
from turnsure.numerics.arrays import BoolArray, FloatArray, IntArray
from turnsure.numerics.beta import beta_tails
from turnsure.numerics.binning import equal_width_bins, level_bins
from turnsure.numerics.intervals import wilson_bounds

MOST_SHOWN = 50
"""Values of one slice, those with the most rows."""

MOST_TURNS = 20
"""Turns that stand in lines of their own; later ones share a line."""

_LEVELS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slice:
    """A slice before it is judged: the part of each row, −1 for none, and the parts' names."""

    name: str
    kind: SliceKind
    part: IntArray
    names: Sequence[str]


def slice_tables(group: PredictionGroup, settings: CalibrationSettings) -> tuple[SliceTable, ...]:
    """Judge every column, and turns and information levels where there are several.

    The p-values of all columns are corrected together, those of turns and those of levels each for
    themselves.
    """
    rows = group.rows
    columns = [
        _Slice(name=name, kind="column", part=one.codes.astype(np.intp), names=one.names)
        for name, one in group.slices.items()
    ]
    tables = [_judged(rows, one, settings) for one in (*columns, *_by_turn(rows))]
    families: dict[SliceKind, list[SliceTable]] = {}
    for table in tables:
        families.setdefault(table.kind, []).append(table)
    return tuple(one for family in families.values() for one in _corrected(family))


def gap_test(rows: LabelledScores, inside: BoolArray) -> tuple[float, float]:
    """Difference of the gaps inside and outside, and the two-sided p-value that they are equal.

    Parameters
    ----------
    rows
        All rows.
    inside
        Which of them are in the part, shape (n,); both parts have at least two dialogues.
    """
    residual = rows.correct - rows.score
    n_in, n_out = int(np.count_nonzero(inside)), int(np.count_nonzero(~inside))
    gap_in, gap_out = float(residual[inside].mean()), float(residual[~inside].mean())
    weight = np.where(inside, 1.0 / n_in, -1.0 / n_out)
    centred = weight * (residual - np.where(inside, gap_in, gap_out))
    n_groups = len(rows.groups)
    by_dialogue = np.bincount(rows.group, centred, n_groups)
    robust = n_groups / (n_groups - 1) * float(np.square(by_dialogue).sum())
    chance = np.clip(rows.score + residual.mean(), 0.0, 1.0)
    model = float((np.square(weight) * chance * (1.0 - chance)).sum())
    difference = gap_in - gap_out
    variance = max(robust, model)
    if variance <= 0.0:
        return difference, 1.0
    smaller = min(_n_dialogues(rows, inside), _n_dialogues(rows, ~inside))
    return difference, _student_p(difference / math.sqrt(variance), smaller - 1)


def _student_p(t: float, degrees: int) -> float:
    """Two-sided p-value under Student's distribution (Abramowitz, Stegun 26.5.27)."""
    below, _ = beta_tails(0.5 * degrees, 0.5, degrees / (degrees + t * t))
    return below


def _n_dialogues(rows: LabelledScores, where: BoolArray) -> int:
    return len(np.unique(rows.group[where]))


def _by_turn(rows: LabelledScores) -> list[_Slice]:
    if rows.turn is None or rows.n_turns is None or int(rows.n_turns.max()) == 1:
        return []
    last = int(rows.turn.max())
    names = [str(turn) for turn in range(1, min(last, MOST_TURNS) + 1)]
    if last > MOST_TURNS:
        names.append(f"after {MOST_TURNS}")
    turns = _Slice(
        name="turn",
        kind="turn",
        part=np.minimum(rows.turn, MOST_TURNS + 1).astype(np.intp) - 1,
        names=names,
    )
    if len(np.unique(rows.n_turns)) == 1:
        return [turns]
    edges = [f"{100 * k // _LEVELS}–{100 * (k + 1) // _LEVELS} %" for k in range(_LEVELS)]
    part = level_bins(rows.turn, rows.n_turns, _LEVELS)
    return [turns, _Slice(name="information level", kind="level", part=part, names=edges)]


def _judged(rows: LabelledScores, given: _Slice, settings: CalibrationSettings) -> SliceTable:
    counts = np.bincount(given.part[given.part != MISSING], minlength=len(given.names))
    present = np.flatnonzero(counts)
    if given.kind == "column":
        present = present[np.argsort(-counts[present], kind="stable")][:MOST_SHOWN]
    return SliceTable(
        name=given.name,
        kind=given.kind,
        rows=tuple(
            _row(rows, given.part == part, given.names[part], settings) for part in present.tolist()
        ),
        least_n=settings.least_n,
        n_missing=int(np.count_nonzero(given.part == MISSING)),
        n_tests=0,
    )


def _row(
    rows: LabelledScores, inside: BoolArray, value: str, settings: CalibrationSettings
) -> SliceRow:
    part = rows.rows(inside)
    n, n_dialogues = len(part), len(part.groups)
    if n < settings.least_n or n_dialogues < 2:
        return SliceRow(value=value, n=n, n_dialogues=n_dialogues, claimed=False)
    row = _with_numbers(SliceRow(value=value, n=n, n_dialogues=n_dialogues, claimed=True), part,
                        settings)  # fmt: skip
    if n == len(rows) or _n_dialogues(rows, ~inside) < 2:
        return row
    difference, p_value = gap_test(rows, inside)
    return replace(row, difference=difference, p_value=p_value)


def _with_numbers(row: SliceRow, part: LabelledScores, settings: CalibrationSettings) -> SliceRow:
    cells = cells_of(part.score, part.correct, settings.bins, np.zeros(0))
    bootstrap = Bootstrap(
        cells=cells,
        rows=part,
        resamples=settings.resamples,
        seed=settings.seed,
        level=settings.level,
    )
    widths = equal_width_bins(cells.score, settings.bins)
    found = bootstrap.intervals(
        {
            "accuracy": statistics.accuracy,
            "mean_confidence": statistics.mean_score(cells.score),
            "gap": statistics.gap(cells.score),
            "brier": statistics.mean_loss(np.square(1.0 - cells.score), np.square(cells.score)),
            "ece": statistics.binned_error(cells.score, widths, norm="l1", debias=False),
        }
    )
    bounds: dict[str, Interval | None] = {name: one[0] for name, one in found.items()}
    mean = float(part.score.mean())
    if bootstrap.is_plain:
        low, high = wilson_bounds(int(part.correct.sum()), len(part), settings.level)
        exact = Interval(low=low, high=high, level=settings.level, method="wilson")
        bounds["accuracy"] = exact
        bounds["gap"] = replace(exact, low=low - mean, high=high - mean)
    else:
        every = np.ones(len(part), dtype=np.bool_)
        bounds["accuracy"] = unless_alike(bounds["accuracy"], part, every, settings.level)

    def known(result: MetricResult) -> MetricResult:
        return replace(result, interval=bounds[result.name], n_dialogues=len(part.groups))

    accuracy = metrics.accuracy(part.correct)
    return replace(
        row,
        accuracy=known(accuracy),
        mean_confidence=known(metrics.mean_confidence(part.score)),
        gap=known(gap_of(part)),
        brier=known(metrics.brier(part.score, part.correct)),
        ece=known(metrics.ece(part.score, part.correct, settings.bins)),
    )


def gap_of(rows: LabelledScores) -> MetricResult:
    """Accuracy − mean confidence, without an interval."""
    residual: FloatArray = rows.correct - rows.score
    return MetricResult(
        name="gap",
        value=float(residual.mean()),
        n_turns=len(rows),
        direction="none",
        definition={"difference": "accuracy - mean confidence"},
    )


def _corrected(tables: Sequence[SliceTable]) -> list[SliceTable]:
    """The tables with the p-values corrected for all tests in them."""
    given = [row.p_value for table in tables for row in table.rows]
    adjusted = iter(metrics.holm(given) if given else ())
    n_tests = sum(one is not None for one in given)
    found: list[SliceTable] = []
    for table in tables:
        rows: list[SliceRow] = []
        for row in table.rows:
            p_holm = next(adjusted)
            flagged = p_holm is not None and p_holm < ALPHA
            rows.append(replace(row, p_holm=p_holm, flagged=flagged))
        found.append(replace(table, rows=tuple(rows), n_tests=n_tests))
    return found
