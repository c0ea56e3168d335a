"""Dialogues dealt into folds."""

from __future__ import annotations

import numpy as np
import pytest

from turnsure.core.errors import UndefinedMetricError
from turnsure.numerics.folds import dealt_folds

IDS = [f"d{place}" for place in range(23)]


def by_id(ids, **settings):
    return dict(zip(ids, dealt_folds(ids, **settings).tolist(), strict=True))


def test_sizes_differ_by_at_most_one():
    sizes = np.bincount(dealt_folds(IDS, folds=5, seed=0))
    assert sorted(sizes.tolist()) == [4, 4, 5, 5, 5]


def test_the_order_decides_nothing_and_the_seed_does():
    assert by_id(IDS, folds=5, seed=3) == by_id(IDS[::-1], folds=5, seed=3)
    assert by_id(IDS, folds=5, seed=3) != by_id(IDS, folds=5, seed=4)


def test_the_deal_is_the_same_on_every_computer():
    assert dealt_folds(["a", "b", "c", "d", 1, 2.5], folds=3, seed=0).tolist() == [0, 2, 0, 1, 1, 2]


def test_a_number_is_not_its_text():
    texts = [str(one) for one in range(40)]
    of_numbers = dealt_folds([*range(40)], folds=2, seed=0)
    assert of_numbers.tolist() != dealt_folds(texts, folds=2, seed=0).tolist()


def test_half_a_surrogate_pair_is_an_id():
    assert sorted(dealt_folds(["\ud800", "b"], folds=2, seed=0).tolist()) == [0, 1]


def test_too_few_dialogues():
    with pytest.raises(UndefinedMetricError, match="2 dialogues cannot be dealt into 3 folds"):
        dealt_folds(["a", "b"], folds=3, seed=0)
