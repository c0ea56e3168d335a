from __future__ import annotations

import re
from functools import partial

import pytest

from tests.support.effects import (
    NOTHING,
    UNDEFINED,
    change,
    format_effects,
    format_row,
    found,
    placebo_effects,
    placebo_row,
)
from turnsure.report.readings import (
    confidence_sentences,
    format_sentences,
    placebo_counts,
    placebo_sentence,
    placebo_sentences,
)

UP = change(0.118, 0.091, 0.145)
DOWN = change(-0.03, -0.05, -0.012)
WIDE = change(0.04, -0.03, 0.11, p=0.3)
BARELY = change(0.02, 0.003, 0.04, p=0.03, p_holm=0.081)
LITTLE = change(0.01, 0.004, 0.019)

lower, higher = partial(found, direction="lower"), partial(found, direction="higher")


@pytest.mark.parametrize(
    ("diagnosis", "row", "said"),
    [
        pytest.param(
            "turns",
            placebo_row(placebo=UP, separation=WIDE),
            "rose by 11.8 points [9.1, 14.5] on placebo turns, and real hints do not raise it "
            "clearly more: it follows the number of turns.",
            id="turns",
        ),
        pytest.param(
            "turns",
            placebo_row(placebo=UP, separation=DOWN),
            "rose by 11.8 points [9.1, 14.5] on placebo turns, and is 3.0 points [1.2, 5.0] lower "
            "after real hints than after placebos: it follows the number of turns.",
            id="turns, and less on hints",
        ),
        pytest.param(
            "turns",
            placebo_row(placebo=UP, separation=LITTLE),
            "rose by 11.8 points [9.1, 14.5] on placebo turns, and real hints differ from placebos "
            "by less than 2.0 points [0.4, 1.9]: it follows the number of turns.",
            id="turns, as on hints",
        ),
        pytest.param(
            "mixed",
            placebo_row(placebo=UP, separation=change(0.05, 0.02, 0.08)),
            "rose by 11.8 points [9.1, 14.5] on placebo turns and is 5.0 points [2.0, 8.0] higher "
            "still after real hints: it follows both information and the number of turns.",
            id="mixed",
        ),
        pytest.param(
            "information",
            placebo_row(placebo=WIDE, separation=UP),
            "is 11.8 points [9.1, 14.5] higher after real hints than after placebos, and what "
            "placebos alone do cannot be told from these data (n = 40 turns of 12 dialogues): it "
            "follows information.",
            id="information, placebo open",
        ),
        pytest.param(
            "information",
            placebo_row(placebo=DOWN, separation=UP),
            "is 11.8 points [9.1, 14.5] higher after real hints than after placebos, and it fell "
            "by 3.0 points [1.2, 5.0] on placebos: it follows information.",
            id="information, falls on placebos",
        ),
        pytest.param(
            "information",
            placebo_row(placebo=BARELY, separation=UP),
            "is 11.8 points [9.1, 14.5] higher after real hints than after placebos, and what "
            "placebos alone do cannot be told from these data (n = 40 turns of 12 dialogues): it "
            "follows information.",
            id="information, placebo not significant",
        ),
        pytest.param(
            "information",
            placebo_row(placebo=LITTLE, separation=UP),
            "is 11.8 points [9.1, 14.5] higher after real hints than after placebos, and placebos "
            "move it by less than 2.0 points [0.4, 1.9]: it follows information.",
            id="information, little on placebos",
        ),
        pytest.param(
            "against",
            placebo_row(separation=DOWN),
            "is 3.0 points [1.2, 5.0] lower after real hints than after placebos: it goes against "
            "information.",
            id="against",
        ),
        pytest.param(
            "neither",
            placebo_row(separation=change(0.002, -0.008, 0.011)),
            "differs by less than 2.0 points [−0.8, 1.1] between real hints and placebos: it does "
            "not tell a hint from a placebo.",
            id="neither",
        ),
        pytest.param(
            "open",
            placebo_row(separation=change(0.2, n_turns=1, n_dialogues=1)),
            "may follow information, the number of turns, both or neither: which of them cannot "
            "be told from these data (n = 1 turn of 1 dialogue).",
            id="open",
        ),
        pytest.param(
            "open",
            placebo_row(separation=BARELY),
            "may follow information, the number of turns, both or neither: which of them cannot "
            "be told from these data (n = 40 turns of 12 dialogues).",
            id="open, not significant",
        ),
        pytest.param(
            "open",
            placebo_row(placebo=DOWN, separation=UP, information=DOWN),
            "may follow information, the number of turns, both or neither: which of them cannot "
            "be told from these data (n = 40 turns of 12 dialogues).",
            id="open, falls less on hints",
        ),
        pytest.param(
            "open",
            placebo_row(separation=UNDEFINED),
            "allows no comparison: no turn has both values.",
            id="undefined",
        ),
    ],
)
def test_what_is_said_of_a_placebo(diagnosis, row, said):
    sentence = placebo_sentence(row, tolerance=0.02)
    assert row.diagnosis == diagnosis
    assert sentence.text == said
    assert sentence.whole == f"P(True) (own answer) {said}"
    assert sentence.decided == (row.verdict != "open")


@pytest.mark.parametrize(
    "wide",
    [
        WIDE,
        change(-0.3, -0.61, 0.0, p=0.3),
        change(0.3, 0.0, 0.6, p=0.3),
        pytest.param(change(0.3, 0.0, 0.6), id="significant, touching zero"),
        pytest.param(change(0.3, 0.2, 0.4, n_dialogues=5), id="too few dialogues"),
    ],
)
def test_no_direction_where_none_can_be_told(wide):
    n = wide.change.n_dialogues
    rows = [
        placebo_row(placebo=wide, information=wide),
        placebo_row(separation=wide, placebo=wide, information=wide),
    ]
    assert [row.diagnosis for row in rows] == ["information", "open"]
    texts = [placebo_sentence(row, 0.02).text for row in rows]
    told = format_effects(
        format_row(wide, info_ece=wide.change, kendall_tau=wide.change),
        accuracy=wide.change,
    )
    texts += [one.text for one in format_sentences(told)]
    assert len(texts) == 6
    for text in texts:
        assert f"cannot be told from these data (n = 40 turns of {n} dialogues)" in text
        assert not re.search("rose|fell|lower", text)
    assert "higher" not in "".join(texts[1:])


def test_the_gold_answer_and_every_row_are_named():
    rows = [
        placebo_row(separation=WIDE, target="gold"),
        placebo_row(separation=WIDE, method="a\u202eb\x1b"),
    ]
    sentences = placebo_sentences(placebo_effects(*rows))
    assert [one.aside for one in sentences] == ["gold answer", "own answer"]
    assert sentences[0].whole.startswith("P(True) (gold answer) may")
    assert sentences[1].whole.startswith("a b  (own answer) may")


def test_counts_are_of_corrected_tests_first():
    assert placebo_counts(placebo_effects()) == (
        "Informative turns significant: 7 of 10, placebo turns significant: 3 of 10, after Holm's "
        "correction over all 20 tests; without it 8 and 4."
    )
    assert placebo_counts(placebo_effects(n_tests=0)) == "No change could be tested."


@pytest.mark.parametrize(
    ("verdict", "row", "said"),
    [
        (
            "passed",
            format_row(change(0.004, -0.012, 0.02)),
            "moves by less than 5.0 points [−1.2, 2.0] against the turns.",
        ),
        (
            "passed",
            format_row(change(0.01, 0.004, 0.02)),
            "moves by less than 5.0 points [0.4, 2.0] against the turns.",
        ),
        ("failed", format_row(UP), "rose by 11.8 points [9.1, 14.5] against the turns."),
        (
            "failed",
            format_row(change(-0.07, -0.1, -0.01)),
            "fell by 7.0 points [1.0, 10.0] against the turns.",
        ),
        (
            "open",
            format_row(change(-0.07, -0.1, -0.01, p_holm=0.06)),
            "may or may not move against the turns: this cannot be told from these data (n = 40 "
            "turns of 12 dialogues).",
        ),
        (
            "open",
            format_row(change(0.004, -0.012, 0.02, n_dialogues=5)),
            "may or may not move against the turns: this cannot be told from these data (n = 40 "
            "turns of 5 dialogues).",
        ),
        ("open", format_row(UNDEFINED), "allows no comparison: no turn has both values."),
    ],
)
def test_what_is_said_of_a_format(verdict, row, said):
    [sentence] = confidence_sentences(format_effects(row))
    assert row.verdict == verdict
    assert sentence.whole == f"P(True) (one summary) {said}"
    assert sentence.decided == (row.verdict != "open")


@pytest.mark.parametrize(
    ("accuracy", "said", "decided"),
    [
        (found(0.05, 0.02, 0.08), "is 5.0 points [2.0, 8.0] higher than over the turns.", True),
        (found(-0.05, -0.08, -0.02), "is 5.0 points [2.0, 8.0] lower than over the turns.", True),
        (
            found(0.01, -0.02, 0.03, n_dialogues=None),
            "may or may not differ from that over the turns: this cannot be told from these data "
            "(n = 40 turns).",
            False,
        ),
        (NOTHING, "allows no comparison: no turn has both values.", False),
    ],
)
def test_what_is_said_of_accuracy(accuracy, said, decided):
    first = format_sentences(format_effects(accuracy=accuracy, condition="joined"))[0]
    assert first.whole == f"Accuracy (joined hints) {said}"
    assert first.decided == decided


def test_clear_metrics_are_told_one_by_one_and_open_ones_together():
    unclear = found(0.01, -0.02, 0.03, n_turns=1200, n_dialogues=60)
    few = found(0.03, 0.01, 0.05, n_dialogues=5)
    rows = [
        format_row(WIDE, info_ece=lower(0.03, 0.01, 0.05), kendall_tau=unclear),
        format_row(WIDE, info_ece=lower(-0.03, -0.05, -0.01), kendall_tau=NOTHING),
        format_row(WIDE, info_ece=few, kendall_tau=higher(0.2, 0.1, 0.3)),
        format_row(WIDE, kendall_tau=higher(-0.2, -0.3, -0.1)),
        format_row(WIDE),
    ]
    said = [one.whole for one in format_sentences(format_effects(*rows))[1 + len(rows) :]]
    assert said == [
        "P(True) (one summary) is 3.0 points [1.0, 5.0] higher in InfoECE (worse) than over the "
        "turns.",
        "P(True) (one summary) is 3.0 points [1.0, 5.0] lower in InfoECE (better) than over the "
        "turns.",
        "InfoECE (one summary) may or may not move for P(True), P(True), P(True): this cannot be "
        "told from these data (n = 40 turns of 5 to 12 dialogues).",
        "P(True) (one summary) is 20.0 points [10.0, 30.0] higher in τ (better) than over the "
        "turns.",
        "P(True) (one summary) is 20.0 points [10.0, 30.0] lower in τ (worse) than over the turns.",
        "τ (one summary) may or may not move for P(True), P(True): this cannot be told from these "
        "data (n = 40 to 1,200 turns of 12 to 60 dialogues).",
    ]
