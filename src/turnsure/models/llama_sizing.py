"""How many sample slots, lanes and threads an embedded model gets.

Threads that work on one token wait for one another at every layer, so on a small model one thread a
lane does more than many threads in one lane, and far more beside other programs; see
``docs/speed.md`` for what was measured.  What bounds the lanes is memory: each has a cache.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from turnsure.models.gguf_header import cache_numbers_a_token

_SLOTS = (20, 10, 5, 4, 2, 1)
_SHARE, _MOST = 0.5, 0.8
"""Of the computer's memory, for weights and caches: what several lanes may take, and what one may
before it gets fewer slots."""

_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Samples side by side in a lane, lanes, and threads of each lane."""

    slots: int
    lanes: int
    threads_a_lane: int


def layout(
    path: Path,
    *,
    context: int,
    slots: int | None,
    lanes: int | None,
    dialogues: int,
    threads: int,
    gpu_layers: int,
    bytes_per_number: int,
    shared_weights: bool,
    memory: int | None,
    cores: int,
) -> Layout:
    """Choose what the user left open.

    Nothing here depends on how busy the computer is, so that equal runs are laid out alike.  The
    number of slots is part of the protocol, so it is 20 wherever that is possible.

    Parameters
    ----------
    path
        The GGUF file.
    context
        Tokens a slot.
    slots, lanes
        As wanted; None to choose: at most 20 slots, and lanes for the dialogues, one a core.
    dialogues
        How many there are to ask at once.
    threads
        Of all lanes together, 0 for one a core.
    gpu_layers
        With any, one lane is chosen.
    bytes_per_number
        Of the cache.
    shared_weights
        Whether all lanes share one copy of the weights.
    memory
        Bytes of the computer, None where unknown: then one lane is chosen.
    cores
        Of the computer.
    """
    numbers = cache_numbers_a_token(path)
    slot = None if numbers is None else numbers * bytes_per_number * context
    weights = path.stat().st_size
    if slots is None:
        room = None if memory is None else memory * _MOST - weights
        fitting = (n for n in _SLOTS if slot is None or room is None or n * slot <= room)
        slots = next(fitting, 1)
    workers = threads or cores
    if lanes is None:
        fit = 1
        if slot is not None and memory is not None and not gpu_layers:
            shared, own = (weights, 0) if shared_weights else (0, weights)
            fit = int((memory * _SHARE - shared) // (slots * slot + own))
        lanes = max(1, min(workers, dialogues, fit))
    return Layout(slots=slots, lanes=lanes, threads_a_lane=max(1, workers // lanes))


def computer_memory() -> int | None:
    """Bytes that this process may use at most; None where the system does not tell."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    try:
        limit = _CONTAINER_LIMIT.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return whole
    return min(whole, int(limit)) if limit.isdigit() else whole


def usable_cores() -> int:
    """Cores that this process may run on."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
