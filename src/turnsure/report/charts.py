"""What all charts share: the plotting library, colours, theme, panels and safe labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from turnsure.core.results import Curve
from turnsure.report.text import printable, shortened

ACCURACY, CONFIDENCE = "#0072b2", "#d55e00"
RIGHT, WRONG, UNGRADED = "#12727c", "#e8a33d", "#8a94a0"
ANSWER, GOLD = "#2f4b7c", "#b8860b"
INK, MUTED, GRID = "#1d2733", "#5b6776", "#e4e8ed"
"""Pairs differ in lightness as well as in hue, so that no kind of colour vision mixes them up."""

PANEL_WIDTH, PANEL_HEIGHT, PANELS_A_ROW = 360, 270, 3

PERCENT_TICKS = {"0": 0.0, "25": 0.25, "50": 0.5, "75": 0.75, "100 %": 1.0}
BARE_TICKS = {"0": 0.0, "25": 0.25, "50": 0.5, "75": 0.75, "100": 1.0}
"""For horizontal axes, where a sign would run into the next panel; the title has it."""

_LABEL_LIMIT = 24
_NO_BREAK_IN_SIGHT = "\u200b"


class Plot(Protocol):
    """A finished drawing."""

    def to_svg(self) -> str: ...

    def to_png(self, path: str, scale: float) -> object: ...


def library() -> Any:
    """The plotting library, imported when the first chart is drawn.

    Its docstrings hold invalid escape sequences, of which Python warns while compiling them; that
    is nothing a user of the report can mend.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="invalid escape sequence")
        return import_module("lets_plot")


def safe_labels(names: Sequence[str]) -> list[str]:
    """Names as chart labels: one line, short, different, and never read as markup.

    The library turns an ``<a href=…>`` into a link and a backslash with a parenthesis into a
    formula, also in labels.  An invisible space after ``<`` and backslashes keeps both as text.
    """
    labels: list[str] = []
    for name in names:
        plain = shortened(printable(name), _LABEL_LIMIT)
        for opener in ("\\", "<"):
            plain = plain.replace(opener, opener + _NO_BREAK_IN_SIGHT)
        label, k = plain, 1
        while label in labels:
            k += 1
            label = f"{plain} ({k})"
        labels.append(label)
    return labels


def theme() -> Any:
    """Quiet axes and a thin grid on white."""
    lp = library()
    text = lp.element_text(color=MUTED, size=12)
    return lp.theme_minimal() + lp.theme(
        axis_title=lp.element_text(color=INK, size=12),
        axis_text=text,
        axis_text_x=lp.element_text(angle=0),
        legend_text=lp.element_text(color=INK, size=13),
        legend_title=lp.element_blank(),
        legend_position="top",
        strip_text=lp.element_text(color=INK, size=14, face="bold"),
        plot_caption=text,
        panel_grid_major=lp.element_line(color=GRID, size=0.7),
        panel_grid_minor=lp.element_blank(),
        plot_margin=[8, 20, 8, 8],
    )


def canvas(data: Mapping[str, Sequence[Any]], mapping: Any, labels: Sequence[str]) -> Any:
    """An empty plot over ``data`` that will have a panel for each of ``labels``, in this order.

    The order of panels is that in which the layers first name them, so an invisible layer comes
    first; it also gives a panel to a method without data.
    """
    lp = library()
    middle = [0.5] * len(labels)
    return lp.ggplot(data, mapping) + lp.geom_blank(
        lp.aes("x", "y"),
        data={"method": list(labels), "x": middle, "y": middle},
        inherit_aes=False,
    )


def in_panels(
    plot: Any, labels: Sequence[str], empty: Sequence[str], *, free_height: float | None = None
) -> Plot:
    """``plot`` split by its column ``method``: a panel a label, those in ``empty`` with a remark.

    Parameters
    ----------
    plot
        A plot over the columns of one or several methods.
    labels
        Values of the column ``method``, in the order of the panels.
    empty
        Labels without anything to draw.
    free_height
        Given when every panel has a y axis of its own: the height at its middle if nothing is
        drawn.  None for common axes from 0 to 1.
    """
    lp = library()
    if empty:
        middle = 0.5 if free_height is None else free_height
        plot += lp.geom_text(
            data={"method": list(empty), "x": [0.5] * len(empty), "y": [middle] * len(empty)},
            mapping=lp.aes("x", "y"),
            label="no scored turns",
            color=MUTED,
            size=5,
            inherit_aes=False,
        )
    scales = "fixed" if free_height is None else "free_y"
    columns = min(PANELS_A_ROW, len(labels))
    rows = -(-len(labels) // columns)
    return (
        plot
        + lp.facet_wrap("method", ncol=columns, scales=scales, order=0)
        + lp.ggsize(PANEL_WIDTH * columns, PANEL_HEIGHT * rows + 60)
    )


def curve_columns(curves: Sequence[tuple[str, str, Curve]]) -> dict[str, list[Any]]:
    """The points of (label, kind, curve) as columns; without an interval its ends are the value."""
    points = [(label, what, point) for label, what, curve in curves for point in curve.points]
    return {
        "method": [label for label, _, _ in points],
        "what": [what for _, what, _ in points],
        "level": [point.x for _, _, point in points],
        "share": [point.y for _, _, point in points],
        "low": [point.y if point.low is None else point.low for _, _, point in points],
        "high": [point.y if point.high is None else point.high for _, _, point in points],
    }


def level_axis() -> Any:
    """The information level from 0 to 1."""
    return library().scale_x_continuous(
        limits=[0, 1.03], breaks=[0.2, 0.4, 0.6, 0.8, 1], expand=[0, 0], format=".1f"
    )


def alone(plot: Any) -> Plot:
    """``plot`` as a single panel without a legend, for a page that writes both beside it."""
    lp = library()
    return plot + lp.ggsize(PANEL_WIDTH, PANEL_HEIGHT) + lp.theme(legend_position="none")
