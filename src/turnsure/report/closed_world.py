"""The page's chapter about closed worlds: tables, charts and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsure.core.closed_world import ClosedWorld, IdealRow
from turnsure.core.confidence import Target
from turnsure.core.tested import Verdict
from turnsure.report.chapters import first_kind
from turnsure.report.charts_ideal import confidence_and_ideal
from turnsure.report.control_cells import MEANS, ChangeCell, PairCell, change_cell, pair_cell
from turnsure.report.figures import Panel
from turnsure.report.readings import TARGETS
from turnsure.report.readings_closed_world import (
    correction_sentences,
    counts,
    fell,
    ideal_sentences,
    identification_sentences,
)
from turnsure.report.sentences import Sentence
from turnsure.report.summary import METRICS, Cell, cell
from turnsure.report.svg import inline

ANCHOR = "closed-world"

IDENTIFICATION = ("info_ece", "kendall_tau", "brier", "auroc")
"""Columns of the table about identification."""

DEFINITIONS = (
    (
        "Ideal",
        "What the hints justify when they are taken at their word: 1/n for each of the n "
        "candidates that fit them, 0 for every other answer. P(Sufficient) asks whether what is "
        "known is enough, so its ideal is 1 for the only candidate left and 0 before.",
    ),
    (
        "Distance to the ideal",
        "Mean of |confidence − ideal| over turns. The difference of the two means beside it lets "
        "gaps above and below the ideal cancel.",
    ),
    ("Identified", "One candidate of the closed world fits all hints so far."),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdealLine:
    """One method's mean ideal, mean confidence and distance."""

    method: str
    means: PairCell
    distance: Cell
    n_unnamed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentificationLine:
    """One method's metrics against identification, by :data:`IDENTIFICATION`."""

    method: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionLine:
    """What one method's confidence does at corrections."""

    method: str
    change: ChangeCell
    fell: str
    ideal: PairCell
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """What is said of the confidence in one kind of answer.

    Attributes
    ----------
    heading
        Which answer.
    ideals, closeness
        The table against the ideal, and its findings in words.
    identification, telling
        The same against identification.
    """

    heading: str
    ideals: tuple[IdealLine, ...]
    closeness: tuple[Sentence, ...]
    identification: tuple[IdentificationLine, ...]
    telling: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedChapter:
    """The chapter.

    Attributes
    ----------
    world
        What was found.
    headline
        What is behind it and what is left out.
    panels
        Confidence and ideal by information level, a panel a method, for the own answer.
    parts
        By target.
    corrections, falling
        The table of corrections, and its findings in words.
    interval_kind
        Of the intervals in brackets; None where there are none.
    """

    world: ClosedWorld
    headline: str
    panels: tuple[Panel, ...]
    parts: tuple[Part, ...]
    corrections: tuple[CorrectionLine, ...]
    falling: tuple[Sentence, ...]
    interval_kind: str | None


def closed_chapter(world: ClosedWorld) -> ClosedChapter:
    """Prepare the chapter."""
    closeness, telling = ideal_sentences(world), identification_sentences(world)
    targets: dict[Target, None] = dict.fromkeys(row.target for row in world.ideals)
    return ClosedChapter(
        world=world,
        headline=counts(world),
        panels=tuple(_panel(k, row) for k, row in enumerate(own_rows(world), start=1)),
        parts=tuple(
            Part(
                heading=TARGETS[target],
                ideals=_ideal_lines(world, target),
                closeness=_about(closeness, target),
                identification=_identification_lines(world, target),
                telling=_about(telling, target),
            )
            for target in targets
        ),
        corrections=tuple(
            CorrectionLine(
                method=row.method,
                change=change_cell(row.change),
                fell=fell(row.falling),
                ideal=pair_cell(row.ideal, "percent", MEANS),
                verdict=row.verdict,
            )
            for row in world.corrections
        ),
        falling=correction_sentences(world),
        interval_kind=first_kind(row.distance for row in world.ideals),
    )


def own_rows(world: ClosedWorld) -> tuple[IdealRow, ...]:
    """Those about the own answer, which the charts show."""
    return tuple(row for row in world.ideals if row.target == "answer")


def _panel(place: int, row: IdealRow) -> Panel:
    svg = None
    if row.confidence_by_level.points:
        label = f"{row.method}: mean confidence and ideal by information level"
        plot = confidence_and_ideal([row], panels=False)
        svg = inline(plot, key=f"ideal-{place}", label=label)
    return Panel(title=row.method, svg=svg)


def _ideal_lines(world: ClosedWorld, target: Target) -> tuple[IdealLine, ...]:
    return tuple(
        IdealLine(
            method=row.method,
            means=pair_cell(row.bias, "percent", ("mean_ideal", "mean_confidence")),
            distance=cell(row.distance, "percent"),
            n_unnamed=row.n_unnamed,
        )
        for row in world.ideals
        if row.target == target
    )


def _identification_lines(world: ClosedWorld, target: Target) -> tuple[IdentificationLine, ...]:
    return tuple(
        IdentificationLine(
            method=row.method,
            cells=tuple(cell(row.metrics[name], METRICS[name].unit) for name in IDENTIFICATION),
        )
        for row in world.identification
        if row.target == target
    )


def _about(sentences: Sequence[Sentence], target: Target) -> tuple[Sentence, ...]:
    return tuple(one for one in sentences if one.aside == TARGETS[target])
