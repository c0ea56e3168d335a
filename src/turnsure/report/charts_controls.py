"""The charts of the controls, ready to be drawn: what their lines, marks and dots are."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.controls import ControlEffects
from turnsure.core.question_controls import ProtocolEffects, SuppliedEffects
from turnsure.core.results import Detail, MetricResult
from turnsure.core.tested import Found
from turnsure.core.turn_controls import FormatEffects, PlaceboEffects
from turnsure.report.charts_dots import Dot, DotChart, marks
from turnsure.report.control_cells import MEANS, SIDES
from turnsure.report.readings import TARGETS, format_name
from turnsure.report.readings_questions import source_name, sources
from turnsure.report.summary import METRICS

OWN_PROTOCOL = "the run's own protocol"


def control_charts(effects: ControlEffects) -> tuple[DotChart, ...]:
    """All of them that have a dot, in the order of the page."""
    charts: list[DotChart] = []
    if effects.placebo is not None:
        charts += placebo_charts(effects.placebo)
    for told in effects.formats:
        charts += format_charts(told)
    if effects.supplied is not None:
        charts += supplied_charts(effects.supplied)
    if effects.protocols is not None:
        charts += protocol_charts(effects.protocols)
    return tuple(charts)


def placebo_charts(effects: PlaceboEffects) -> list[DotChart]:
    """For each target the changes on information and on a placebo, with intervals."""
    found: list[DotChart] = []
    for target, name in TARGETS.items():
        rows = [row for row in effects.rows if row.target == target]
        dots = [
            dot
            for line, row in enumerate(rows)
            for mark, tested in enumerate((row.information, row.placebo))
            for dot in _dots(line, mark, tested.change)
        ]
        found.append(
            DotChart(
                name=f"placebo_{target}",
                title=f"Change of the confidence in the {name}",
                axis="change in confidence, percentage points",
                unit="percent",
                lines=tuple(row.method for row in rows),
                marks=marks(("after the real hint", "after a placebo")),
                dots=tuple(dots),
                zero_line=True,
            )
        )
    return _with_dots(found)


def format_charts(effects: FormatEffects) -> list[DotChart]:
    """Mean confidence, with accuracy, and InfoECE over the turns and in the format."""
    told = format_name(effects.condition)
    kinds = marks((told,), own="turns")
    methods = tuple(row.method for row in effects.rows)
    confidences = [
        dot
        for line, row in enumerate(effects.rows)
        for dot in _ends(line, row.confidence.change, MEANS)
    ]
    confidences += _ends(len(methods), effects.accuracy, MEANS)
    errors = [
        dot for line, row in enumerate(effects.rows) for dot in _ends(line, row.info_ece, SIDES)
    ]
    return _with_dots(
        [
            DotChart(
                name=f"{effects.condition}_confidence",
                title=f"Mean confidence and accuracy: turns and {told}",
                axis="mean confidence and accuracy, %",
                unit="percent",
                lines=(*methods, "accuracy"),
                marks=kinds,
                dots=tuple(confidences),
                zero_line=False,
                joined=True,
            ),
            DotChart(
                name=f"{effects.condition}_info_ece",
                title=f"InfoECE: turns and {told}",
                axis=_axis("info_ece", [row.info_ece for row in effects.rows]),
                unit="percent",
                lines=methods,
                marks=kinds,
                dots=tuple(errors),
                zero_line=False,
                joined=True,
            ),
        ]
    )


def supplied_charts(effects: SuppliedEffects) -> list[DotChart]:
    """The gap between the gold answer and wrong ones, by method and source."""
    methods = tuple(dict.fromkeys(row.method for row in effects.rows))
    named = sources(effects)
    return _with_dots(
        [
            DotChart(
                name="supplied_gap",
                title="Confidence in the gold answer minus that in wrong ones",
                axis="gold − wrong, percentage points",
                unit="percent",
                lines=methods,
                marks=marks([source_name(source) for source in named]),
                dots=tuple(
                    dot
                    for mark, source in enumerate(named)
                    for row in effects.rows
                    if row.source == source
                    for dot in _dots(methods.index(row.method), mark, row.gap.change)
                ),
                zero_line=True,
            )
        ]
    )


def protocol_charts(effects: ProtocolEffects) -> list[DotChart]:
    """Each metric under the run's protocol and under the variants, by method."""
    methods = tuple(dict.fromkeys(row.method for row in effects.rows))
    variants = tuple(dict.fromkeys(row.variant for row in effects.rows))
    found: list[DotChart] = []
    for metric in dict.fromkeys(name for row in effects.rows for name in row.differences):
        column = METRICS[metric]
        dots = [
            Dot(line=dot.line, mark=dot.mark and 1 + variants.index(row.variant), value=dot.value)
            for row in effects.rows
            for dot in _ends(methods.index(row.method), row.differences.get(metric), SIDES)
        ]
        found.append(
            DotChart(
                name=f"protocols_{metric}",
                title=f"{column.heading} under each protocol",
                axis=_axis(metric, [row.differences.get(metric) for row in effects.rows]),
                unit=column.unit,
                lines=methods,
                marks=marks(variants, own=OWN_PROTOCOL),
                dots=tuple(dots),
                zero_line=False,
            )
        )
    return _with_dots(found)


def _axis(metric: str, differences: Sequence[Found | None]) -> str:
    """Of a metric's values: its name, its unit, and the better side where any is defined."""
    column = METRICS[metric]
    unit = ", %" if column.unit == "percent" else ""
    sides = {one.direction for one in differences if isinstance(one, MetricResult)}
    return f"{column.heading}{unit}" + "".join(f" ({side} is better)" for side in sides)


def _dots(line: int, mark: int, found: Found) -> list[Dot]:
    """A dot with its interval, or nothing where there is no value."""
    if not isinstance(found, MetricResult):
        return []
    return [Dot(line=line, mark=mark, value=found.value, bounds=found.interval)]


def _ends(line: int, found: Found | None, names: tuple[str, str]) -> list[Dot]:
    """The two values behind a difference as a dot each."""
    if not isinstance(found, MetricResult):
        return []
    values: list[Detail] = [found.details.get(name) for name in names]
    return [
        Dot(line=line, mark=mark, value=value)
        for mark, value in enumerate(values)
        if isinstance(value, float)
    ]


def _with_dots(charts: Sequence[DotChart]) -> list[DotChart]:
    return [chart for chart in charts if chart.dots]
