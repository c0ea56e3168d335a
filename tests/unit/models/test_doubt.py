"""Failures that have nothing to do with the load: in virtual time, and rule by rule."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.support.paced_world import RefillingServer, Said, Server, World
from turnsure.models.doubt import Doubt, Share
from turnsure.models.pacing import Limits

REFUSED, CUT = Said(429, 0.005), Said(0, 0.005)


def failing(share: float, how: Said, behind: Server) -> Server:
    """Fails so many of all requests, whatever the load."""
    draw = random.Random(5)
    return lambda now, n: how if draw.random() < share else behind(now, n)


def taken_a_second(world: World, n: int) -> float:
    """Until nine in ten had their replies: the last ones wait for their own retries."""
    return 0.9 * n / world.answered[n * 9 // 10][0]


@pytest.mark.parametrize(("share", "least"), [(0.02, 40.0), (0.1, 40.0), (0.2, 10.0)])
@pytest.mark.parametrize("how", [REFUSED, CUT])
def test_random_failures_do_not_bring_the_rate_down_for_good(share, least, how):
    """Believing every refusal ends at one request a second or so, of 320."""
    server = failing(share, how, lambda now, n: Said(seconds=0.2))
    world = World(Limits(concurrency=64), server).run(3000, lanes=64)
    assert Counter(request for _, request in world.answered) == Counter(range(3000))
    assert taken_a_second(world, 3000) > least


@pytest.mark.parametrize("share", [0.03, 0.1])
def test_a_limited_rate_is_used_beside_random_refusals(share):
    server = failing(share, REFUSED, RefillingServer(20.0, 10.0))
    world = World(Limits(concurrency=64), server).run(2000, lanes=64)
    assert taken_a_second(world, 2000) > 0.5 * 20.0
    assert len(world.refused) < (share + 0.1) * len(world.sent)


@pytest.mark.parametrize(("before", "after"), [(20.0, 10.0), (20.0, 15.0), (20.0, 2.0)])
def test_a_limit_that_falls_is_not_taken_for_noise(before, after):
    first, then = RefillingServer(before, 10.0), RefillingServer(after, 10.0)
    world = World(Limits(concurrency=64), lambda now, n: (first if now < 60 else then)(now, n))
    world.run(10_000, lanes=64, until=300.0)
    late = [time for time, _ in world.refused if time > 100.0]
    sent = [time for time, _, _ in world.sent if time > 100.0]
    assert len(late) < 0.15 * len(sent)


def test_a_pause_that_the_server_names_is_believed():
    server = failing(0.1, Said(429, 0.005, 1.0), lambda now, n: Said(seconds=0.2))
    world = World(Limits(concurrency=8), server).run(300, lanes=8)
    for time, _ in world.refused:
        assert not any(time < sent < time + 1.0 for sent, _, _ in world.sent)


def test_every_refusal_counts_until_the_rate_has_halved():
    doubt = Doubt()
    for rate in (100.0, 10.0, 6.0, 5.1):  # the first is that of a burst
        doubt.found(rate)
        assert doubt.refused()
    doubt.found(4.9)
    for _ in range(6):
        doubt.sent()
    assert [doubt.refused() for _ in range(4)] == [False, False, False, True]
    assert doubt.refused(), "believed again"


def test_a_share_is_that_of_late():
    share = Share()
    assert not share.failed(), "one alone is no share"
    assert share.failed()
    for _ in range(1000):
        share.sent()
    n = 1
    while not share.failed():
        n += 1
    assert n < 64 / 3 + 2
