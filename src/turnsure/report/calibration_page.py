"""What is known of scores as one HTML page: everything inside, no script, no network."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.core.calibration import CalibrationEvaluation, ScoresCalibration
from turnsure.core.grid import Grid
from turnsure.core.results import Undefined
from turnsure.report import charts
from turnsure.report.calibration_grids import group_grids, overview
from turnsure.report.calibration_more_grids import cost_grid
from turnsure.report.calibration_sentences import verdict_sentences
from turnsure.report.calibration_text import all_notes
from turnsure.report.charts_calibration import score_panels
from turnsure.report.figures import Panel
from turnsure.report.pages import filled

DEFINITIONS = (
    ("Gap", "Accuracy − mean score, in percentage points; below 0 scores are too high."),
    (
        "Brier",
        "Mean squared distance between score and outcome. Its decomposition by distinct scores: "
        "reliability is what a calibration map could win back, resolution how far accuracies of "
        "different scores lie apart, uncertainty what the base rate alone would cost.",
    ),
    (
        "Log loss",
        "Mean −ln of the probability given to what happened, kept within [1e−15, 1 − 1e−15].",
    ),
    (
        "ECE",
        "How far accuracy and mean score lie apart over bins: their mean (L1), root mean square "
        "(L2) or largest (max), weighted by rows. Debiased: less what chance alone puts there.",
    ),
    ("Smooth ECE", "The same with a kernel in place of bins, so that no edge decides the value."),
    (
        "AUROC, average precision, AURC",
        "Discrimination: whether right answers score higher than wrong ones. No rising map changes "
        "the first; calibration and discrimination are different virtues.",
    ),
    (
        "Against the rest",
        "Gap of the slice − gap of all other rows; ! where it differs from 0 by Student's test "
        "with cluster-robust variance, corrected by Holm's method for all slices.",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreChapter:
    """One score as the page shows it.

    Attributes
    ----------
    name, anchor
        Its name and its place in the page.
    judged
        The numbers.
    sentences
        The findings in words; the first one is about the data.
    panels
        Its drawings.
    grids
        Its tables, by key.
    slices
        Those of slices.
    """

    name: str
    anchor: str
    judged: ScoresCalibration
    sentences: tuple[str, ...]
    panels: tuple[Panel, ...]
    grids: dict[str, Grid]
    slices: tuple[Grid, ...]


def render_calibration(evaluation: CalibrationEvaluation) -> str:
    """The page as text; the same evaluation gives the same text."""
    cost = evaluation.cost
    return filled(
        "calibration.html.j2",
        evaluation=evaluation,
        charts=charts,
        overview=overview(evaluation),
        chapters=[_chapter(judged, k) for k, judged in enumerate(evaluation.groups, start=1)],
        cost=None if cost is None or isinstance(cost, Undefined) else cost_grid(cost),
        notes=all_notes(evaluation),
        definitions=DEFINITIONS,
    )


def _chapter(judged: ScoresCalibration, k: int) -> ScoreChapter:
    grids = group_grids(judged)
    return ScoreChapter(
        name=judged.name,
        anchor=f"score-{k}",
        judged=judged,
        sentences=verdict_sentences(judged),
        panels=score_panels(judged, key=f"score-{k}"),
        grids=grids,
        slices=tuple(grid for key, grid in grids.items() if key.startswith("slice ")),
    )
