"""Rounds: every contestant does a few turns, then every one does the next.

So whatever else the machine is doing slows all of them alike, and the ratios hold.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from turnsure.core.dialogue import Dialogue


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a contestant did over all its turns; None where it cannot be told.

    Attributes
    ----------
    n_requests
        To the engine or the server; of a model in a peer's own process, passes over a prompt.
    prompt_tokens, evaluated_tokens
        Of the prompts, once a call; and those that the model really went through, once for every
        row of a batch.
    distinct_tokens
        Nodes of the tree of these prompts: the least that can be evaluated.
    decoded_tokens
        Of the replies.
    """

    n_requests: int
    prompt_tokens: int
    evaluated_tokens: int
    distinct_tokens: int | None = None
    decoded_tokens: int | None = None


class Contestant(Protocol):
    """Something that measures dialogues."""

    @property
    def name(self) -> str: ...

    async def start(self) -> None:
        """Load the model; not timed."""
        ...

    async def play(self, dialogues: Sequence[Dialogue], turns: Sequence[int]) -> None:
        """Measure these turns of these dialogues; timed."""
        ...

    async def counts(self) -> Counts:
        """What was done so far; not timed."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one contestant took.

    Attributes
    ----------
    name
        Of the contestant.
    wall, cpu
        Seconds of all turns together; CPU of this process and all that it started, None on a system
        that does not tell.
    counts
        What it did.
    """

    name: str
    wall: float
    cpu: float | None
    counts: Counts


async def run_rounds(
    contestants: Sequence[Contestant],
    dialogues: Sequence[Dialogue],
    turns: int,
    *,
    together: int,
    stretch: int,
    say: Callable[[str], None],
) -> list[Result]:
    """Let all contestants measure turns 1 to ``turns`` of every dialogue.

    Parameters
    ----------
    contestants
        Who plays, in their order in each round.
    dialogues, turns
        What is measured.
    together
        Dialogues of a round, which a contestant may measure at once.
    stretch
        Turns of a round.
    say
        Told how far it is.
    """
    wall = dict.fromkeys((one.name for one in contestants), 0.0)
    cpu: dict[str, float | None] = dict.fromkeys(wall, 0.0)
    try:
        for one in contestants:
            say(f"starting {one.name}")
            await one.start()
        for first in range(0, len(dialogues), together):
            for turn in range(1, turns + 1, stretch):
                here = dialogues[first : first + together]
                now = range(turn, min(turn + stretch, turns + 1))
                for one in contestants:
                    used, start = cpu_seconds(), time.perf_counter()
                    await one.play(here, now)
                    wall[one.name] += time.perf_counter() - start
                    cpu[one.name] = _more(cpu[one.name], used, cpu_seconds())
                so_far = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in wall.items())
                say(f"dialogue {first + len(here)}, turn {now[-1]}: {so_far}")
        return [
            Result(name=one.name, wall=wall[one.name], cpu=cpu[one.name], counts=await one.counts())
            for one in contestants
        ]
    finally:
        for one in contestants:
            await one.close()


def _more(so_far: float | None, before: float | None, after: float | None) -> float | None:
    if so_far is None or before is None or after is None:
        return None
    return so_far + after - before


def cpu_seconds() -> float | None:
    """CPU time of this process and of all processes under it, as Linux tells it; None elsewhere."""
    if not sys.platform.startswith("linux"):
        return None
    tick = os.sysconf("SC_CLK_TCK")
    parent: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                # The name of the program, in brackets, may itself hold blanks and brackets.
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            parent[int(entry.name)] = int(fields[1])
            ticks[int(entry.name)] = int(fields[11]) + int(fields[12])

    def is_ours(process: int) -> bool:
        while process > 1:
            if process == os.getpid():
                return True
            process = parent.get(process, 0)
        return False

    return sum(ticks[process] for process in ticks if is_ours(process)) / tick
