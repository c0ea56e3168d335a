"""Time limits for many waits of equal length, with one timer for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


class Deadlines:
    """Ends what takes longer than so many seconds.

    A timer for every request would be set and unset a thousand times for each that rings.  All
    waits are equally long here, so the one that began first ends first, and one timer is enough:
    it rings at the end of the oldest, and is set again for the oldest that is left.

    Parameters
    ----------
    seconds
        Above 0.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: dict[asyncio.Task[object], float] = {}
        self._late: set[asyncio.Task[object]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def keep(self, wait: Awaitable[T]) -> T:
        """The result of the wait.

        Raises
        ------
        TimeoutError
            It took too long.
        """
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a time limit needs a task to end")
        before = task.cancelling()
        loop = asyncio.get_running_loop()
        self._ends[task] = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._ring)
        try:
            return await wait
        except asyncio.CancelledError:
            # One that somebody else cancelled as well stays cancelled.
            if task in self._late and task.uncancel() <= before:
                raise TimeoutError from None
            raise
        finally:
            del self._ends[task]
            self._late.discard(task)

    def _ring(self) -> None:
        self._timer = None
        loop = asyncio.get_running_loop()
        now = loop.time()
        for task, end in self._ends.items():
            if end > now:
                self._timer = loop.call_later(end - now, self._ring)
                return
            if task not in self._late:
                self._late.add(task)
                task.cancel()
