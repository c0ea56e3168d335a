"""Time of the running event loop that passes only when a test says so."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager

_ROUNDS = 20
"""Of the event loop, in which what is due happens, and what follows from it."""


@contextmanager
def time_standing_still() -> Generator[Callable[[float], Awaitable[None]]]:
    """Let the loop's time pass by so many seconds, with all that happens until then.

    Only what needs no input or output may be waited for meanwhile.
    """
    loop = asyncio.get_running_loop()
    real, now = loop.time, loop.time()

    async def settle() -> None:
        for _ in range(_ROUNDS):
            await asyncio.sleep(0)

    async def pass_by(seconds: float) -> None:
        nonlocal now
        await settle()
        now += seconds
        await settle()

    loop.time = lambda: now
    try:
        yield pass_by
    finally:
        loop.time = real
