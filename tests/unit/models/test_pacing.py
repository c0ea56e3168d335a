"""The pacer in virtual time, against servers that limit, slow down, fail and recover."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.support.paced_world import RefillingServer, Said, WindowedServer, World
from turnsure.core.errors import InputError
from turnsure.engine.retry import RetryPolicy
from turnsure.models.pacing import Limits, Pacer

MOST_TRIES = RetryPolicy().attempts - 1


def whole(world: World, n: int) -> None:
    """Nothing is lost, doubled, or asked so often that the engine would give it up."""
    assert sorted(request for _, request in world.answered) == list(range(n))
    assert max(Counter(request for _, request, _ in world.sent).values()) <= MOST_TRIES


def rate(world: World, begin: float, end: float) -> float:
    """Replies a second in a span of time."""
    return sum(begin <= time < end for time, _ in world.answered) / (end - begin)


@pytest.mark.parametrize("name", ["concurrency", "requests_per_minute", "tokens_per_minute"])
def test_limits_are_checked(name):
    with pytest.raises(InputError, match=name):
        Limits(**{"concurrency": 1, name: 0})


def test_a_healthy_server_is_used_to_the_bound_within_a_few_round_trips():
    world = World(Limits(concurrency=64), lambda now, n: Said(seconds=0.2))
    world.run(4000, lanes=64)
    whole(world, 4000)
    assert max(n for _, _, n in world.sent) == 64
    assert world.answered[-1][0] < 1.1 * 4000 * 0.2 / 64


@pytest.mark.parametrize("bound", [8, 64])
@pytest.mark.parametrize("pause", [None, 0.5])
def test_a_limited_rate_is_found_and_seldom_run_into(bound, pause):
    server = RefillingServer(20.0, 10.0, pause=pause)
    world = World(Limits(concurrency=bound), server).run(1000, lanes=bound)
    whole(world, 1000)
    assert len(world.refused) < 0.06 * len(world.sent)
    assert rate(world, 5.0, 45.0) > 0.8 * 20.0


@pytest.mark.parametrize("bound", [8, 64])
def test_no_request_is_sent_while_the_server_wants_none(bound):
    server = WindowedServer(100, 10.0)
    world = World(Limits(concurrency=bound), server).run(800, lanes=bound)
    whole(world, 800)
    pauses = [(time, (time // 10 + 1) * 10) for time, _ in world.refused]
    assert pauses
    assert not any(begin < time < end for begin, end in pauses for time, _, _ in world.sent)
    # One round trip that is under way is refused at most for each time the limit is met.
    assert len(world.refused) < 0.1 * len(world.sent)
    assert rate(world, 10.0, 60.0) > 0.8 * 10.0


def test_a_limit_that_is_lifted_is_found_out():
    limited = RefillingServer(10.0, 10.0, seconds=0.2)

    def server(now, n):
        return limited(now, n) if now < 30 else Said(seconds=0.2)

    world = World(Limits(concurrency=16), server).run(10_000, lanes=16, until=70.0)
    assert rate(world, 10.0, 30.0) == pytest.approx(10.0, rel=0.2)
    assert rate(world, 60.0, 70.0) > 0.9 * 16 / 0.2


@pytest.mark.parametrize("most", [1, 4, 20])
def test_a_server_that_takes_few_at_once_is_given_few_at_once(most):
    world = World(
        Limits(concurrency=64), lambda now, n: Said(seconds=0.2) if n <= most else Said(429, 0.005)
    )
    world.run(1000, lanes=64)
    whole(world, 1000)
    assert len(world.refused) < 0.1 * len(world.sent)
    assert rate(world, 5.0, 0.9 * world.answered[-1][0]) > 0.7 * most / 0.2


@pytest.mark.parametrize("bound", [8, 64])
def test_a_server_that_refuses_all_for_a_while_is_left_alone_and_then_used_again(bound):
    def server(now, n):
        return Said(503, 0.01) if 10 < now < 20 else Said(seconds=0.2)

    world = World(Limits(concurrency=bound), server).run(20_000, lanes=bound, until=60.0)
    # Those in flight when it begins, and then one every now and then.
    assert len(world.refused) < 2 * bound + 10
    assert rate(world, 45.0, 60.0) > 0.95 * bound / 0.2


@pytest.mark.parametrize("bound", [8, 64])
def test_the_bound_in_flight_falls_when_replies_become_late_and_rises_again(bound):
    def server(now, n):
        return Said(seconds=2.0 if 20 < now < 40 else 0.2)

    world = World(Limits(concurrency=bound), server).run(40_000, lanes=bound, until=80.0)
    during = [limit for time, limit in world.limits_seen if 24 < time < 40]
    assert min(during) <= bound / 2
    assert rate(world, 65.0, 80.0) > 0.95 * bound / 0.2
    assert not world.refused


def test_a_queue_that_only_grows_with_the_requests_is_kept_busy():
    world = World(Limits(concurrency=64), lambda now, n: Said(seconds=0.2 * max(1.0, n / 4)))
    world.run(20_000, lanes=64, until=60.0)
    assert rate(world, 5.0, 60.0) > 0.95 * 4 / 0.2


def test_the_users_limits_hold_in_every_minute():
    limits = Limits(concurrency=64, requests_per_minute=120, tokens_per_minute=6000)
    for tokens in (10.0, 100.0):
        world = World(limits, lambda now, n: Said(), tokens=tokens).run(600, lanes=64, until=400.0)
        times = [time for time, _, _ in world.sent]
        most = min(120, 6000 / tokens)
        worst = max(sum(begin <= time < begin + 60.0 for time in times) for begin in times)
        assert 0.95 * most < worst <= most + 1


@pytest.mark.parametrize(("used", "share"), [(50, 2.0), (200, 0.5)])
def test_tokens_are_settled_by_what_was_used(used, share):
    limits = Limits(concurrency=4, tokens_per_minute=6000)
    world = World(limits, lambda now, n: Said(tokens=used), tokens=100.0)
    world.run(1000, lanes=4, until=300.0)
    assert rate(world, 0.0, 300.0) == pytest.approx(share, rel=0.05)


def test_an_idle_time_says_nothing_about_the_server():
    pacer = Pacer(Limits(concurrency=8), jitter=lambda: 0.5)
    now = 0.0
    for _ in range(20):
        permit = pacer.enter(now, 0.0, waited=False)
        pacer.answered(permit, now + 0.1, kind="text", seconds=0.1)
        now += 600.0
    pacer.refused(pacer.enter(now, 0.0, waited=False), now, pause=None)
    pacer.enter(now, 0.0, waited=False)
    ready = pacer.ready_at(now, 0.0)
    assert ready is not None
    assert ready < now + 0.2


def test_a_request_that_was_never_sent_uses_nothing_up():
    pacer = Pacer(
        Limits(concurrency=2, requests_per_minute=1, tokens_per_minute=10), jitter=lambda: 0.0
    )
    permit = pacer.enter(0.0, 5.0, waited=False)
    assert pacer.ready_at(0.0, 5.0) == 60.0
    pacer.unused(permit, 0.0)
    assert pacer.n_in_flight == 0
    ready = pacer.ready_at(0.0, 5.0)
    assert ready is not None
    assert ready <= 0.0
