"""One timer for the time limits of many."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.virtual_time import time_standing_still
from turnsure.models.deadlines import Deadlines


async def test_what_is_quick_enough_comes_through_and_sets_one_timer():
    deadlines = Deadlines(60.0)
    loop = asyncio.get_running_loop()
    timers, real = [], loop.call_later
    loop.call_later = lambda *args: timers.append(args[0]) or real(*args)
    try:
        done = await asyncio.gather(*(deadlines.keep(asyncio.sleep(0, k)) for k in range(50)))
    finally:
        loop.call_later = real
    assert done == list(range(50))
    assert timers == [60.0]


async def test_what_takes_too_long_is_ended_and_the_others_are_not():
    deadlines = Deadlines(30.0)

    def stuck():
        return asyncio.create_task(deadlines.keep(asyncio.Event().wait()))

    with time_standing_still() as pass_by:
        early = [stuck() for _ in range(3)]
        for _ in range(5):
            quick = asyncio.create_task(deadlines.keep(asyncio.sleep(1.0, True)))
            await pass_by(1.0)
            assert quick.done()
            assert quick.result()
        late = stuck()
        await pass_by(24.0)
        assert not any(one.done() for one in (*early, late))
        await pass_by(1.0)
        assert [type(one.exception()) for one in early] == [TimeoutError] * 3
        assert await deadlines.keep(asyncio.sleep(0, "again")) == "again"
        await pass_by(4.0)
        assert not late.done()
        await pass_by(1.0)
        assert isinstance(late.exception(), TimeoutError)


async def test_a_task_goes_on_after_its_time_limit():
    deadlines = Deadlines(0.01)
    with pytest.raises(TimeoutError):
        await deadlines.keep(asyncio.Event().wait())
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0)


async def test_who_is_cancelled_stays_cancelled():
    deadlines = Deadlines(60.0)
    task = asyncio.create_task(deadlines.keep(asyncio.Event().wait()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_errors_pass():
    async def fails():
        raise KeyError("x")

    with pytest.raises(KeyError):
        await Deadlines(60.0).keep(fails())
