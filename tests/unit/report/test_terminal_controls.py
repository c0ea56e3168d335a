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
from turnsure.report import controls_table
from turnsure.report.readings import placebo_counts, placebo_sentences


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
    passed, failed = change(0.1, 0.08, 0.2), change(-0.1, -0.2, -0.08)
    rows = [
        supplied_row("passed", passed, "all"),
        supplied_row("passed", passed, "samples"),
        supplied_row("failed", failed, "remaining"),
    ]
    shown = printed(table_of(supplied=supplied_effects(*rows)))
    assert "(all sources)" in shown
    assert "(remaining)" in shown
    assert "(samples)" not in shown
    one = [supplied_row("failed", failed, "all"), supplied_row("failed", failed, "samples")]
    shown = printed(table_of(supplied=supplied_effects(*one)))
    assert shown.count("·") == 1


def test_nothing_without_controls():
    assert printed(controls_table(synthetic(3).evaluation)) == ""


def test_texts_cannot_steer_the_terminal():
    shown = printed(
        controls_table(hostile_controls().evaluation), force_terminal=True, color_system="standard"
    )
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert not re.search(r"\x1b(?!\[[\d;]*m)", shown)
