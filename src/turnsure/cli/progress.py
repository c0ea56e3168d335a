"""Progress on the terminal: a bar where there is one, a line now and then where there is not."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from turnsure.engine.counters import Counters

_LINE_SECONDS = 15.0


@contextmanager
def run_progress(n_turns_expected: int) -> Generator[Callable[[Counters], None]]:
    """Show dialogues done, requests, rate, time left, tokens, store hits and failures.

    Parameters
    ----------
    n_turns_expected
        Requests that are expected, for the time left.
    """
    if sys.stderr.isatty():
        yield from _bar(n_turns_expected)
    else:
        yield from _lines(n_turns_expected)


def _bar(expected: int) -> Generator[Callable[[Counters], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.fields[dialogues]}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} requests"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[rest]}"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=expected, dialogues="", rate="", rest="")
        started = time.monotonic()

        def show(counters: Counters) -> None:
            bar.update(
                task,
                completed=counters.n_requests,
                dialogues=f"{counters.n_flows_done}/{counters.n_flows} dialogues",
                rate=_rate(counters, started),
                rest=_rest(counters),
            )

        yield show


def _lines(expected: int) -> Generator[Callable[[Counters], None]]:
    started = last = time.monotonic()

    def show(counters: Counters) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _LINE_SECONDS and counters.n_flows_done < counters.n_flows:
            return
        last = now
        print(
            f"{counters.n_flows_done}/{counters.n_flows} dialogues, "
            f"{counters.n_requests}/{expected} requests, {_rate(counters, started)}, "
            f"{_left(counters, expected, started)}, {_rest(counters)}",
            file=sys.stderr,
            flush=True,
        )

    yield show


def _asked(counters: Counters) -> int:
    return counters.n_requests - counters.n_from_store


def _rate(counters: Counters, started: float) -> str:
    seconds = max(time.monotonic() - started, 1e-6)
    return f"{_asked(counters) / seconds:.1f}/s"


def _left(counters: Counters, expected: int, started: float) -> str:
    if _asked(counters) == 0:
        return "time left unknown"
    each = (time.monotonic() - started) / counters.n_requests
    seconds = round(each * max(expected - counters.n_requests, 0))
    return f"about {seconds // 60}:{seconds % 60:02} left"


def _rest(counters: Counters) -> str:
    tokens = counters.prompt_tokens - counters.cached_tokens + counters.completion_tokens
    more = "+" if counters.n_uncounted else ""
    return (
        f"{tokens:,}{more} tokens, {counters.n_from_store} from store, {counters.n_failed} failed"
    )


@contextmanager
def download_progress(what: str) -> Generator[Callable[[int, int], None]]:
    """A bar for a download; it appears with the first bytes."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=console,
    )
    task = bar.add_task(f"Fetching {what}", total=None)
    begun = False

    def show(done: int, whole: int) -> None:
        nonlocal begun
        if not begun:
            begun = True
            bar.start()
        bar.update(task, completed=done, total=whole)

    try:
        yield show
    finally:
        if begun:
            bar.stop()
