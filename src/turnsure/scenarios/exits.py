"""Keeps an assistant under test from ending the process with a code of its own.

``os._exit(0)`` within an assistant would end a suite without a word, and with the exit code of one
that passed.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def exits_refused() -> Generator[None]:
    """While inside, ``os._exit`` in a side thread raises :class:`SystemExit` there.

    The main thread may end the process as ever, and so may a process that was forked from it.
    """
    leave, process = os._exit, os.getpid()

    def refuse(status: int) -> None:
        if os.getpid() != process or threading.current_thread() is threading.main_thread():
            leave(status)
        raise SystemExit(f"os._exit({status})")

    setattr(os, leave.__name__, refuse)
    try:
        yield
    finally:
        setattr(os, leave.__name__, leave)
