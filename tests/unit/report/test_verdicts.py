from __future__ import annotations

from tests.support.controlled import usual
from tests.support.effects import (
    change,
    format_effects,
    format_row,
    placebo_effects,
    placebo_row,
    supplied_effects,
    supplied_row,
)
from turnsure.core.controls import ControlEffects
from turnsure.report.verdicts import judged, standings

GAP = change(0.1, 0.05, 0.2)


def test_every_row_is_judged_once():
    effects = ControlEffects(
        placebo=placebo_effects(placebo_row("turns"), placebo_row("open", target="gold")),
        formats=(
            format_effects(format_row("failed", GAP), condition="joined"),
            format_effects(format_row("passed", GAP)),
        ),
        supplied=supplied_effects(
            supplied_row("failed", GAP, "remaining"),
            supplied_row("open", GAP, "samples"),
            supplied_row("passed", GAP, "all"),
        ),
    )
    assert [
        (one.control, one.part, one.verdict, one.why, one.anchor, one.main)
        for one in judged(effects)
    ] == [
        ("placebo", "own answer", "failed", "follows the number of turns", "control-placebo", True),
        ("placebo", "gold answer", "open", "", "control-placebo", True),
        ("single turn", "joined hints", "failed", "", "control-formats", True),
        ("single turn", "one summary", "passed", "", "control-formats", True),
        ("supplied", "all sources", "passed", "", "control-supplied", True),
        ("supplied", "samples", "open", "", "control-supplied", False),
        ("supplied", "remaining", "failed", "", "control-supplied", False),
    ]


def test_one_source_is_not_told_twice():
    supplied = supplied_effects(
        supplied_row("failed", GAP, "all"), supplied_row("failed", GAP, "samples")
    )
    [one] = judged(ControlEffects(supplied=supplied))
    assert (one.part, one.main) == ("samples", True)


def test_a_method_stands_once_with_all_its_verdicts():
    verdicts = judged(usual().evaluation.controls)
    found = standings(verdicts)
    assert [one.method for one in found] == list(usual().table.methods)
    spread = [one for standing in found for one in (*standing.passed, *standing.failed)]
    spread += [one for standing in found for one in standing.open]
    assert len(spread) == len(verdicts)
    assert set(spread) == set(verdicts)
    assert judged(ControlEffects()) == ()
    assert standings(()) == ()
