"""The page's chapters about controls: tables, charts, sentences and the texts that were shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from turnsure.core.evaluation import ReportData
from turnsure.core.question_controls import ProtocolEffects, SuppliedEffects, VariantRow
from turnsure.core.results import MetricResult
from turnsure.core.tested import Found
from turnsure.core.turn_controls import FormatEffects, PlaceboEffects
from turnsure.core.turns import TurnsTable
from turnsure.report import readings, readings_questions, shown_texts
from turnsure.report.charts_controls import (
    format_charts,
    placebo_charts,
    protocol_charts,
    supplied_charts,
)
from turnsure.report.charts_dots import DotChart, Mark, draw
from turnsure.report.control_tables import (
    Group,
    format_rows,
    placebo_groups,
    supplied_groups,
    variant_groups,
)
from turnsure.report.sentences import Sentence
from turnsure.report.shown_texts import ShownTexts
from turnsure.report.svg import inline
from turnsure.report.text import interval_kind
from turnsure.report.verdicts import Standing, judged, standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A finished chart and its key."""

    title: str
    svg: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One control, or one format of the single-turn control.

    Attributes
    ----------
    effects
        What was found.
    groups
        The parts of its table.
    sentences, headline
        The findings in words; the headline may be empty.
    drawings
        None where nothing has a value.
    shown
        Texts that the model saw.
    interval_kind
        Of the intervals in brackets; None where there are none.
    """

    effects: PlaceboEffects | FormatEffects | SuppliedEffects | ProtocolEffects
    groups: tuple[Group, ...]
    sentences: tuple[Sentence, ...]
    headline: str
    drawings: tuple[Drawing, ...]
    shown: ShownTexts
    interval_kind: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapters:
    """Everything that the page says about controls; None or empty where one was not run."""

    standings: tuple[Standing, ...]
    placebo: Chapter | None
    formats: tuple[Chapter, ...]
    supplied: Chapter | None
    protocols: Chapter | None


def chapters(data: ReportData) -> Chapters:
    """Prepare the chapters of the controls that were run."""
    effects, controlled = data.evaluation.controls, data.controlled
    return Chapters(
        standings=standings(judged(effects)),
        placebo=None if effects.placebo is None else _placebo(effects.placebo, controlled),
        formats=tuple(_format(told, controlled) for told in effects.formats),
        supplied=None if effects.supplied is None else _supplied(effects.supplied, controlled),
        protocols=None if effects.protocols is None else _protocols(effects.protocols),
    )


def _placebo(effects: PlaceboEffects, controlled: TurnsTable) -> Chapter:
    return Chapter(
        effects=effects,
        groups=placebo_groups(effects),
        sentences=readings.placebo_sentences(effects),
        headline=readings.placebo_counts(effects),
        drawings=_drawings(placebo_charts(effects)),
        shown=shown_texts.placebo_hints(controlled),
        interval_kind=first_kind(row.separation.change for row in effects.rows),
    )


def _format(effects: FormatEffects, controlled: TurnsTable) -> Chapter:
    return Chapter(
        effects=effects,
        groups=(format_rows(effects),),
        sentences=readings.format_sentences(effects),
        headline="",
        drawings=_drawings(format_charts(effects)),
        shown=shown_texts.single_turn_texts(controlled, effects.condition),
        interval_kind=first_kind(row.confidence.change for row in effects.rows),
    )


def _supplied(effects: SuppliedEffects, controlled: TurnsTable) -> Chapter:
    return Chapter(
        effects=effects,
        groups=supplied_groups(effects),
        sentences=readings_questions.supplied_sentences(effects),
        headline="",
        drawings=_drawings(supplied_charts(effects)),
        shown=shown_texts.supplied_answers(controlled),
        interval_kind=first_kind(row.gap.change for row in effects.rows),
    )


def _protocols(effects: ProtocolEffects) -> Chapter:
    return Chapter(
        effects=effects,
        groups=variant_groups(effects),
        sentences=readings_questions.protocol_sentences(effects),
        headline=readings_questions.flips_headline(effects),
        drawings=_drawings(protocol_charts(effects)),
        shown=ShownTexts(entries=(), total=0),
        interval_kind=first_kind(_differences(effects.rows)),
    )


def _differences(rows: Sequence[VariantRow]) -> Iterable[Found]:
    return (found for row in rows for found in row.differences.values())


def _drawings(charts: Sequence[DotChart]) -> tuple[Drawing, ...]:
    return tuple(
        Drawing(
            title=chart.title,
            svg=inline(draw(chart, legend=False), key=chart.name, label=chart.title),
            marks=chart.marks,
        )
        for chart in charts
    )


def first_kind(results: Iterable[Found]) -> str | None:
    """How the first interval among them was made; they all share that."""
    for found in results:
        if isinstance(found, MetricResult) and found.interval is not None:
            return interval_kind(found.interval)
    return None
