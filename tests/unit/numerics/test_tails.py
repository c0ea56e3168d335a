import math

import pytest
from scipy import special, stats

from turnsure.numerics.tails import (
    chi_square_one,
    chi_square_two,
    hotelling_two,
    kolmogorov_tail,
    normal_two_sided,
    student_two_sided,
)

POINTS = (0.0, 1e-9, 0.3, 0.99, 1.0, 1.7, 4.0, 11.0, 30.0)
CLOSE = {"rel": 1e-12, "abs": 1e-300}


@pytest.mark.parametrize("x", POINTS)
def test_tails_are_those_of_scipy(x):
    assert normal_two_sided(x) == normal_two_sided(-x)
    assert normal_two_sided(x) == pytest.approx(2.0 * stats.norm.sf(x), **CLOSE)
    assert chi_square_one(x) == pytest.approx(stats.chi2.sf(x, 1), **CLOSE)
    assert chi_square_two(x) == pytest.approx(stats.chi2.sf(x, 2), **CLOSE)


@pytest.mark.parametrize("degrees", [1, 2, 7, 200])
@pytest.mark.parametrize("t", [0.0, 0.3, 0.99, 1.0, 1.7, 4.0, 11.0, 30.0])
def test_student_on_both_sides_of_the_change_of_argument(t, degrees):
    wanted = 2.0 * special.stdtr(degrees, -t)
    assert student_two_sided(t, degrees) == pytest.approx(wanted, rel=1e-10)
    assert student_two_sided(-t, degrees) == student_two_sided(t, degrees)


@pytest.mark.parametrize("t", POINTS)
def test_one_degree_of_freedom_is_an_arc_tangent(t):
    wanted = 1.0 - 2.0 / math.pi * math.atan(t) if t < 1.0 else 2.0 / math.pi * math.atan(1.0 / t)
    assert student_two_sided(t, 1) == pytest.approx(wanted, rel=1e-13)


def test_an_infinite_statistic_leaves_no_tail():
    assert student_two_sided(math.inf, 3) == 0.0


@pytest.mark.parametrize("degrees", [2, 5, 40])
@pytest.mark.parametrize("x", POINTS)
def test_hotelling_is_the_f_distribution(x, degrees):
    f = (degrees - 1) / (2.0 * degrees) * x
    assert hotelling_two(x, degrees) == pytest.approx(stats.f.sf(f, 2, degrees - 1), **CLOSE)


@pytest.mark.parametrize("x", [0.0, 0.1, 0.2, 0.5, 0.999, 1.0, 1.001, 1.5, 3.0, 8.0])
def test_kolmogorov_is_that_of_scipy(x):
    assert kolmogorov_tail(x) == pytest.approx(special.kolmogorov(x), rel=1e-13)
