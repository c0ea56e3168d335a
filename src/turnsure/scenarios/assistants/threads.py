"""Running a user's code apart from the suite's own loop, with a time limit.

Threads are daemons: one that hangs for ever is left behind, and keeps neither the other runs nor
the end of the process waiting.  Whatever the code raises comes back as a value, so that not even
``sys.exit`` ends the suite.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from queue import SimpleQueue
from types import TracebackType
from typing import Any, TypeAlias

_Queue: TypeAlias = "SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]"

GRACE = 1.0
"""Seconds that a loop gets to cancel what took too long, before it is taken to be blocked."""


@dataclass(frozen=True, slots=True)
class Raised:
    """What the code raised."""

    error: BaseException


@dataclass(frozen=True, slots=True)
class TooLong:
    """That it took longer than it may.

    Attributes
    ----------
    blocks_loop
        True where it is asynchronous and yet did not let go of its loop.
    """

    blocks_loop: bool = False


@dataclass(frozen=True, slots=True)
class Blocked:
    """That another call did not let go of the loop, so that this one could not go on."""


@dataclass(slots=True)
class _Delivery:
    """Hands over whatever is raised inside."""

    to: Future[Any]

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if error is not None:
            self.to.set_result(Raised(error))
        return True


class SideThreads:
    """Threads for calls of functions, as many as run at once; each is used again.

    A thread whose call takes too long is left behind.
    """

    def __init__(self) -> None:
        self._idle: list[_Queue] = []

    async def call(self, work: Callable[[], Any], *, seconds: float) -> Any:
        """What a function returns.

        Returns
        -------
        Its value, :class:`Raised` or :class:`TooLong`.
        """
        future = _promise()
        queue = self._idle.pop() if self._idle else self._new()
        queue.put((work, future))
        try:
            async with asyncio.timeout(seconds):
                given = await asyncio.wrap_future(future)
        except TimeoutError:
            queue.put(None)  # should it ever return
            return TooLong()
        self._idle.append(queue)
        return given

    def close(self) -> None:
        """Let the idle threads end; safe to call twice."""
        while self._idle:
            self._idle.pop().put(None)

    def _new(self) -> _Queue:
        queue: _Queue = SimpleQueue()
        threading.Thread(
            target=_work, args=(queue,), name="turnsure-assistant", daemon=True
        ).start()
        return queue


class SideLoop:
    """An event loop in a thread, shared by all calls, so that clients can keep their connections.

    A call that blocks it is found out by the time limit; the loop is then left behind, and later
    calls get a new one.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None

    async def call(self, work: Callable[[], Awaitable[Any]], *, seconds: float) -> Any:
        """What an asynchronous function returns.

        Returns
        -------
        Its value, :class:`Raised`, :class:`TooLong` or :class:`Blocked`.
        """
        loop = self._running()
        future = _promise()
        tasks: list[asyncio.Task[None]] = []

        async def deliver() -> None:
            with _Delivery(future):
                future.set_result(await work())

        loop.call_soon_threadsafe(lambda: tasks.append(loop.create_task(deliver())))
        try:
            async with asyncio.timeout(seconds):
                return await asyncio.wrap_future(future)
        except TimeoutError:
            return await self._given_up(loop, tasks)

    def close(self) -> None:
        """End the loop; safe to call twice."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = loop = asyncio.new_event_loop()
            threading.Thread(
                target=_serve, args=(loop,), name="turnsure-assistants", daemon=True
            ).start()
        return self._loop

    async def _given_up(
        self, loop: asyncio.AbstractEventLoop, tasks: list[asyncio.Task[None]]
    ) -> TooLong | Blocked:
        """Cancel a call, and see whether its loop is blocked and by whom."""
        alive = _promise()

        def cancel() -> None:
            for task in tasks:
                task.cancel()
            alive.set_result(True)

        loop.call_soon_threadsafe(cancel)
        try:
            async with asyncio.timeout(GRACE):
                await asyncio.wrap_future(alive)
        except TimeoutError:
            is_culprit = asyncio.current_task(loop) in tasks
            if self._loop is loop:
                self.close()
            return TooLong(blocks_loop=True) if is_culprit else Blocked()
        return TooLong()


def _promise() -> Future[Any]:
    """A future that is delivered to even when nobody waits any more."""
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    return future


def _work(queue: _Queue) -> None:
    while True:
        job = queue.get()
        if job is None:
            return
        work, future = job
        with _Delivery(future):
            future.set_result(work())


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()
