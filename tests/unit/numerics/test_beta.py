"""Tails and quantiles of the beta distribution."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from turnsure.numerics.beta import beta_quantile, beta_tails

unhurried = settings(deadline=None)

shapes = st.one_of(st.integers(1, 50), st.integers(1, 100_000)).map(float)


@unhurried
@given(shapes, shapes, st.floats(1e-6, 1 - 1e-6))
def test_tails_agree_with_scipy(a, b, x):
    below, above = beta_tails(a, b, x)
    assert below == pytest.approx(special.betainc(a, b, x), abs=1e-12)
    assert above == pytest.approx(special.betaincc(a, b, x), abs=1e-12)


def test_tails_at_the_ends():
    assert beta_tails(2, 3, 0.0) == (0.0, 1.0)
    assert beta_tails(2, 3, 1.0) == (1.0, 0.0)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 7), (3, 9), (40, 2), (25, 30)])
@pytest.mark.parametrize("x", [0.001, 0.125, 0.5, 0.9375])
def test_tails_are_binomial_sums(a, b, x):
    """The tail below x is the chance of at least a successes in a + b − 1 trials."""
    n, p = a + b - 1, Fraction(x)
    exact = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(a, n + 1))
    expected = (float(exact), float(1 - exact))
    assert beta_tails(a, b, x) == pytest.approx(expected, rel=1e-13)


@unhurried
@given(shapes, shapes, st.floats(1e-12, 1 - 1e-12), st.booleans())
def test_a_quantile_has_its_tail(a, b, tail, upper):
    x = beta_quantile(a, b, tail, upper=upper)
    # One rounding of x moves the tail by a density's worth.  It is read from the tail in question:
    # the other one is near 1, where a small difference is lost.
    found, more, less = (
        beta_tails(a, b, at)[upper] for at in (x, min(1.0, x * (1 + 4e-16)), x * (1 - 4e-16))
    )
    assert found == pytest.approx(tail, rel=1e-11, abs=4 * abs(more - less))


@pytest.mark.parametrize("b", [1, 2, 6, 1_000_000])
@pytest.mark.parametrize("tail", [5e-11, 0.025, 0.5, 0.975])
def test_the_smallest_of_b_uniforms_has_a_closed_form(b, tail):
    exact = -special.expm1(special.log1p(-tail) / b)
    assert beta_quantile(1, b, tail) == pytest.approx(exact, rel=1e-13)
