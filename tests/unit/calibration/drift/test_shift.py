import numpy as np
import pytest
from scipy import stats

from turnsure.calibration.drift.shift import Tallied, shift, stability_index
from turnsure.core.errors import InputError


def test_the_index_by_its_formula():
    before, now = np.array([50, 30, 20]), np.array([20, 20, 60])
    p, q = before / 100, now / 100
    assert stability_index(before, now) == pytest.approx(float(((q - p) * np.log(q / p)).sum()))
    assert stability_index(before, now) == pytest.approx(stability_index(now, before))
    assert stability_index(before, 7 * before) == pytest.approx(0.0, abs=1e-15)


def test_an_empty_bin_adds_a_half_everywhere():
    before, now = np.array([10, 10]), np.array([20, 0])
    p, q = np.array([10.5, 10.5]) / 21, np.array([20.5, 0.5]) / 21
    assert stability_index(before, now) == pytest.approx(float(((q - p) * np.log(q / p)).sum()))


def test_an_empty_sample_is_refused():
    with pytest.raises(InputError, match="a sample is empty"):
        stability_index(np.array([0, 0]), np.array([1, 2]))


def test_bins_are_the_deciles_of_the_evidence():
    old = np.arange(100) / 100
    new = np.repeat([0.05, 0.95], [30, 70])
    found = shift(Tallied.of(old), new)
    counts = np.histogram(new, bins=np.arange(11) / 10)[0]
    assert found.n_bins == 10
    assert found.smoothed
    assert found.psi == pytest.approx(stability_index(np.full(10, 10), counts))
    assert found.by_chance == pytest.approx(9 * (1 / 100 + 1 / 100))


def test_a_value_is_in_one_bin_and_new_extremes_in_the_outer_ones():
    old = np.repeat([0.2, 0.5, 0.8], [60, 30, 10])
    new = np.repeat([0.0, 0.2, 0.6, 0.8, 1.0], [5, 5, 5, 5, 5])
    found = shift(Tallied.of(old), new)
    assert found.n_bins == 3
    assert not found.smoothed
    assert found.psi == pytest.approx(
        stability_index(np.array([60, 30, 10]), np.array([10, 5, 10]))
    )


def test_the_distance_is_that_of_the_two_samples():
    random = np.random.default_rng(0)
    old, new = random.random(80), random.random(50) ** 2
    found = shift(Tallied.of(old), new)
    wanted = stats.ks_2samp(old, new, method="exact")
    assert found.test.statistic == pytest.approx(wanted.statistic)
    assert found.test.p_value == pytest.approx(wanted.pvalue, rel=1e-10)


def test_cells_lose_less_than_a_cell():
    random = np.random.default_rng(1)
    old, new = random.random(5000), random.random(400) ** 1.3
    kept = Tallied.of(old, most=100)
    assert not kept.exact
    assert len(kept.value) == 100
    assert kept.total == 5000
    assert set(kept.n.tolist()) == {50}
    whole, cells = (shift(one, new).test.statistic for one in (Tallied.of(old), kept))
    assert whole - 0.02 <= cells <= whole


def test_new_scores_above_all_cells_count():
    kept = Tallied.of(np.arange(100) / 200, most=10)
    found = shift(kept, np.array([0.9, 0.95]))
    assert found.n_now == 2
    assert found.test.statistic == 1.0


def test_many_equal_scores_share_a_cell():
    kept = Tallied.of(np.repeat([0.1, 0.2, 0.3, 0.4], [97, 1, 1, 1]), most=2)
    assert kept.total == 100
    assert kept.n.tolist() == [97, 3]
