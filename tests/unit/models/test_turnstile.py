"""Waiting for the turn."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import NamedTuple

from turnsure.models.pacing import Limits, Pacer
from turnsure.models.turnstile import Turnstile, turnstile_of


class Timer(NamedTuple):
    clock: Time
    time: float
    call: Callable[[], None]

    def cancel(self):
        self.clock.calls = [timer for timer in self.clock.calls if timer is not self]


class Time:
    """A clock that stands still until it is told otherwise, and calls what is due then."""

    def __init__(self):
        self.now = 0.0
        self.calls = []

    def __call__(self):
        return self.now

    def later(self, seconds, call):
        timer = Timer(self, self.now + seconds, call)
        self.calls.append(timer)
        return timer

    async def pass_to(self, now):
        self.now = now
        due = [timer for timer in self.calls if timer.time <= now]
        self.calls = [timer for timer in self.calls if timer.time > now]
        for timer in due:
            timer.call()
        await asyncio.sleep(0)


def turnstile(time, *, patience=300.0, **limits):
    pacer = Pacer(Limits(**{"concurrency": 2, **limits}), patience=patience, jitter=lambda: 0.0)
    return Turnstile(pacer, clock=time, later=time.later)


async def started(*coroutines):
    tasks = [asyncio.create_task(one) for one in coroutines]
    await asyncio.sleep(0)
    return tasks


async def test_first_come_first_served_within_the_bound():
    stile = turnstile(Time())
    tasks = await started(*(stile.enter() for _ in range(4)))
    assert [task.done() for task in tasks] == [True, True, False, False]
    stile.answered(tasks[1].result(), kind="a", seconds=1.0)
    await asyncio.sleep(0)
    assert [task.done() for task in tasks] == [True, True, True, False]
    stile.dropped(tasks[0].result())
    await asyncio.sleep(0)
    assert tasks[3].done()
    assert [task.result().number for task in tasks] == [1, 2, 3, 4]


async def test_all_wait_for_the_end_of_a_pause_and_are_let_go_by_one_timer():
    time = Time()
    stile = turnstile(time)
    first = await stile.enter()
    stile.refused(first, pause=7.0)
    tasks = await started(*(stile.enter() for _ in range(2)))
    assert len(time.calls) == 1
    await time.pass_to(6.9)
    assert not any(task.done() for task in tasks)
    await time.pass_to(7.0)
    # Fewer than before at first, since it refused one.
    assert [task.done() for task in tasks] == [True, False]
    stile.answered(tasks[0].result(), kind="a", seconds=1.0)
    await asyncio.sleep(0)
    assert tasks[1].done()


async def test_nobody_else_waits_for_a_pause_beyond_the_patience():
    time = Time()
    stile = turnstile(time, patience=5.0, concurrency=1)
    first = await stile.enter()
    [waiting] = await started(stile.enter())
    stile.refused(first, pause=5.1)
    await asyncio.sleep(0)
    assert waiting.done()
    stile.refused(waiting.result(), pause=5.0)
    [patient] = await started(stile.enter())
    await time.pass_to(4.9)
    assert not patient.done()
    await time.pass_to(5.0)
    assert patient.done()


async def test_a_server_that_refuses_all_is_left_alone_no_longer_than_the_patience():
    time = Time()
    stile = turnstile(time, patience=2.0, concurrency=1)
    for _ in range(12):
        [permit] = await started(stile.enter())
        await time.pass_to(time.now + 2.0)
        assert permit.done()
        stile.refused(permit.result(), pause=None)


async def test_who_gives_up_waiting_takes_no_turn():
    stile = turnstile(Time(), concurrency=1)
    first = await stile.enter()
    gone, stays = await started(stile.enter(), stile.enter())
    gone.cancel()
    await asyncio.sleep(0)
    stile.answered(first, kind="a", seconds=1.0)
    await asyncio.sleep(0)
    assert gone.cancelled()
    assert stays.done()


async def test_who_gives_up_just_as_the_turn_comes_hands_it_on():
    stile = turnstile(Time(), concurrency=1)
    first = await stile.enter()
    gone, stays = await started(stile.enter(), stile.enter())
    stile.answered(first, kind="a", seconds=1.0)
    gone.cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    assert gone.cancelled()
    assert stays.done()


async def test_requests_a_minute_are_spaced_out():
    time = Time()
    stile = turnstile(time, requests_per_minute=60)
    tasks = await started(*(stile.enter() for _ in range(2)))
    assert [task.done() for task in tasks] == [True, False]
    await time.pass_to(1.0)
    assert tasks[1].done()


async def test_however_often_the_next_turn_moves_one_timer_is_set():
    time = Time()
    stile = turnstile(time, tokens_per_minute=600)
    permit = await stile.enter(100.0)
    n_set = []
    for _ in range(50):
        [waiting] = await started(stile.enter(100.0))
        stile.answered(permit, kind="a", seconds=1.0)
        # It used less than was thought, so the next goes in 5 s instead of 10.
        stile.settle(permit, 50.0)
        n_set.append(len(time.calls))
        await time.pass_to(time.now + 6.0)
        n_set.append(len(time.calls))
        permit = waiting.result()
    assert n_set == [1, 0] * 50


async def test_who_waits_goes_as_soon_as_another_is_known_to_have_used_less():
    time = Time()
    stile = turnstile(time, tokens_per_minute=60)
    first = await stile.enter(50.0)
    [waiting] = await started(stile.enter(1.0))
    assert not waiting.done()
    stile.settle(first, 0.0)
    await asyncio.sleep(0)
    assert waiting.done()


async def test_models_at_one_address_share_one_turnstile_as_long_as_it_is_used():
    def find(key="k", concurrency=8):
        limits = Limits(concurrency=concurrency)
        return turnstile_of("http://x", key, limits, patience=1.0, clock=clock)

    clock = Time()
    one = find()
    assert find() is one
    assert find(key="other") is not one
    assert find(concurrency=9) is not one
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


def test_two_event_loops_share_nothing():
    async def find():
        return turnstile_of("http://x", None, limits, patience=1.0, clock=clock)

    clock, limits = Time(), Limits(concurrency=8)
    assert asyncio.run(find()) is not asyncio.run(find())
