"""Progress of a suite on the terminal: a bar where there is one, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from turnsure.core.suite import SuiteProgress

_LINE_SECONDS = 15.0


@contextmanager
def suite_progress(n_runs: int) -> Generator[Callable[[SuiteProgress], None]]:
    """Show runs done, how many were kept from before, and their verdicts."""
    if sys.stderr.isatty():
        yield from _bar(n_runs)
    else:
        yield from _lines()


def _bar(n_runs: int) -> Generator[Callable[[SuiteProgress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        BarColumn(),
        TextColumn("{task.completed}/{task.total} runs"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[rest]}"),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=n_runs, rest="")

        def show(progress: SuiteProgress) -> None:
            bar.update(task, completed=progress.n_done, rest=_rest(progress))

        yield show


def _lines() -> Generator[Callable[[SuiteProgress], None]]:
    last = time.monotonic()

    def show(progress: SuiteProgress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < _LINE_SECONDS and progress.n_done < progress.n_runs:
            return
        last = now
        print(
            f"{progress.n_done}/{progress.n_runs} runs: {_rest(progress)}",
            file=sys.stderr,
            flush=True,
        )

    yield show


def _rest(progress: SuiteProgress) -> str:
    kinds = [f"{verdict} {n:,}" for verdict, n in progress.verdicts.items() if n]
    if progress.n_replayed:
        kinds.append(f"{progress.n_replayed:,} kept from before")
    return ", ".join(kinds)
