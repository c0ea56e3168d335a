"""Makes the SVG text of a chart repeatable, small, and fit to stand in a page with others."""

from __future__ import annotations

import re
from html import escape

from turnsure.report.charts import Plot

_ROOT = re.compile(r'<svg [^>]*?width="(?P<width>[\d.]+)" height="(?P<height>[\d.]+)"[^>]*>')
_STYLE = re.compile(r"<style[^>]*>(?P<rules>.*?)</style>", re.DOTALL)
_RULE = re.compile(r"(?P<place>#\w+) \.(?P<name>[\w-]+) \{(?P<body>[^}]*)\}")
_CLASS = re.compile(r'class="([\w-]+)"')
_ID = re.compile(r'id="(\w+)"')
_TAG = re.compile(r"<[^>]*>")
_LONG_NUMBER = re.compile(r"\d+\.\d{3,}")
_BETWEEN_TAGS = re.compile(r">\s+<")


def standalone(plot: Plot, *, key: str) -> str:
    """The chart as the text of an SVG file.

    Random ids become ``key-1``, ``key-2`` …, style rules that nothing uses or that would reach
    beyond the chart are dropped, and coordinates are rounded to a hundredth of a pixel.
    """
    source = plot.to_svg()
    used = set(_CLASS.findall(source))
    rules = "".join(
        f"{rule['place']} .{rule['name']}{{{' '.join(rule['body'].split())}}}"
        for rule in _RULE.finditer(source)
        if rule["name"] in used
    )
    source = _STYLE.sub(f"<style>{rules}</style>", source, count=1)
    for k, old in enumerate(dict.fromkeys(_ID.findall(source)), start=1):
        source = re.sub(rf"(?<=[\"#]){old}\b", f"{key}-{k}", source)
    source = _TAG.sub(
        lambda tag: _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}", tag[0]), source
    )
    return _BETWEEN_TAGS.sub("><", source)


def inline(plot: Plot, *, key: str, label: str) -> str:
    """The chart as HTML: an element as wide as its place, described to readers by ``label``.

    ``key`` must be unique within the page and fit for an HTML id.  The library escapes the text
    of its labels, and ``label`` is escaped here, so the result needs no further escaping.
    """
    source = standalone(plot, key=key)
    root = _ROOT.search(source)
    if root is None:
        raise ValueError("the plotting library wrote an SVG without a width and a height")
    box = f"0 0 {root['width']} {root['height']}"
    opening = f'<svg viewBox="{box}" role="img" aria-label="{escape(label)}">'
    return opening + source[root.end() :]
