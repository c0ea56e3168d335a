"""READ THIS FIRST: how dialogues become a report.

::

    dialogue ─▶ prefix(turn) ─▶ answer ─▶ confidence (per method; answer and gold) ─▶ outcome
        ─▶ turns table ─▶ evaluation ─▶ report

A newcomer can follow one dialogue through this file; each arrow is one module.
"""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from turnsure.core.dialogue import Dialogue
from turnsure.core.digest import SHORT
from turnsure.core.errors import StoreError
from turnsure.core.evaluation import Evaluation, ReportData, RunCost
from turnsure.core.generation import GenerationRequest
from turnsure.core.protocols import Backend
from turnsure.core.spec import Plan, Protocol, RunSpec
from turnsure.core.turns import TurnsTable
from turnsure.dialogues.jsonl import read_dialogues, write_dialogues
from turnsure.engine.counters import Counters
from turnsure.engine.drive import Engine, Job, quiet
from turnsure.experiment.check import check_model
from turnsure.experiment.config import make_spec, read_config
from turnsure.experiment.evaluate import evaluate
from turnsure.experiment.plan import plan
from turnsure.experiment.run_folder import RunFolder, plain
from turnsure.experiment.setup import Setup, prepare
from turnsure.report.page import write_report
from turnsure.store.sqlite import Store
from turnsure.store.turns_file import read_turns, write_turns

Progress = Callable[[Counters], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A finished run.

    Attributes
    ----------
    folder
        Where it is.
    evaluation
        Its numbers.
    counters
        What it asked this time.
    """

    folder: RunFolder
    evaluation: Evaluation
    counters: Counters


def measure(setup: Setup, backend: Backend, folder: str | Path, progress: Progress = quiet) -> Run:
    """Measure every turn of every dialogue, and write tables and report.

    A run that was stopped, however roughly, is finished by calling this again: generations that
    the folder's store holds are not asked again.

    Parameters
    ----------
    setup
        Dialogues and methods, from :func:`turnsure.experiment.setup.prepare`.
    backend
        The model; it is started and closed here.
    folder
        The run's folder; made when absent.
    progress
        Told the counters after every request.

    Raises
    ------
    CapabilityError
        A method cannot work with this model; nothing was asked.
    StoreError
        Another process writes to the folder.
    BackendError
        The model cannot be reached.
    """
    run = RunFolder(Path(folder))
    with run.locked():
        store = Store(run.store)
        try:
            return asyncio.run(_measure(setup, backend, run, store, progress))
        finally:
            store.close()


async def _measure(
    setup: Setup, backend: Backend, run: RunFolder, store: Store, progress: Progress
) -> Run:
    started = _now()
    try:
        await backend.start()
        setup.check(backend.capabilities, model=backend.name)
        protocol = setup.protocol(backend.fingerprint)
        _keep_other_runs(run, protocol, _absolute(setup.spec).data)
        write_dialogues(run.dialogues, setup.dialogues)
        run.write_run(_run_body(setup, protocol, started=started, finished=None))

        engine = Engine(
            backend=backend, store=store, concurrency=setup.spec.concurrency, progress=progress
        )
        jobs = [
            Job(dialogue=dialogue.id, flow=setup.measurement.dialogue(dialogue))
            for dialogue in setup.dialogues
        ]
        rows = await engine.run(jobs)
    finally:
        await backend.close()

    table = TurnsTable.of(row for dialogue_rows in rows for row in dialogue_rows)
    write_turns(table, run.turns, protocol=protocol.digest)
    evaluation = evaluate(table, setup.spec, protocol=protocol.digest)
    run.write_metrics(evaluation)
    body = _run_body(setup, protocol, started=started, finished=_now(), counters=engine.counters)
    run.write_run(body)
    evaluation = replace(evaluation, cost=_cost(engine.counters))
    _draw(run, evaluation, setup.dialogues, table, body)
    return Run(folder=run, evaluation=evaluation, counters=engine.counters)


def _keep_other_runs(run: RunFolder, protocol: Protocol, data: str) -> None:
    """Refuse to write over the finished run of another protocol or other data."""
    if not run.run_json.exists():
        return
    kept = run.read_run()
    if kept["finished"] and (kept["digest"] != protocol.digest or kept["spec"]["data"] != data):
        raise StoreError(
            f"{run.path} holds a finished run of another protocol ({kept['digest'][:SHORT]} on "
            f"{kept['spec']['data']}); choose another folder with --out"
        )


def dry_run(setup: Setup, folder: Path, fingerprint: Mapping[str, str] | None) -> Plan:
    """Count what :func:`measure` would ask, less what the folder's store already holds.

    Parameters
    ----------
    setup
        Dialogues and methods.
    folder
        The run's folder; it need not exist.
    fingerprint
        The model's, where it is known without asking the model; otherwise nothing counts as kept.
    """
    path = RunFolder(folder).store
    if fingerprint is None or not path.exists():
        return plan(setup, _nothing_kept)
    store = Store(path)

    def is_kept(request: GenerationRequest) -> bool:
        return store.get(store.key(fingerprint, request)) is not None

    try:
        return plan(setup, is_kept)
    finally:
        store.close()


def _nothing_kept(request: GenerationRequest) -> bool:
    del request
    return False


def load_run(folder: str | Path) -> ReportData:
    """Read a finished run back and evaluate it anew.

    Raises
    ------
    StoreError
        There is no finished run in the folder, or its files do not fit together.
    """
    run = RunFolder(Path(folder))
    body = run.read_run()
    if not run.turns.exists():
        raise StoreError(f"{folder}: this run is not finished; run it again to go on")
    spec = make_spec(read_config(run.run_json), file=run.run_json)
    table, protocol = read_turns(run.turns)
    if body["finished"] is None or protocol != body["digest"]:
        raise StoreError(
            f"{folder}: the tables here are of an earlier run; run the present one to its end"
        )
    dialogues = tuple(read_dialogues(run.dialogues))
    return _report_data(evaluate(table, spec, protocol=protocol), dialogues, table, body)


def _draw(
    run: RunFolder,
    evaluation: Evaluation,
    dialogues: tuple[Dialogue, ...],
    table: TurnsTable,
    body: Mapping[str, Any],
) -> None:
    write_report(_report_data(evaluation, dialogues, table, body), run.report)


def _report_data(
    evaluation: Evaluation,
    dialogues: tuple[Dialogue, ...],
    table: TurnsTable,
    body: Mapping[str, Any],
) -> ReportData:
    facts = [
        ("Protocol digest", str(body["digest"])),
        *((f"Model: {name}", text) for name, text in body["protocol"]["model"].items()),
        *((f"Setting: {name}", str(value)) for name, value in body["spec"].items()),
        *((f"Version: {name}", text) for name, text in body["versions"].items()),
    ]
    return ReportData(
        evaluation=evaluation,
        dialogues=dialogues,
        table=table,
        facts=tuple(facts),
        created=str(body["finished"]),
    )


def _run_body(
    setup: Setup,
    protocol: Protocol,
    *,
    started: str,
    finished: str | None,
    counters: Counters | None = None,
) -> dict[str, Any]:
    return {
        "spec": plain(_absolute(setup.spec)),
        "protocol": protocol.body,
        "digest": protocol.digest,
        "versions": {
            "turnsure": version("turnsure"),
            "numpy": version("numpy"),
            "python": platform.python_version(),
        },
        "n_dialogues": len(setup.dialogues),
        "n_turns": setup.n_turns,
        "started": started,
        "finished": finished,
        "asked": None if counters is None else plain(_cost(counters)),
    }


def _absolute(spec: RunSpec) -> RunSpec:
    """Files by their full path, so that ``run.json`` can be run from anywhere."""
    kind, _, file = spec.model.partition(":")
    return replace(
        spec,
        data=str(Path(spec.data).resolve()) if Path(spec.data).exists() else spec.data,
        templates=None if spec.templates is None else str(Path(spec.templates).resolve()),
        model=f"local:{Path(file).resolve()}" if kind == "local" and file else spec.model,
    )


def _cost(counters: Counters) -> RunCost:
    return RunCost(
        n_requests=counters.n_requests,
        n_from_store=counters.n_from_store,
        n_failed=counters.n_failed,
        prompt_tokens=counters.prompt_tokens,
        cached_tokens=counters.cached_tokens,
        completion_tokens=counters.completion_tokens,
        n_uncounted=counters.n_uncounted,
        seconds=counters.seconds,
    )


def _now() -> str:
    return datetime.now(tz=UTC).isoformat(timespec="seconds")


__all__ = ["Run", "check_model", "dry_run", "load_run", "measure", "prepare"]
