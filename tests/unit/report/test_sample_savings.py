"""The part of the page about fewer samples."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.support.effects import found
from tests.support.html_page import Page
from tests.support.synthetic import synthetic
from turnsure.core.results import Undefined
from turnsure.core.sample_savings import SampleSavings
from turnsure.report.page import render_html
from turnsure.report.sample_savings import savings_part, savings_text

SAVINGS = SampleSavings(
    samples=20,
    n_turns=100,
    n_failed=0,
    stopped={5: 60, 10: 40},
    n_drawn=800,
    differences={
        "info_ece": replace(found(0.004), details={"left": 0.2, "right": 0.204}),
        "auroc": Undefined(name="auroc_difference", reason="all answers are right"),
    },
)


def page(savings):
    data = synthetic(3)
    return render_html(replace(data, evaluation=replace(data.evaluation, sample_savings=savings)))


def test_the_sentence_says_what_was_drawn_and_where_it_stopped():
    assert savings_text(SAVINGS) == (
        "Adaptive self-consistency drew 800 of 2,000 samples at 100 turns, 100 of them for the "
        "gold answer alone: 60.0 % saved. The own answer needed 5 samples at 60 turns, 10 at 40."
    )
    own = replace(SAVINGS, n_drawn=700, n_failed=1)
    assert "at 100 turns: 65.0 % saved." in savings_text(own)
    assert savings_text(own).endswith(" 1 turn without a confidence left out.")


def test_without_a_confidence_there_is_nothing_to_tell():
    nothing = replace(SAVINGS, n_turns=0, n_failed=4, stopped={}, n_drawn=0)
    assert savings_text(nothing) == (
        "Adaptive self-consistency gave no confidence. 4 turns without a confidence left out."
    )


def test_the_cells_hold_both_values_and_the_difference():
    info_ece, auroc = savings_part(SAVINGS).cells
    assert (info_ece.left, info_ece.right, info_ece.difference) == ("20.0", "20.4", "+0.4")
    assert (auroc.difference, auroc.note) == ("—", "not defined: all answers are right")


@pytest.mark.parametrize("savings", [SAVINGS, replace(SAVINGS, differences={})])
def test_the_page_shows_it(savings):
    words = re.sub(r"\s+", " ", Page(page(savings)).text)
    assert "Fewer samples" in words
    assert savings_text(savings) in words


def test_the_page_is_silent_where_it_was_not_measured():
    assert "Fewer samples" not in page(None)
