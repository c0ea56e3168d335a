"""Who holds the table and reasons perfectly has the numbers that theory says."""

from __future__ import annotations

import pytest

from tests.support.worlds import reasoned, said_by_table
from turnsure import metrics
from turnsure.dialogues.worlds.of_countries import countries_gain


@pytest.mark.parametrize("twists", ["0", "1"])
def test_p_sufficient_has_no_error_against_identifiability(twists):
    world = countries_gain.build()
    said = said_by_table(world, "statements")
    rows = [
        (float(len(kept) == 1), float(one.is_identified(turn)), turn, one.n_turns)
        for one in countries_gain(300, options={"twists": twists})
        for turn, kept in enumerate(reasoned(one, said), start=1)
    ]
    confidence, correct, turns, n_turns = zip(*rows, strict=True)
    assert metrics.info_ece(confidence, correct, turns, n_turns).value == 0


def test_tau_is_one_without_ties_and_less_with_twists():
    def tau(twists: str) -> float:
        rows = [
            (one.ideal_confidence(turn, one.candidates_at(turn)[0]), one.id, turn)
            for one in countries_gain(300, options={"twists": twists})
            for turn in range(1, one.n_turns + 1)
        ]
        confidence, dialogue, turns = zip(*rows, strict=True)
        return metrics.kendall_tau(confidence, dialogue, turns).value

    assert tau("0") == 1
    assert 0.3 < tau("1") < 1


def test_a_guesser_that_ignores_the_clues_scores_what_theory_says():
    """A constant c is off by c where nothing is identified, and by 1 - c at the last turn."""
    constant = 0.1
    dialogues = countries_gain(300, options={"min_turns": "4", "max_turns": "4"})
    rows = [
        (constant, float(one.is_identified(turn)), turn, one.n_turns, one.id)
        for one in dialogues
        for turn in range(1, 5)
    ]
    confidence, correct, turns, n_turns, names = zip(*rows, strict=True)
    score = metrics.info_ece(confidence, correct, turns, n_turns).value
    assert score == pytest.approx((3 * constant + 1 - constant) / 4)
    assert metrics.kendall_tau(confidence, names, turns).value == 0
