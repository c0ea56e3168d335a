"""A walk through the blocks says the same as whole columns."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from turnsure import metrics
from turnsure.core.errors import InputError
from turnsure.numerics.binning import level_bins
from turnsure.numerics.inputs import scored_pairs
from turnsure.numerics.pairs import Pairs

N = 140_003  # two blocks and a bit


def table(longest, n=N):
    random = np.random.default_rng(longest)
    n_turns = random.integers(1, longest + 1, n)
    return {
        "confidence": random.integers(0, 1001, n) / 1000,
        "correct": random.random(n) < 0.4,
        "turn": random.integers(1, n_turns + 1),
        "n_turns": n_turns,
    }


def with_missing(columns):
    """The first and the last block lack rows; the one between is whole."""
    confidence = columns["confidence"].copy()
    correct = columns["correct"].astype(float)
    confidence[[0, 7, N - 1]] = math.nan
    correct[[7, 8, N - 2]] = math.nan
    return {**columns, "confidence": confidence, "correct": correct}


@pytest.mark.parametrize("change", [dict, with_missing])
def test_blocks_together_are_the_columns(change):
    columns = change(table(9))
    pairs = Pairs(columns["confidence"], columns["correct"])
    blocks = list(pairs.blocks())
    kept, scores, outcomes = scored_pairs(columns["confidence"], columns["correct"])
    assert (np.concatenate([block.confidence for block in blocks]) == scores).all()
    assert (np.concatenate([block.correct for block in blocks]) == outcomes).all()
    turns = np.concatenate([block.pick(columns["turn"]) for block in blocks])
    assert (turns == kept.pick(columns["turn"])).all()
    tally = pairs.tally(len(scores))
    assert (tally.n, tally.n_failed) == (kept.n, kept.n_failed)


@pytest.mark.parametrize("change", [dict, with_missing])
@pytest.mark.parametrize("longest", [1, 20, 63, 64, 500])
@pytest.mark.parametrize("bins", [1, 7, 10])
def test_info_ece_counts_by_turn_and_length(longest, bins, change):
    columns = change(table(longest))
    kept, scores, outcomes = scored_pairs(columns["confidence"], columns["correct"])
    places = level_bins(kept.pick(columns["turn"]), kept.pick(columns["n_turns"]), bins)
    gaps = [
        abs(math.fsum(outcomes[places == place]) - math.fsum(scores[places == place]))
        / np.count_nonzero(places == place)
        for place in np.unique(places)
    ]
    result = metrics.info_ece(**columns, bins=bins)
    assert result.value == pytest.approx(math.fsum(gaps) / len(gaps), abs=1e-12)
    assert (result.n_turns, result.n_failed) == (kept.n, kept.n_failed)


@pytest.mark.parametrize("change", [dict, with_missing])
@pytest.mark.parametrize("bins", [3, 10, 49])
def test_ece_and_brier_of_many_blocks(bins, change):
    columns = change(table(9))
    _, scores, outcomes = scored_pairs(columns["confidence"], columns["correct"])
    places = np.searchsorted(np.arange(bins) / bins, scores, side="right")
    gaps = [
        abs(math.fsum(outcomes[places == place]) - math.fsum(scores[places == place]))
        for place in np.unique(places)
    ]
    both = columns["confidence"], columns["correct"]
    assert metrics.ece(*both, bins=bins).value == pytest.approx(
        math.fsum(gaps) / len(scores), abs=1e-12
    )
    assert metrics.brier(*both).value == pytest.approx(
        math.fsum((scores - outcomes) ** 2) / len(scores), abs=1e-12
    )


@pytest.mark.parametrize("longest", [9, 500])
@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("confidence", 1.5, "field 'confidence': row 70000 is 1.5"),
        ("confidence", -1e-300, "field 'confidence': row 70000 is -1e-300"),
        ("correct", 3, "field 'correct': row 70000 is 3"),
        ("turn", 0, "field 'turn': row 70000 is 0"),
        ("turn", -3, "field 'turn': row 70000 is -3"),
        ("turn", 1000, "field 'turn': row 70000 is 1000"),
        ("n_turns", 0, "field 'n_turns': row 70000 is 0"),
        ("n_turns", -1, "field 'n_turns': row 70000 is -1"),
    ],
)
def test_a_wrong_row_of_a_later_block_is_named(longest, column, value, says):
    columns = table(longest)
    changed = columns[column].astype(type(value))
    changed[70_000] = value
    with pytest.raises(InputError) as caught:
        metrics.info_ece(**columns | {column: changed})
    assert says in str(caught.value)


def test_a_wrong_turn_is_named_where_the_confidence_is_missing():
    columns = with_missing(table(9))
    columns["turn"][7] = 12
    with pytest.raises(InputError, match="row 7 is 12"):
        metrics.info_ece(**columns)


def test_minus_zero_is_zero():
    assert metrics.ece([-0.0, 0.0], [0, 1]).value == metrics.ece([0.0, 0.0], [0, 1]).value == 0.5


@pytest.mark.parametrize("name", ["info_ece", "ece", "brier"])
def test_a_walk_needs_memory_for_blocks_and_not_for_columns(name):
    columns = table(20, 1_000_000)
    takes = list(columns.values()) if name == "info_ece" else list(columns.values())[:2]
    getattr(metrics, name)(*takes)
    tracemalloc.start()
    getattr(metrics, name)(*takes)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * len(columns["turn"])  # bytes a row: less than a column of numbers
