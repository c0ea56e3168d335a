"""Shares after sampling that the samples themselves ended."""

from __future__ import annotations

import itertools

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.numerics.stopped_shares import stopped_shares

MOST = 9
LOOKS = st.sets(st.integers(1, MOST), min_size=1).map(sorted)
STOPS = st.sets(st.tuples(st.integers(0, MOST), st.integers(1, MOST)))


def ending(sequence, looks, stops):
    """Where the sampling of one sequence ends."""
    return next(
        (passes, runs)
        for runs in looks
        if (passes := sum(sequence[:runs]), runs) in stops or runs == looks[-1]
    )


def by_enumeration(looks, stops, chance):
    """Probability of every end, from all sequences."""
    found = {}
    for sequence in itertools.product((0, 1), repeat=looks[-1]):
        passes = sum(sequence)
        weight = chance**passes * (1 - chance) ** (looks[-1] - passes)
        end = ending(sequence, looks, stops)
        found[end] = found.get(end, 0.0) + weight
    return found


def shares_of(looks, stops):
    return stopped_shares(looks, lambda passes, runs: (passes, runs) in stops)


@hypothesis.settings(max_examples=40, deadline=None)
@given(looks=LOOKS, stops=STOPS, chance=st.floats(0.0, 1.0))
def test_the_share_is_unbiased_whatever_the_rule_and_the_chance(looks, stops, chance):
    shares = shares_of(looks, stops)
    ends = by_enumeration(looks, stops, chance)
    assert set(shares) == set(ends)
    expected = sum(ends[end] * share for end, share in shares.items())
    assert expected == pytest.approx(chance, abs=1e-12)


@hypothesis.settings(max_examples=40, deadline=None)
@given(looks=LOOKS, stops=STOPS)
def test_it_is_a_share_and_plain_at_the_first_look_and_at_the_ends(looks, stops):
    for (passes, runs), share in shares_of(looks, stops).items():
        assert 0.0 <= share <= 1.0
        if runs == looks[0] or passes in (0, runs):
            assert share == pytest.approx(passes / runs, abs=1e-15)


def test_the_plain_share_is_not_unbiased():
    looks, stops = (5, 9), {(0, 5), (5, 5)}
    ends = by_enumeration(looks, stops, 0.8)
    assert sum(n * passes / runs for (passes, runs), n in ends.items()) > 0.82


def test_by_hand():
    # Two looks, at 1 and 2, ending early with a pass: a pass at the second run alone began with
    # none, so that the share is 0 although half of the runs passed.
    assert shares_of((1, 2), {(1, 1)}) == {(1, 1): 1.0, (0, 2): 0.0, (1, 2): 0.0}
