"""What a run cost, in words."""

from __future__ import annotations

from dataclasses import replace

from tests.support.synthetic import spending
from turnsure.core.evaluation import Ledger, RunCost
from turnsure.report.spending import COLUMNS, spending_rows, spending_sentence

WHOLE = spending("all", 4, 491_177, 22_434, 22_380, 9_000, 12.5)
LEDGER = Ledger(whole=WHOLE, by_tag=(WHOLE,))
COST = RunCost(n_requests=5, n_from_store=1, n_failed=0, whole=WHOLE, ledger=LEDGER)


def test_the_sentence_gives_both_ratios():
    assert spending_sentence(COST) == (
        "Prompt tokens: 491,177 sent, 22,434 evaluated (1 of 21.9 sent; 1.002 for each of 22,380 "
        "distinct ones). Tokens decoded: 9,000."
    )


def test_what_the_back_end_does_not_tell_is_left_out():
    unknown = replace(
        WHOLE, evaluated_tokens=491_177, distinct_tokens=None, n_uncounted=2, completion_tokens=7
    )
    assert spending_sentence(replace(COST, whole=unknown)) == (
        "Prompt tokens: 491,177 sent, 491,177 evaluated. Tokens decoded: 7, without 2 uncounted "
        "replies."
    )
    [(_, cells), _] = spending_rows(replace(COST, ledger=replace(LEDGER, by_tag=(unknown,))))
    assert cells[COLUMNS.index("distinct")] == "—"
    assert cells[COLUMNS.index("decoded tokens")] == "7+"
    assert cells[COLUMNS.index("a request")] == "3.5"  # of the two that were counted


def test_a_step_shows_what_a_request_of_it_decodes():
    steps = (spending("cot_verb", 25, 0, 0, 0, 4_691, 0.0), spending("p_true", 2, 0, 0, 0, 2, 0.0))
    rows = dict(spending_rows(replace(COST, ledger=replace(LEDGER, by_tag=steps))))
    assert rows["cot_verb"][COLUMNS.index("a request")] == "187.6"
    assert rows["p_true"][COLUMNS.index("a request")] == "1.0"
    uncounted = replace(steps[0], n_uncounted=25, completion_tokens=0)
    [(_, cells), _] = spending_rows(replace(COST, ledger=replace(LEDGER, by_tag=(uncounted,))))
    assert cells[COLUMNS.index("a request")] == "—"


def test_a_run_answered_by_its_store_says_nothing():
    nothing = spending("all", 0, 0, 0, 0, 0, 0.0)
    assert spending_sentence(replace(COST, whole=nothing)) == ""
