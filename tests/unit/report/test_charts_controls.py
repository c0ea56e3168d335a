from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.support.controlled import CASES, usual
from tests.support.effects import (
    NOTHING,
    UNDEFINED,
    change,
    format_effects,
    format_row,
    placebo_effects,
    placebo_row,
    supplied_effects,
    supplied_row,
)
from turnsure.core.question_controls import ALL_SOURCES
from turnsure.report import charts_controls
from turnsure.report.charts_dots import Dot, DotChart, draw, marks

SVG = "{http://www.w3.org/2000/svg}"


def texts(plot) -> list[str]:
    root = ElementTree.fromstring(plot.to_svg())
    return ["".join(node.itertext()).strip() for node in root.iter(f"{SVG}text")]


def chart(*dots, **changed) -> DotChart:
    whole = {
        "name": "x",
        "title": "t",
        "axis": "axis",
        "unit": "percent",
        "lines": ("a", "b"),
        "marks": marks(("one", "two")),
        "zero_line": True,
        **changed,
    }
    return DotChart(dots=dots, **whole)


def test_marks_differ_in_shape_and_colour_and_then_in_one_of_them():
    few = marks([str(k) for k in range(6)], own="own")
    for pick in ("colour", "shape", "glyph"):
        assert len({getattr(mark, pick) for mark in few if mark.name != "own"}) == 6
    assert few[0].name == "own"
    many = marks([str(k) for k in range(36)])
    assert len({(mark.colour, mark.shape) for mark in many}) == 36
    assert few[0].glyph not in {mark.glyph for mark in many}


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (-0.2, 0.3, ["−20", "−10", "0", "+10", "+20", "+30"]),
        (0.0, 0.004, ["0", "+0.5", "+1", "+1.5", "+2"]),
        (-1.0, 1.0, ["−100", "−50", "0", "+50", "+100"]),
    ],
)
def test_ticks_are_round_and_signed(low, high, ticks):
    shown = texts(draw(chart(Dot(line=0, mark=0, value=low), Dot(line=0, mark=1, value=high)),
                       legend=False))  # fmt: skip
    assert [text for text in shown if re.fullmatch(r"[+−]?[\d.]+", text)] == ticks


def test_ticks_of_fractions_are_short():
    one = chart(Dot(line=0, mark=0, value=1.0), unit="fraction", zero_line=False)
    shown = texts(draw(one, legend=False))
    assert [text for text in shown if re.fullmatch(r"[\d.]+", text)] == [
        "0", ".2", ".4", ".6", ".8", "1",
    ]  # fmt: skip


def test_the_key_is_inside_only_where_it_is_wanted():
    dots = [Dot(line=0, mark=k, value=0.1) for k in range(2)]
    assert {"one", "two"} <= set(texts(draw(chart(*dots), legend=True)))
    assert not {"one", "two"} & set(texts(draw(chart(*dots), legend=False)))


def test_a_line_without_dots_keeps_its_place_and_joints_need_both_ends():
    dots = [Dot(line=0, mark=0, value=0.1), Dot(line=1, mark=0, value=0.1)]
    both = Dot(line=1, mark=1, value=0.3)
    one, two = (
        draw(chart(*some, joined=True, zero_line=False), legend=False).to_svg().count("138,148,160")
        for some in (dots, [*dots, both])
    )
    assert (one, two) == (0, 1)
    assert {"a", "b"} <= set(texts(draw(chart(dots[0]), legend=False)))


def test_placebo_charts_hold_both_changes_of_each_method_and_their_intervals():
    rows = [
        placebo_row(information=change(0.1, 0.0, 0.2), placebo=change(-0.1)),
        placebo_row(method="b", placebo=UNDEFINED),
        placebo_row(method="c", target="gold", information=UNDEFINED, placebo=UNDEFINED),
    ]
    [own] = charts_controls.placebo_charts(placebo_effects(*rows))
    assert own.name == "placebo_answer"
    assert own.lines == ("P(True)", "b")
    found = [(dot.line, dot.mark, dot.value, dot.bounds is None) for dot in own.dots]
    assert found == [(0, 0, 0.1, False), (0, 1, -0.1, True), (1, 0, 0.1, False)]


def test_format_charts_hold_both_values_and_accuracy_last():
    told = format_effects(format_row(change(-0.3), info_ece=NOTHING))
    [confidence] = charts_controls.format_charts(told)
    assert confidence.lines == ("P(True)", "accuracy")
    found = [(dot.line, dot.mark, round(dot.value, 6)) for dot in confidence.dots]
    assert found == [(0, 0, 0.5), (0, 1, 0.2), (1, 0, 0.5), (1, 1, 0.54)]
    assert [mark.name for mark in confidence.marks] == ["turns", "one summary"]


def test_the_gap_has_a_mark_for_each_source():
    effects = supplied_effects(
        supplied_row(change(0.1), "remaining"), supplied_row(change(0.2), ALL_SOURCES)
    )
    [gap] = charts_controls.supplied_charts(effects)
    assert [mark.name for mark in gap.marks] == ["all judged sources", "remaining"]
    assert [(dot.mark, dot.value) for dot in gap.dots] == [(0, 0.2), (1, 0.1)]
    assert charts_controls.supplied_charts(supplied_effects()) == []


def test_protocol_charts_set_each_variant_beside_the_own_protocol():
    effects = usual().evaluation.controls.protocols
    found = charts_controls.protocol_charts(effects)
    assert [one.name.removeprefix("protocols_") for one in found] == [
        "info_ece",
        "kendall_tau",
        "auroc",
    ]
    assert [one.axis for one in found] == [
        "InfoECE, % (lower is better)",
        "τ, % (higher is better)",
        "AUROC (higher is better)",
    ]
    for one in found:
        assert len(one.dots) == 2 * len(effects.rows)
        assert {dot.mark for dot in one.dots} == set(range(len(one.marks)))
        for dot, row in zip(one.dots[1::2], effects.rows, strict=True):
            assert one.marks[dot.mark].name == row.variant
            assert one.lines[dot.line] == row.method
            metric = one.name.removeprefix("protocols_")
            assert dot.value == row.differences[metric].details["right"]


@pytest.mark.parametrize("case", CASES)
def test_every_case_is_drawn_without_a_word_from_the_library(case, capfd):
    for one in charts_controls.control_charts(CASES[case]().evaluation.controls):
        assert one.dots
        shown = ElementTree.fromstring(draw(one, legend=True).to_svg())
        assert not list(shown.iter(f"{SVG}a"))
        assert not list(shown.iter(f"{SVG}script"))
    assert capfd.readouterr().out == ""


def test_two_methods_with_the_same_beginning_get_two_lines():
    names = ["m" * 40 + "1", "m" * 40 + "2"]
    effects = placebo_effects(*(placebo_row(method=name) for name in names))
    [own] = charts_controls.placebo_charts(effects)
    shown = texts(draw(own, legend=False))
    assert {"m" * 23 + "…", "m" * 23 + "… (2)"} <= set(shown)
