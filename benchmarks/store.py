"""The store and the turns table at scale: time, bytes and memory.

    python benchmarks/store.py [--generations 1000000] [--rows 1000000] [--out FILE]

Requests and rows are those of a run of all methods on made-up dialogues of ten turns, answered by a
script.  Times are CPU seconds of the store's own calls; memory is the peak of a process of its own.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
from common import machine, told

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.generation import Generation, GenerationRequest, LabelReading, Usage
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow, TurnsCollector
from turnsure.experiment.evaluate import evaluate
from turnsure.experiment.setup import Setup, prepare
from turnsure.store.sqlite import Store
from turnsure.store.turns_file import read_turns, write_turns
from turnsure.store.wire import dump_generation, dump_request

T = TypeVar("T")

Answer = Callable[[GenerationRequest, np.random.Generator], Generation]

N_TURNS = 10
FINGERPRINT = {"engine": "scripted", "weights": "sha256:" + "5e" * 32, "schedule": "in order"}
METHODS = ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient")
FIRST_ANSWERS = 1000
WORDS = (
    "of", "the", "it", "is", "between", "more", "than", "million", "people", "border", "coast",
    "language", "area", "currency", "sea", "mountain", "river", "north", "south", "east", "west",
    "island", "capital", "union", "flag", "republic", "rain", "forest",
)  # fmt: skip


def dialogue(number: int) -> Dialogue:
    """Ten hints of nine words."""
    draw = np.random.default_rng(number)
    hints = tuple(Hint(answer=f"{words(draw, 9)}.") for _ in range(N_TURNS))
    return Dialogue(
        id=f"d{number:06d}",
        task="Name the country that the clues describe.",
        hints=hints,
        gold=(f"Country {number % 500}",),
        meta={"part": str(number % 7)},
    )


def words(draw: np.random.Generator, n: int) -> str:
    """So many words."""
    return " ".join(WORDS[place] for place in draw.integers(0, len(WORDS), n))


def reply(request: GenerationRequest, draw: np.random.Generator) -> Generation:
    """What a model might say."""
    number = int(draw.integers(0, 101))
    usage = Usage(prompt_tokens=80 + number, cached_tokens=60, new_tokens=30, completion_tokens=9)
    if request.labels is not None:
        mass = dict(zip(request.labels, (draw.random() * 0.6, 0.3), strict=True))
        return Generation(
            labels=LabelReading(mass=mass, n_top=20, outside={"The": 0.05}, variants=mass),
            usage=usage,
            seconds=draw.random(),
        )
    thought = words(draw, 50) if request.tag == "cot_verb" else ""
    is_number = request.tag.endswith("verb")
    texts = tuple(
        f"{thought}\\boxed{{{number if is_number else words(draw, 1)}}}" for _ in range(request.n)
    )
    finished = ("stop",) * len(texts)
    return Generation(texts=texts, finish_reasons=finished, usage=usage, seconds=draw.random())


def walk(setup: Setup, answer: Answer) -> Iterator[list[TurnRow]]:
    """The rows of one dialogue after the other, without end."""
    for number in itertools.count():
        draw = np.random.default_rng(number)
        flow = setup.dialogue(dialogue(number))
        try:
            batch = next(flow)
            while True:
                batch = flow.send([answer(request, draw) for request in batch])
        except StopIteration as end:
            yield end.value


def spec_setup() -> Setup:
    """All methods on the dialogues above; those that it names itself are not used."""
    return prepare(RunSpec(data="countries", limit=1, methods=METHODS))


def append(path: Path, n: int) -> dict[str, object]:
    """Keep so many generations, each after its key was looked up in vain."""
    store = Store(path)
    steps = {"key": 0.0, "get, a miss": 0.0, "put": 0.0}
    found: dict[str, object] = {}
    kept = last = n_plain = 0
    marks = {10**k for k in range(4, 10)} | {n}

    def answer(request: GenerationRequest, draw: np.random.Generator) -> Generation:
        nonlocal kept, last, n_plain
        came = reply(request, draw)
        times = [time.process_time()]
        key = store.key(FINGERPRINT, request)
        times.append(time.process_time())
        if store.get(key) is not None:
            return came
        times.append(time.process_time())
        store.put(key, FINGERPRINT, request, came)
        times.append(time.process_time())
        for place, name in enumerate(steps):
            steps[name] += times[place + 1] - times[place]
        kept += 1
        if kept % 100 == 0:
            n_plain += len(dump_request(request)) + len(dump_generation(came))
        if kept in marks:
            found[f"up to {kept:,}"] = {
                **{
                    f"microseconds a {name}": 1e6 * spent / (kept - last)
                    for name, spent in steps.items()
                },
                "bytes a generation in the file": path.stat().st_size / kept,
            }
            steps.update(dict.fromkeys(steps, 0.0))
            last = kept
        return came

    setup = spec_setup()
    for _ in walk(setup, answer):
        if kept >= n:
            break
    store.close()
    return found | {
        "bytes a generation as JSON": 100 * n_plain / kept,
        "bytes a generation at the end": path.stat().st_size / kept,
        "peak MB": peak_megabytes(),
    }


def resume(path: Path) -> dict[str, object]:
    """Open the store, and answer the first requests of the run from it."""
    setup = spec_setup()
    start = time.process_time()
    store = Store(path)
    opened = time.process_time() - start
    n_hits = 0

    def answer(request: GenerationRequest, draw: np.random.Generator) -> Generation:
        nonlocal n_hits
        came = store.get(store.key(FINGERPRINT, request))
        n_hits += came is not None
        return reply(request, draw) if came is None else came

    for _ in walk(setup, answer):
        if n_hits >= FIRST_ANSWERS:
            break
    return {
        "seconds to open": opened,
        f"seconds to open and answer {n_hits:,}": time.process_time() - start,
    }


def write_rows(path: Path, n: int) -> dict[str, object]:
    """Take so many rows as dialogues end, write the table, and evaluate it."""
    setup = spec_setup()
    before = peak_megabytes()
    collected = TurnsCollector.empty()
    n_rows = 0
    for rows in walk(setup, reply):
        collected.add(rows)
        n_rows += len(rows)
        if n_rows >= n:
            break
    held = peak_megabytes() - before
    start = time.process_time()
    table = collected.table()
    write_turns(table, path, protocol="0" * 64)
    written = time.process_time() - start
    evaluate(table, RunSpec(methods=METHODS, resamples=200), protocol="0" * 64)
    return {
        "rows": n_rows,
        "bytes held a row": 1e6 * held / n_rows,
        "seconds to write": written,
        "bytes a row in the file": path.stat().st_size / n_rows,
        "peak MB": peak_megabytes(),
    }


def read_rows(path: Path) -> dict[str, object]:
    """Read the table back."""
    start = time.process_time()
    table, _ = read_turns(path)
    return {
        "rows": len(table),
        "seconds": time.process_time() - start,
        "peak MB": peak_megabytes(),
    }


def peak_megabytes() -> float:
    """The most memory that this process has held so far."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def alone(task: Callable[..., T], *arguments: object) -> T:
    """Run a task in a process of its own, so that its peak of memory is its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(task, *arguments).result()


def main() -> None:
    """Run all, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store, table = Path(folder) / "store.sqlite", Path(folder) / "turns.parquet"
        found = {
            "machine": machine("numpy", "arro3-io"),
            "appending": alone(append, store, given.generations),
            "going on": alone(resume, store),
            "table written": alone(write_rows, table, given.rows),
            "table read": alone(read_rows, table),
        }
    told(found, given.out)


if __name__ == "__main__":
    main()
