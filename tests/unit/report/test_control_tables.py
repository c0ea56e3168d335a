from __future__ import annotations

from dataclasses import replace

from tests.support.effects import (
    NOTHING,
    UNDEFINED,
    change,
    format_effects,
    format_row,
    found,
    placebo_effects,
    placebo_row,
    supplied_effects,
    supplied_row,
)
from turnsure.core.question_controls import ALL_SOURCES, ProtocolEffects, VariantRow
from turnsure.report.control_cells import MEANS, change_cell, mean, pair_cell
from turnsure.report.control_tables import (
    format_rows,
    placebo_groups,
    supplied_groups,
    variant_groups,
)


def test_a_change_has_its_arrow_its_interval_and_both_p_values():
    cell = change_cell(change(-0.0227, -0.04, -0.01, p=0.0004, p_holm=0.012))
    assert (cell.before, cell.after, cell.change, cell.arrow) == ("50.0", "47.7", "−2.3", "↓")
    assert (cell.interval, cell.p, cell.p_holm) == ("[−4.0, −1.0]", "<.001", ".012")
    assert cell.significant
    assert "random sign patterns" in cell.note
    up = change_cell(change(0.0227, p=0.04, p_holm=0.05))
    assert (up.change, up.arrow, up.interval, up.significant) == ("+2.3", "↑", None, False)
    assert change_cell(change(0.0002)).arrow == change_cell(change(-0.0002)).arrow == ""


def test_a_missing_change_is_all_dashes_and_says_why():
    cell = change_cell(UNDEFINED)
    shown = (cell.before, cell.after, cell.change, cell.p, cell.p_holm)
    assert shown == ("—",) * 5
    assert (cell.arrow, cell.interval, cell.significant) == ("", None, False)
    assert cell.note == "not defined: no turn has both values."


def test_pairs_have_both_values_and_the_difference():
    cell = pair_cell(found(-0.05, -0.1, 0.01, left=0.7, right=0.65), "fraction")
    assert (cell.left, cell.right, cell.difference) == (".700", ".650", "−.050")
    assert cell.interval == "[−.100, .010]"
    means = pair_cell(found(0.1, mean_before=0.4, mean_after=0.5), "percent", MEANS)
    assert (means.left, means.right, means.difference) == ("40.0", "50.0", "+10.0")
    assert pair_cell(NOTHING, "percent").note == "not defined: no turn has both values."
    assert pair_cell(None, "percent").note == "not computed"
    assert pair_cell(NOTHING, "percent").left == "—"
    assert (mean(None), mean(0.5)) == ("—", "50.0")


def test_placebo_tables_are_those_of_the_targets_that_were_asked():
    effects = placebo_effects(
        placebo_row(placebo=change(0.1, 0.06, 0.2), separation=change(0.0, -0.03, 0.03, p=0.9)),
        placebo_row(separation=UNDEFINED, target="gold", before=None),
        accuracy_placebo=None,
    )
    own, gold = placebo_groups(effects)
    assert own.accuracy == ("40.0", "60.0", "—")
    assert (own.lines[0].before, own.lines[0].why) == ("50.0", "follows the number of turns")
    assert [cell.change for cell in own.lines[0].changes] == ["+10.0", "+10.0", "0.0"]
    assert (gold.accuracy, gold.lines[0].before) == ((), "—")
    assert len(placebo_groups(placebo_effects(placebo_row()))) == 1
    assert placebo_groups(placebo_effects()) == ()


def test_format_and_supplied_lines():
    line = format_rows(format_effects(format_row(change(-0.3)))).lines[0]
    assert (line.changes[0].after, line.verdict) == ("20.0", "open")
    assert [(pair.left, pair.right) for pair in line.pairs] == [("10.0", "11.0"), ("50.0", "49.0")]
    groups = supplied_groups(
        supplied_effects(
            supplied_row(change(0.1, 0.06, 0.2)),
            supplied_row(change(0.1), ALL_SOURCES),
            supplied_row(change(0.1, 0.06, 0.2), "remaining"),
            supplied_row(change(0.1), "samples"),
            supplied_row(change(0.1), "unnamed"),
        )
    )
    assert [(group.heading, group.remark, group.lines[0].verdict) for group in groups] == [
        ("all judged sources", "13 wrong answers", "open"),
        ("samples", "1 wrong answer; 39 turns without one", "open"),
        ("remaining", "30 wrong answers; 10 turns without one", None),
        ("eliminated", "12 wrong answers; 28 turns without one", "passed"),
        ("unnamed", "0 wrong answers", "open"),
    ]
    line = groups[0].lines[0]
    assert (line.auroc.value, line.behind) == (".700", "40 turns, 93 answers")
    bare = replace(supplied_row(change(0.1)), auroc=NOTHING)
    line = supplied_groups(supplied_effects(bare))[0].lines[0]
    assert (line.auroc.value, line.behind) == ("—", "")


def test_variants_have_the_digest_of_their_protocol():
    rows = [
        VariantRow(
            variant=variant,
            method=method,
            differences={"info_ece": found(0.1, left=0.1, right=0.2), "auroc": NOTHING},
        )
        for variant, method in (("swapped", "a"), ("reworded", "a"), ("swapped", "b"))
    ]
    protocols = {"reworded": "ab" * 20, "swapped": "cd" * 20}
    swapped, reworded = variant_groups(
        ProtocolEffects(protocols=protocols, left_out={}, rows=tuple(rows), flips=(), n_pairs=0)
    )
    assert (swapped.heading, swapped.digest) == ("swapped", "cdcdcdcdcdcd")
    assert (reworded.heading, reworded.digest) == ("reworded", "abababababab")
    assert [line.method for line in swapped.lines] == ["a", "b"]
    assert [pair.right for pair in swapped.lines[0].pairs] == ["20.0", "—", "—"]
