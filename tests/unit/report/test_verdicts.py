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
from turnsure.core.question_controls import ALL_SOURCES
from turnsure.report.verdicts import judged, standings

UP, DOWN = change(0.1, 0.06, 0.2), change(-0.1, -0.2, -0.06)
NONE, WIDE = change(0.0, -0.01, 0.01, p=0.9), change(0.1, -0.1, 0.3, p=0.3)


def test_every_row_is_judged_once():
    effects = ControlEffects(
        placebo=placebo_effects(
            placebo_row(placebo=UP, separation=WIDE), placebo_row(separation=WIDE, target="gold")
        ),
        formats=(
            format_effects(format_row(UP), condition="joined"),
            format_effects(format_row(NONE)),
        ),
        supplied=supplied_effects(
            supplied_row(DOWN, "remaining"),
            supplied_row(DOWN, "eliminated"),
            supplied_row(WIDE, "samples"),
            supplied_row(UP, ALL_SOURCES),
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
        ("supplied", "all judged sources", "passed", "", "control-supplied", True),
        ("supplied", "samples", "open", "", "control-supplied", False),
        ("supplied", "eliminated", "failed", "", "control-supplied", False),
    ]


def test_a_single_judged_source_is_the_main_one():
    supplied = supplied_effects(supplied_row(UP, "remaining"), supplied_row(DOWN, "samples"))
    [one] = judged(ControlEffects(supplied=supplied))
    assert (one.part, one.verdict, one.main) == ("samples", "failed", True)


def test_what_still_fits_the_hints_is_in_no_verdict():
    supplied = supplied_effects(supplied_row(UP, "remaining"))
    assert judged(ControlEffects(supplied=supplied)) == ()


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
