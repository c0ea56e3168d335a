"""Sharded instructions, from tasks to numbers, with everything kept in a folder."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from turnsure.core.dialogue import Dialogue
from turnsure.core.protocols import Backend
from turnsure.core.sharded import Scoring, ShardedResult, ShardedRun
from turnsure.engine.counters import Counters
from turnsure.engine.drive import Engine, quiet
from turnsure.engine.retry import start_patiently
from turnsure.scenarios.sharded import ShardedSettings, run_sharded, sharded_jobs
from turnsure.scenarios.sharded_scores import sharded_result
from turnsure.store.json_files import held_alone, plain, write_json
from turnsure.store.sqlite import Store

FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedTest:
    """What came of it.

    Attributes
    ----------
    runs
        Every run, task by task.
    result
        The numbers.
    counters
        What was asked this time.
    """

    runs: tuple[ShardedRun, ...]
    result: ShardedResult
    counters: Counters


def run_sharded_test(
    tasks: Sequence[Dialogue],
    backend: Backend,
    folder: Path,
    settings: ShardedSettings,
    *,
    scoring: Scoring = "final",
    concurrency: int = 8,
    resamples: int = 2000,
    progress: Callable[[Counters], None] = quiet,
) -> ShardedTest:
    """Run every version of every task; a reply that the folder holds is not asked for again.

    Parameters
    ----------
    tasks
        With different ids.
    backend
        The model; it is started and closed here.
    folder
        Gets ``store.sqlite``, ``runs.jsonl`` and ``sharded.json``; made when absent.
    settings
        Runs and versions.
    scoring, concurrency, resamples
        What of a run counts; conversations in flight; of the bootstrap.
    progress
        Told the counters after every request.

    Raises
    ------
    InputError
        Two tasks have one id, or one lacks the full text that a version needs; nothing was asked.
    StoreError
        Another process writes to the folder.
    BackendError
        The model cannot be reached.
    """
    sharded_jobs(tasks, settings)  # what is wrong with a task is said before a model is loaded
    with held_alone(folder):
        store = Store(folder / "store.sqlite")
        engine = Engine(backend=backend, store=store, concurrency=concurrency, progress=progress)
        try:
            runs = asyncio.run(_run(engine, tasks, settings))
        finally:
            store.close()
        result = sharded_result(runs, scoring=scoring, resamples=resamples, seed=settings.seed)
        _write_runs(folder / "runs.jsonl", runs)
        write_json(folder / "sharded.json", _record(backend.fingerprint, settings, runs, result))
    return ShardedTest(runs=tuple(runs), result=result, counters=engine.counters)


async def _run(
    engine: Engine, tasks: Sequence[Dialogue], settings: ShardedSettings
) -> list[ShardedRun]:
    try:
        await start_patiently(engine.backend)
        return await run_sharded(engine, tasks, settings)
    finally:
        await engine.backend.close()


def _write_runs(path: Path, runs: Sequence[ShardedRun]) -> None:
    lines = (json.dumps(plain(run), ensure_ascii=False) + "\n" for run in runs)
    part = path.with_name(f".{path.name}.part")
    part.write_text("".join(lines), encoding="utf-8", errors="backslashreplace")
    part.replace(path)


def _record(
    model: Mapping[str, str],
    settings: ShardedSettings,
    runs: Sequence[ShardedRun],
    result: ShardedResult,
) -> dict[str, object]:
    return {
        "format": FORMAT,
        "kind": "sharded",
        "model": dict(model),
        "runs": settings.runs,
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
        "seed": settings.seed,
        "grader": settings.grader.name,
        "n_tasks": len({run.task for run in runs}),
        **plain(result),
    }
