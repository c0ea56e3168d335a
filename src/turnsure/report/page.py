"""The report as one HTML page: everything inside, no script, no network."""

from __future__ import annotations

from pathlib import Path

from turnsure.core.evaluation import ReportData
from turnsure.core.results import Undefined
from turnsure.core.tested import ALPHA
from turnsure.report import (
    charts,
    closed_world,
    control_cells,
    readings_questions,
    sample_savings,
    shown_texts,
    spending,
    summary,
    text,
    verdicts,
)
from turnsure.report.chapters import chapters
from turnsure.report.charts_turns import shown_dialogues
from turnsure.report.figures import figures
from turnsure.report.pages import filled, write_page
from turnsure.report.transcripts import transcripts

DEFINITIONS = (
    (
        "Information level",
        "i / L at turn i of a dialogue with L turns: how much has been revealed.",
    ),
    (
        "InfoECE",
        "How far accuracy and mean confidence lie apart, averaged over bins of the information "
        "level. 0 means as sure as right, early and late.",
    ),
    (
        "Kendall's τ",
        "Over all pairs of turns of a dialogue: share in which confidence rises minus share in "
        "which it falls, ties counting nothing; then the mean over dialogues. 100 % means that "
        "every further hint made the model surer.",
    ),
    ("τ gold", "The same for the confidence in the accepted answer instead of the model's own."),
    (
        "ECE",
        "How far accuracy and mean confidence lie apart, averaged over bins of confidence and "
        "weighted by turns. 0 means that 70 % sure is right 70 times in 100.",
    ),
    ("smooth ECE", "ECE with a kernel in place of bins, so that no bin edge decides the value."),
    (
        "Brier",
        "Mean squared distance between confidence and outcome (1 right, 0 wrong). 0 is perfect; "
        "always saying 50 % gives .250.",
    ),
    (
        "AUROC",
        "Chance that a right answer got more confidence than a wrong one, ties counting half. "
        "1 separates them fully, .500 is guessing.",
    ),
    ("Mean confidence", "Plain mean over the scored turns; compare it with accuracy."),
    (
        "Scored / asked",
        "Turns with both a confidence and a graded answer, out of those asked. Metrics use the "
        "scored ones only.",
    ),
    ("Failures", "Turns without a confidence, by kind. They are counted, never filled in."),
    (
        "Label mass",
        "Probability that the model put on the labels of a probe before they were renormalised. "
        "Under 50 % it did not follow the format.",
    ),
)


def render_html(data: ReportData) -> str:
    """The report as the text of one self-contained page.

    The same data give the same text.  Every text of users and models is escaped; the page holds no
    script, and its content security policy forbids scripts and anything loaded from elsewhere.
    """
    evaluation = data.evaluation
    drawn, n_dialogues = shown_dialogues(data.table)
    accuracy = evaluation.accuracy
    bounds = None if isinstance(accuracy, Undefined) else accuracy.interval
    spoken = transcripts(data)
    world, savings = evaluation.closed_world, evaluation.sample_savings
    return filled(
        "report.html.j2",
        text=text,
        charts=charts,
        cells=control_cells,
        verdicts=verdicts,
        fitting=readings_questions.FITTING,
        shown_texts=shown_texts,
        spending=spending,
        alpha=f"{ALPHA:g}".removeprefix("0"),
        data=data,
        evaluation=evaluation,
        accuracy=summary.cell(accuracy, "percent"),
        interval_kind=None if bounds is None else text.interval_kind(bounds),
        warnings=summary.warnings(evaluation),
        columns=summary.COLUMNS,
        rows=[(method, summary.metric_cells(method)) for method in evaluation.methods],
        gaps=summary.gaps(evaluation.methods),
        sensitivity=summary.sensitivity(evaluation.methods),
        figures=figures(data),
        lines_drawn=len(drawn),
        n_lines=n_dialogues,
        chapters=chapters(data),
        closed=None if world is None else closed_world.closed_chapter(world),
        closed_anchor=closed_world.ANCHOR,
        savings=None if savings is None else sample_savings.savings_part(savings),
        transcripts=spoken,
        anchors={dialogue.id: dialogue.anchor for dialogue in reversed(spoken.dialogues)},
        definitions=DEFINITIONS if world is None else (*DEFINITIONS, *closed_world.DEFINITIONS),
    )


def write_report(data: ReportData, path: str | Path) -> Path:
    """Write the page to ``path``, whole or not at all, and return the path.

    Missing folders are made.  Raises OSError when the place cannot be written to.
    """
    return write_page(render_html(data), path)
