"""Bounds for a rate, against scipy over a wide range."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from turnsure.numerics.intervals import clopper_pearson_bounds, wilson_bounds

unhurried = settings(deadline=None)

levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@st.composite
def rates(draw):
    runs = draw(st.one_of(st.integers(1, 30), st.integers(1, 1_000_000)))
    passes = st.one_of(st.sampled_from([0, 1, runs - 1, runs]), st.integers(0, runs))
    return draw(passes), runs


@unhurried
@given(rates(), levels)
def test_wilson_agrees_with_scipy(rate, level):
    expected = stats.binomtest(*rate).proportion_ci(level, method="wilson")
    assert wilson_bounds(*rate, level) == pytest.approx((expected.low, expected.high), abs=1e-13)


@unhurried
@given(rates(), levels)
def test_clopper_pearson_agrees_with_scipy(rate, level):
    passes, runs = rate
    tail = (1 - level) / 2
    low = special.betaincinv(passes, runs - passes + 1, tail) if passes else 0.0
    high = special.betainccinv(passes + 1, runs - passes, tail) if passes < runs else 1.0
    assert clopper_pearson_bounds(passes, runs, level) == pytest.approx((low, high), abs=1e-12)


@pytest.mark.parametrize("bounds", [wilson_bounds, clopper_pearson_bounds])
@unhurried
@given(rate=rates(), level=levels)
def test_the_ends_and_the_mirror_image(bounds, rate, level):
    passes, runs = rate
    low, high = bounds(passes, runs, level)
    assert 0.0 <= low <= passes / runs <= high <= 1.0
    assert (low == 0.0) == (passes == 0)
    assert (high == 1.0) == (passes == runs)
    mirrored = bounds(runs - passes, runs, level)
    assert (1.0 - mirrored[1], 1.0 - mirrored[0]) == pytest.approx((low, high), abs=1e-13)
