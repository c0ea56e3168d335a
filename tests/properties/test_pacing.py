"""Whatever a server does, the pacer keeps to its bounds."""

from __future__ import annotations

import itertools
import math

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.paced_world import Said, World
from turnsure.models.buckets import Bucket, FoundRate
from turnsure.models.pacing import Limits
from turnsure.models.window import Window

SAID = st.builds(
    Said,
    status=st.sampled_from([200, 200, 200, 429]),
    seconds=st.floats(0.001, 5.0),
    pause=st.none() | st.floats(0.0, 20.0),
)


@settings(max_examples=60)
@given(
    script=st.lists(SAID, min_size=1, max_size=30),
    bound=st.integers(1, 12),
    lanes=st.integers(1, 20),
)
def test_every_request_is_answered_once_and_never_more_than_the_bound_are_in_flight(
    script, bound, lanes
):
    says = itertools.chain(script, itertools.repeat(Said()))
    world = World(Limits(concurrency=bound), lambda now, n: next(says)).run(60, lanes=lanes)
    assert sorted(request for _, request in world.answered) == list(range(60))
    assert all(1 <= n <= bound for _, _, n in world.sent)
    assert all(1 <= limit <= bound for _, limit in world.limits_seen)
    assert len(world.sent) == 60 + len(world.refused)
    assert world.pacer.n_in_flight == 0


@settings(max_examples=60)
@given(script=st.lists(SAID, min_size=1, max_size=30), lanes=st.integers(1, 20))
def test_nothing_is_sent_before_a_pause_that_was_asked_for_is_over(script, lanes):
    says, told = itertools.chain(script, itertools.repeat(Said())), []

    def server(now, n):
        said = next(says)
        if said.status != 200 and said.pause is not None:
            told.append((now + said.seconds, now + said.seconds + said.pause))
        return said

    world = World(Limits(concurrency=8), server).run(40, lanes=lanes)
    assert not any(begin < time < end for begin, end in told for time, _, _ in world.sent)


@given(
    costs=st.lists(st.floats(0.0, 500.0), min_size=1, max_size=60),
    per_minute=st.integers(1, 100_000),
    waits=st.lists(st.floats(0.0, 90.0), min_size=60, max_size=60),
)
def test_a_bucket_gives_no_more_than_it_holds(costs, per_minute, waits):
    bucket, now, taken = Bucket(per_minute), 0.0, []
    for cost, wait in zip(costs, waits, strict=False):
        now = max(now + wait, bucket.ready_at(cost))
        bucket.take(now, cost)
        taken.append((now, cost))
    for begin, _ in taken:
        within = [cost for time, cost in taken if begin <= time < begin + 60.0]
        # The last one may be larger than what is left.
        assert sum(within[:-1]) <= per_minute * (1 + 1e-9) + 1.0


@given(
    estimates=st.lists(st.tuples(st.floats(0, 100), st.floats(0, 100)), min_size=1, max_size=40),
    per_minute=st.integers(1, 10_000),
)
def test_what_is_settled_at_once_counts_as_if_it_had_been_known(estimates, per_minute):
    guessed, known = Bucket(per_minute), Bucket(per_minute)
    for place, (estimate, used) in enumerate(estimates):
        now = float(place)
        guessed.take(now, estimate)
        guessed.settle(now, used - estimate)
        known.take(now, used)
        ready = guessed.ready_at(1.0), known.ready_at(1.0)
        assert math.isclose(*ready, rel_tol=1e-9, abs_tol=1e-6)


@given(st.lists(st.tuples(st.sampled_from("arf"), st.floats(0.0, 100.0)), max_size=200))
def test_the_window_stays_between_one_and_its_bound(events):
    window = Window(20)
    for number, (what, seconds) in enumerate(events, start=1):
        before = window.limit
        if what == "a":
            window.answered(number, kind=0, seconds=seconds, n_in_flight=before, n_sent=number)
            assert window.limit <= before + 1
        elif what == "r":
            assert window.refused(number, n_sent=number)
        else:
            window.failed(number, n_sent=number)
        assert 1 <= window.limit <= 20


@given(st.integers(0, 30))
def test_one_round_trip_costs_at_most_one_decrease(n_refused):
    window = Window(64)
    fell = [window.refused(number, n_sent=40) for number in range(1, n_refused + 1)]
    assert sum(fell) == min(1, n_refused)
    assert window.limit == (8 if not n_refused else 4)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.0, 30.0)), max_size=100))
def test_the_found_rate_never_blocks_for_good(events):
    rate, now = FoundRate(), 0.0
    for number, (taken, wait) in enumerate(events, start=1):
        now = max(now + wait, rate.ready_at(now))
        rate.sent(now)
        if taken:
            rate.answered(number)
        else:
            rate.refused(now, 0.0, n_sent=number, is_away=False)
        assert rate.ready_at(now) < math.inf
        # However long the rate was low, it is forgotten after a while.
        assert rate.ready_at(now + 1e7) <= now + 1e7
