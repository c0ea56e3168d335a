"""Counts of runs by hand: pass@k, pass^k, bounds, McNemar, kappa, aptitude and unreliability."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from tests.support.talks import verdicts
from turnsure.core.results import Undefined
from turnsure.metrics.agreement import cohen_kappa, raw_agreement
from turnsure.metrics.aptitude import drop, over_tasks
from turnsure.metrics.mcnemar import mcnemar_exact
from turnsure.scenarios.counting import count_runs

# The table of an article on conversation tests: 10 runs of three scenarios.
ARTICLE = {
    "pets_then_budget": ("p" * 9 + "f", Fraction(7, 10), Fraction(1)),
    "change_area": ("p" * 6 + "f" * 4, Fraction(1, 6), Fraction(29, 30)),
    "correct_the_bot": ("p" * 10, Fraction(1), Fraction(1)),
}


def test_the_article_s_table():
    counts = count_runs(verdicts({name: runs for name, (runs, _, _) in ARTICLE.items()}), ks=[3])
    for one in counts.scenarios:
        _, all_of_3, any_of_3 = ARTICLE[one.scenario]
        assert one.repeats[0].all_of_k.as_failures.value == float(all_of_3)
        assert one.repeats[0].any_of_k.as_failures.value == float(any_of_3)
    assert counts.repeats[0].all_of_k.as_failures.value == pytest.approx(float(Fraction(28, 45)))
    assert counts.rate.as_failures.value == 25 / 30
    nine = counts.scenarios[0].rate.as_failures.interval
    assert (round(nine.low, 2), round(nine.high, 2)) == (0.60, 0.98)


@pytest.mark.parametrize("k", range(1, 9))
def test_one_scenario_always_right_and_one_always_wrong(k):
    """A mean rate of ½ to the power k would be far from it."""
    counts = count_runs(verdicts({"good": "p" * 8, "bad": "f" * 8}), ks=[k])
    [repeats] = counts.repeats
    assert repeats.all_of_k.as_failures.value == 0.5
    assert repeats.any_of_k.as_failures.value == 0.5
    assert repeats.all_of_k.agree


def test_dead_runs_bound_pass_hat_k_from_both_sides():
    """8 passes, 1 fail and 3 dead runs: C(8,3)/C(12,3) with them, C(8,3)/C(9,3) without."""
    counts = count_runs(verdicts({"s": "p" * 8 + "fvie"}), ks=[3])
    [repeats] = counts.repeats
    assert counts.runs.n_undecided == 3
    assert repeats.all_of_k.as_failures.value == comb(8, 3) / comb(12, 3)
    assert repeats.all_of_k.excluded.value == comb(8, 3) / comb(9, 3)
    assert repeats.all_of_k.excluded.n_failed == 3
    assert not repeats.all_of_k.agree
    assert counts.rate.as_failures.value == 8 / 12
    assert counts.rate.excluded.value == 8 / 9


def test_a_scenario_whose_every_run_died_stays():
    counts = count_runs(verdicts({"good": "pppp", "dead": "eeee"}), ks=[1, 2])
    for repeats in counts.repeats:
        assert repeats.all_of_k.as_failures.value == 0.5
        assert isinstance(repeats.all_of_k.excluded, Undefined)
        assert "1 of 2 scenarios" in repeats.all_of_k.excluded.reason
    assert isinstance(counts.scenarios[1].rate.excluded, Undefined)
    assert counts.mean_rate.as_failures.value == 0.5
    assert counts.mean_rate.excluded.value == 1.0
    assert counts.mean_rate.excluded.details["n_left_out"] == 1


@pytest.mark.parametrize(
    ("n_runs", "letter", "percent", "word"),
    [
        (10, "p", 28, "failure"),
        (10, "f", 28, "pass"),
        (5, "p", 43, "failure"),
        (1, "f", 79, "pass"),
    ],
)
def test_a_perfect_score_says_what_it_still_allows(n_runs, letter, percent, word):
    """Wilson's upper end for 0 in n is z²/(n + z²)."""
    [one] = count_runs(verdicts({"s": letter * n_runs})).scenarios
    assert f"0 {'failures' if letter == 'p' else 'passes'} in {n_runs} " in one.caution
    assert f"true {word} rate of up to {percent} %" in one.caution
    assert "Wilson" in one.caution


# b, c and p as twice the binomial tail, in whole numbers.
MCNEMAR = {
    (0, 0): Fraction(1),
    (1, 0): Fraction(1),
    (0, 6): Fraction(1, 32),
    (1, 7): Fraction(9, 128),
    (3, 3): Fraction(1),
    (2, 10): Fraction(158, 4096),
}


@pytest.mark.parametrize(("only_left", "only_right"), MCNEMAR)
def test_mcnemar(only_left, only_right):
    expected = float(MCNEMAR[only_left, only_right])
    for b, c in ((only_left, only_right), (only_right, only_left)):
        assert mcnemar_exact(only_left=b, only_right=c).p_value == pytest.approx(
            expected, rel=1e-13
        )


def test_mcnemar_of_fagerland():
    """Fagerland and others (2013), table 1: airway hyper-responsiveness, 1 and 7 of 21 pairs."""
    test = mcnemar_exact(only_left=1, only_right=7, both=1, neither=12)
    assert round(test.p_value, 3) == 0.070
    assert test.n_pairs == 21


def labels(cells):
    pairs = [pair for pair, n in cells.items() for _ in range(n)]
    return [one for one, _ in pairs], [other for _, other in pairs]


KAPPA = [
    # p₀ = 35/50, pₑ = (25·30 + 25·20)/2500 = 1/2.
    ({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}, Fraction(2, 5)),
    # p₀ = 60/100 in both; only the habits differ: 0.54 and 0.46 by chance.
    ({("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15}, Fraction(3, 23)),
    ({("y", "y"): 25, ("y", "n"): 35, ("n", "y"): 5, ("n", "n"): 35}, Fraction(7, 27)),
    # Three labels; p₀ = 29/44, pₑ = (11·12 + 15·15 + 18·17)/44².
    (
        {
            ("a", "a"): 9, ("a", "b"): 1, ("a", "tie"): 1,
            ("b", "a"): 2, ("b", "b"): 9, ("b", "tie"): 4,
            ("tie", "a"): 1, ("tie", "b"): 5, ("tie", "tie"): 12,
        },
        Fraction(44 * 30 - (11 * 12 + 15 * 15 + 18 * 17), 44**2 - (11 * 12 + 15 * 15 + 18 * 17)),
    ),
    ({("y", "n"): 10, ("n", "y"): 10}, Fraction(-1)),
    ({("y", "y"): 10, ("n", "n"): 10}, Fraction(1)),
]  # fmt: skip


@pytest.mark.parametrize(("cells", "expected"), KAPPA)
def test_kappa(cells, expected):
    found = cohen_kappa(*labels(cells))
    assert found.value == float(expected)
    same = sum(n for (one, other), n in cells.items() if one == other)
    assert raw_agreement(*labels(cells)).value == same / sum(cells.values())


# Three tasks of five runs.  90 % lies at place 3.6 of 0..4, 10 % at place 0.4.
FULL = {"a": [1, 1, 1, 1, 1], "b": [1, 1, 1, 1, 0], "c": [1, 0, 0, 0, 0]}
SHARDED = {"a": [1, 1, 1, 0, 0], "b": [1, 0, 0, 0, 0], "c": [0, 0, 0, 0, 0]}
SCORES = {
    "mean": (Fraction(2, 3), Fraction(4, 15)),
    # Of b: the least is 0 at place 0 and 1 at place 1, so 10 % is 0.4; of c: 90 % is 0.6.
    "aptitude": (Fraction(1 + 1) / 3 + Fraction(6, 30), Fraction(16, 30)),
    "unreliability": (Fraction(0) + Fraction(6, 30) + Fraction(6, 30), Fraction(16, 30)),
}


@pytest.mark.parametrize("statistic", SCORES)
def test_aptitude_and_unreliability(statistic):
    before, after = SCORES[statistic]
    assert over_tasks(statistic, FULL).value == pytest.approx(float(before))
    assert over_tasks(statistic, SHARDED).value == pytest.approx(float(after))
    assert drop(statistic, FULL, SHARDED).value == pytest.approx(float(before - after))


def test_the_relative_drop():
    assert drop("mean", FULL, SHARDED, relative=True).value == pytest.approx(float(Fraction(3, 5)))
