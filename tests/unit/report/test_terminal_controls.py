from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from tests.support.controlled import CASES, hostile_controls, single_dialogue, usual
from tests.support.effects import change, supplied_effects, supplied_row
from tests.support.synthetic import synthetic
from turnsure.core.controls import ControlEffects
from turnsure.core.question_controls import ALL_SOURCES
from turnsure.report import controls_table
from turnsure.report.readings import placebo_counts, placebo_sentences

UP, DOWN = change(0.1, 0.08, 0.2), change(-0.1, -0.2, -0.08)


def printed(renderable, width=80, **console):
    out = io.StringIO()
    Console(file=out, width=width, **console).print(renderable)
    return out.getvalue()


def table_of(**found):
    """The table of these controls alone."""
    return controls_table(replace(synthetic(1).evaluation, controls=ControlEffects(**found)))


def words(text):
    return " ".join(text.split())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_too_long_and_no_verdict_is_cut(case, width):
    shown = printed(controls_table(CASES[case]().evaluation), width)
    assert max(map(len, shown.splitlines())) <= width
    for heading in ("own answer", "gold answer", "joined hints", "one summary", "supplied"):
        assert heading in shown


def test_a_line_a_method_with_all_its_verdicts():
    shown = printed(controls_table(usual().evaluation))
    verdicts = {
        line.split()[0]: re.findall(r"[✓✗?] \w+|—", line)
        for line in shown.splitlines()
        if re.search(r"[✓✗?] \w+", line)
    }
    assert list(verdicts) == list(usual().table.methods)
    assert verdicts["vanilla_verb"][0] == "✗ failed"
    assert verdicts["p_true"][:2] == ["✓ passed", "✓ passed"]
    assert verdicts["self_consistency"][4] == "—"
    assert all(len(found) == 5 for found in verdicts.values())


def test_counts_and_decided_readings_stand_below():
    effects = usual().evaluation.controls
    shown = words(printed(controls_table(usual().evaluation)))
    assert placebo_counts(effects.placebo) in shown
    assert "Two methods change places in" in shown
    for sentence in placebo_sentences(effects.placebo):
        assert (sentence.whole in shown) == sentence.decided


def test_what_is_open_gets_no_line():
    shown = printed(controls_table(single_dialogue().evaluation))
    assert "? open" in shown
    assert "cannot be told" not in shown
    assert "·" not in shown


def test_single_sources_get_a_line_where_they_failed():
    rows = [
        supplied_row(UP, ALL_SOURCES),
        supplied_row(UP, "samples"),
        supplied_row(DOWN, "eliminated"),
        supplied_row(DOWN, "remaining"),
    ]
    shown = words(printed(table_of(supplied=supplied_effects(*rows))))
    assert re.findall(r"· P\(True\) \((.*?)\)", shown) == ["all judged sources", "eliminated"]


def test_a_single_judged_source_is_told_whatever_came_out():
    for gap, verdict in ((UP, "✓ passed"), (DOWN, "✗ failed")):
        rows = [supplied_row(DOWN, "remaining"), supplied_row(gap, "samples")]
        shown = words(printed(table_of(supplied=supplied_effects(*rows))))
        assert re.findall(r"[✓✗?] \w+", shown) == [verdict]
        assert re.findall(r"· P\(True\) \((.*?)\)", shown) == ["samples"]


def test_what_is_not_judged_is_told_alone_and_is_no_verdict():
    shown = words(printed(table_of(supplied=supplied_effects(supplied_row(UP, "remaining")))))
    assert shown == (
        "· P(True) (remaining) gives the gold answer 10.0 points [8.0, 20.0] more than candidates "
        "that still fit the hints."
    )


def test_nothing_without_controls():
    assert printed(controls_table(synthetic(3).evaluation)) == ""


def test_texts_cannot_steer_the_terminal():
    shown = printed(
        controls_table(hostile_controls().evaluation), force_terminal=True, color_system="standard"
    )
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert not re.search(r"\x1b(?!\[[\d;]*m)", shown)
