"""Dots, with whiskers or joined in pairs, one line of the chart a method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from turnsure.core.results import Interval
from turnsure.report import charts
from turnsure.report.charts import Plot
from turnsure.report.text import Unit, number

_LOOKS = (
    ("#0072b2", 21, "●"),
    ("#d55e00", 24, "▲"),
    ("#12727c", 22, "■"),
    ("#b8860b", 23, "◆"),
    ("#7b3f8c", 25, "▼"),
    ("#5b6776", 8, "✱"),
)
"""Colour, shape of the library and the same shape as a character; they differ in lightness too."""

_OWN_LOOK = (charts.INK, 21, "○")
"""The only hollow one."""

_STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 5
_WIDTH = 480
_LEAST_SPAN = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One kind of dot: its name in the key, and colour, shape and character."""

    name: str
    colour: str
    shape: int
    glyph: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """One dot: its line and its mark by place, its value, and its interval where it has one."""

    line: int
    mark: int
    value: float
    bounds: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DotChart:
    """A chart before it is drawn.

    Attributes
    ----------
    name
        Unique within the page; also the name of its file.
    title
        What it shows, in a few words.
    axis
        Of the values, with their unit.
    unit
        How the ticks are written.
    lines
        Names of the lines from top to bottom.
    marks
        The kinds of dots; none has a key of its own when there is only one.
    dots
        In any order.
    zero_line
        Whether the values are differences, whose ticks have signs and whose 0 is a line.
    joined
        Whether the dots of a line are joined, two marks being two states of the same thing.
    """

    name: str
    title: str
    axis: str
    unit: Unit
    lines: tuple[str, ...]
    marks: tuple[Mark, ...]
    dots: tuple[Dot, ...]
    zero_line: bool
    joined: bool = False


def marks(names: Sequence[str], *, own: str | None = None) -> tuple[Mark, ...]:
    """Marks that differ in colour and shape; ``own`` comes first where it is given."""
    n = len(_LOOKS)
    looks = [
        (name, (_LOOKS[(k + k // n) % n][0], *_LOOKS[k % n][1:])) for k, name in enumerate(names)
    ]
    if own is not None:
        looks.insert(0, (own, _OWN_LOOK))
    return tuple(
        Mark(name=name, colour=colour, shape=shape, glyph=glyph)
        for name, (colour, shape, glyph) in looks
    )


def draw(chart: DotChart, *, legend: bool) -> Plot:
    """The chart; with its key inside for a file, without it for a page that writes it beside."""
    lp = charts.library()
    labels = charts.safe_labels(chart.lines)
    names = charts.safe_labels([mark.name for mark in chart.marks])
    n_lines = len(chart.lines)
    drawn = [(dot, n_lines - 1 - dot.line + _offset(dot.mark, chart)) for dot in chart.dots]
    lows = [dot.value if dot.bounds is None else dot.bounds.low for dot in chart.dots]
    highs = [dot.value if dot.bounds is None else dot.bounds.high for dot in chart.dots]
    data = {
        "mark": [names[dot.mark] for dot, _ in drawn],
        "place": [place for _, place in drawn],
        "value": [dot.value for dot, _ in drawn],
        "low": lows,
        "high": highs,
    }
    low = min([0.0, *lows])
    high = max([0.0, *highs, low + _LEAST_SPAN])
    pad = 0.04 * (high - low)
    ticks = _ticks(low, high, chart.unit, signed=chart.zero_line)
    plot = lp.ggplot(data, lp.aes("value", "place", color="mark", shape="mark"))
    if chart.zero_line:
        plot += lp.geom_vline(xintercept=0, color=charts.MUTED, size=0.9)
    if chart.joined:
        plot += _joints(drawn)
    plot = (
        plot
        + lp.geom_segment(lp.aes(x="low", xend="high", yend="place"), size=1.1, show_legend=False)
        + lp.geom_point(lp.aes(fill="mark"), size=3.7)
        + lp.scale_color_manual([mark.colour for mark in chart.marks], limits=names)
        + lp.scale_fill_manual([_filling(mark) for mark in chart.marks], limits=names)
        + lp.scale_shape_manual([mark.shape for mark in chart.marks], limits=names)
        + lp.scale_x_continuous(limits=[low - pad, high + pad], breaks=ticks, expand=[0, 0])
        + lp.scale_y_continuous(
            limits=[-0.5, n_lines - 0.5],
            breaks=list(range(n_lines)),
            labels=list(reversed(labels)),
            expand=[0, 0],
        )
        + lp.labs(x=chart.axis)
        + charts.theme()
        + lp.theme(
            axis_title_y=lp.element_blank(),
            panel_grid_major_y=lp.element_blank(),
            axis_text_y=lp.element_text(color=charts.INK, size=13),
        )
    )
    height = 70 + n_lines * max(34, 8 + 15 * len(chart.marks))
    if not legend:
        return plot + lp.theme(legend_position="none") + lp.ggsize(_WIDTH, height)
    key = lp.guide_legend(ncol=2)
    height += 12 + 24 * math.ceil(len(chart.marks) / 2)
    return plot + lp.guides(color=key, fill=key, shape=key) + lp.ggsize(_WIDTH, height)


def _offset(mark: int, chart: DotChart) -> float:
    """How far a mark stands above the middle of its line, the first one on top."""
    return 0.7 * (len(chart.marks) / 2 - 0.5 - mark) / len(chart.marks)


def _filling(mark: Mark) -> str:
    """The mark that all others are compared with is hollow."""
    return "white" if mark.glyph == _OWN_LOOK[2] else mark.colour


def _joints(drawn: Sequence[tuple[Dot, float]]) -> Any:
    """Thin grey lines from the first mark to the second, where a line has both."""
    lp = charts.library()
    ends: dict[int, dict[int, tuple[float, float]]] = {}
    for dot, place in drawn:
        ends.setdefault(dot.line, {})[dot.mark] = (dot.value, place)
    pairs = [(both[0], both[1]) for both in ends.values() if {0, 1} <= both.keys()]
    data = {
        "x": [start[0] for start, _ in pairs],
        "y": [start[1] for start, _ in pairs],
        "xend": [end[0] for _, end in pairs],
        "yend": [end[1] for _, end in pairs],
    }
    return lp.geom_segment(
        data=data,
        mapping=lp.aes("x", "y", xend="xend", yend="yend"),
        color=charts.UNGRADED,
        size=0.8,
        inherit_aes=False,
    )


def _ticks(low: float, high: float, unit: Unit, *, signed: bool) -> dict[str, float]:
    """Round values from ``low`` to ``high``, by their labels."""
    step = next((one for one in _STEPS if (high - low) / one <= _MOST_TICKS), 0.5)
    values = [
        round(k * step, 6)
        for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    ]
    return {_tick(value, unit, signed=signed): value for value in values}


def _tick(value: float, unit: Unit, *, signed: bool) -> str:
    """As short as it can be: ``+5``, ``0``, ``.2``."""
    shown = number(value, unit)
    if "." in shown:
        shown = shown.rstrip("0").removesuffix(".") or "0"
    return ("+" if signed and value > 0 else "") + shown
