from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from turnsure.numerics import two_samples
from turnsure.numerics.two_samples import smirnov_test


def compared(left, right):
    values = np.union1d(left, right)
    first, second = (
        np.array([np.count_nonzero(np.asarray(one) == value) for value in values])
        for one in (left, right)
    )
    return smirnov_test(values, first, second)


@pytest.mark.parametrize(("m", "n"), [(1, 1), (4, 9), (9, 4), (30, 41), (60, 60)])
def test_without_ties_it_is_scipys_exact_test(m, n):
    random = np.random.default_rng(m * n)
    left, right = random.normal(size=m), random.normal(0.4, size=n)
    wanted = stats.ks_2samp(left, right, method="exact")
    found = compared(left, right)
    assert found.exact
    assert found.statistic == pytest.approx(wanted.statistic, rel=1e-15)
    assert found.p_value == pytest.approx(wanted.pvalue, rel=1e-12)
    assert found.at == wanted.statistic_location


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([0, 0, 1], [1, 1, 2, 2, 3]),
        ([1, 1, 1, 2], [1, 2, 2, 2]),
        ([0, 1, 2], [0, 1, 2]),
        ([0, 0, 0], [1, 1, 1]),
    ],
)
def test_with_ties_it_counts_all_ways_to_deal(left, right):
    pool, m = np.array(left + right), len(left)
    values = np.unique(pool)

    def distance(mask):
        shares = [
            [np.mean(part <= value) for value in values] for part in (pool[mask], pool[~mask])
        ]
        return np.abs(np.subtract(*shares)).max()

    mask = np.zeros(len(pool), dtype=bool)
    mask[:m] = True
    enough = distance(mask) - 1e-12
    ways = []
    for chosen in combinations(range(len(pool)), m):
        mask[:] = False
        mask[list(chosen)] = True
        ways.append(distance(mask) >= enough)
    assert compared(left, right).p_value == pytest.approx(np.mean(ways), rel=1e-12)


def test_large_samples_have_the_limit(monkeypatch):
    random = np.random.default_rng(1)
    left, right = random.random(400), 0.93 * random.random(300)
    exact = compared(left, right)
    monkeypatch.setattr(two_samples, "_MOST_WORK", 0)
    limit = compared(left, right)
    assert not limit.exact
    assert limit.statistic == exact.statistic
    assert limit.p_value == pytest.approx(exact.p_value, rel=0.15)


def test_the_order_of_the_samples_does_not_matter():
    random = np.random.default_rng(2)
    left, right = random.integers(0, 6, 17), random.integers(1, 7, 23)
    assert compared(left, right).p_value == pytest.approx(compared(right, left).p_value, rel=1e-12)
