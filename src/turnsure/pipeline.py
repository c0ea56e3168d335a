"""READ THIS FIRST: how dialogues become a report.

::

    dialogue ─▶ prefix(turn) ─▶ answer ─▶ confidence (per method; answer and gold) ─▶ outcome
        ─▶ turns table ─▶ evaluation (also against a world's known candidates) ─▶ report
           └ controls: other prefixes, other answers, other protocols ─▶ what they found ┘

A newcomer can follow one dialogue through this file; each arrow is one module.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from turnsure.core.dialogue import Dialogue
from turnsure.core.digest import SHORT
from turnsure.core.errors import StoreError
from turnsure.core.evaluation import Evaluation, ReportData
from turnsure.core.generation import GenerationRequest, RequestRole
from turnsure.core.protocols import Backend
from turnsure.core.spec import Plan, Protocol, RunSpec
from turnsure.core.turns import PLAIN, TurnsCollector, TurnsTable
from turnsure.dialogues.jsonl import read_dialogues, write_dialogues
from turnsure.engine.counters import Counters
from turnsure.engine.drive import Engine, Job, quiet
from turnsure.engine.retry import start_patiently
from turnsure.experiment.check import check_model
from turnsure.experiment.closed_world import closed_world
from turnsure.experiment.combine import with_combinations, with_variant_combinations
from turnsure.experiment.config import make_spec, read_config
from turnsure.experiment.effects.of_run import control_effects, split_variants
from turnsure.experiment.evaluate import evaluate
from turnsure.experiment.plan import plan
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.run_record import absolute, now, read_cost, run_cost, run_record
from turnsure.experiment.sample_savings import sample_savings
from turnsure.experiment.setup import Setup, prepare
from turnsure.report.page import write_report
from turnsure.report.text import setting
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


def measure(
    setup: Setup,
    backend: Backend,
    folder: str | Path,
    progress: Progress = quiet,
    *,
    summariser: Backend | None = None,
) -> Run:
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
    summariser
        The model that writes summaries, None for the subject; it is started and closed here too.

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
            return asyncio.run(_measure(setup, backend, summariser, run, store, progress))
        finally:
            store.close()


async def _measure(
    setup: Setup,
    backend: Backend,
    summariser: Backend | None,
    run: RunFolder,
    store: Store,
    progress: Progress,
) -> Run:
    started = now()
    others: dict[RequestRole, Backend] = {} if summariser is None else {"summariser": summariser}
    try:
        for model in (backend, *others.values()):
            await start_patiently(model)
        setup.check(backend.capabilities, model=backend.name)
        protocol = setup.protocol(backend.fingerprint)
        _keep_other_runs(run, protocol, absolute(setup.spec).data)
        write_dialogues(run.dialogues, setup.dialogues)
        record = functools.partial(
            run_record,
            setup,
            protocol,
            backend.fingerprint,
            summariser=None if summariser is None else summariser.fingerprint,
            started=started,
        )
        run.write_run(record(finished=None))

        engine = Engine(
            backend=backend,
            others=others,
            store=store,
            concurrency=setup.spec.concurrency,
            progress=progress,
        )
        jobs = [
            Job(dialogue=dialogue.id, flow=setup.dialogue(dialogue)) for dialogue in setup.dialogues
        ]
        collected = TurnsCollector.empty()
        await engine.run_each(jobs, collected.add)
    finally:
        for model in (backend, *others.values()):
            await model.close()

    table, variants = split_variants(collected.table())
    methods = setup.instrument.combinations
    variants = {
        name: with_variant_combinations(variant, table.select(condition=PLAIN), methods)
        for name, variant in variants.items()
    }
    table = with_combinations(table, methods)
    body = record(finished=now(), counters=engine.counters)
    write_turns(table, run.turns, protocol=protocol.digest)
    run.write_variants(variants, body["variant_digests"])
    evaluation = _evaluate(table, variants, setup.dialogues, setup.spec, body)
    evaluation = replace(evaluation, cost=run_cost(engine.counters))
    run.write_metrics(evaluation)
    run.write_run(body)
    write_report(_report_data(evaluation, setup.dialogues, table, body), run.report)
    return Run(folder=run, evaluation=evaluation, counters=engine.counters)


def _evaluate(
    table: TurnsTable,
    variants: Mapping[str, TurnsTable],
    dialogues: Sequence[Dialogue],
    spec: RunSpec,
    body: Mapping[str, Any],
) -> Evaluation:
    """The numbers of the plain turns, also against known candidates, and what controls found."""
    plain = table.select(condition=PLAIN)
    evaluation = evaluate(plain, spec, protocol=str(body["digest"]))
    effects = control_effects(
        table,
        variants,
        spec,
        definitions=body["controls"],
        digests=body["variant_digests"],
    )
    return replace(
        evaluation,
        controls=effects,
        closed_world=closed_world(plain, dialogues, spec),
        sample_savings=sample_savings(plain, spec),
    )


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


def dry_run(
    setup: Setup,
    folder: Path,
    fingerprint: Mapping[str, str] | None,
    *,
    others: Mapping[RequestRole, Mapping[str, str] | None] | None = None,
) -> Plan:
    """Count what :func:`measure` would ask, less what the folder's store already holds.

    Parameters
    ----------
    setup
        Dialogues and methods.
    folder
        The run's folder; it need not exist.
    fingerprint
        The model's, where it is known without asking the model; otherwise nothing counts as kept.
    others
        The same of models in other roles than the subject's.
    """
    path = RunFolder(folder).store
    if fingerprint is None or not path.exists():
        return plan(setup, _nothing_kept)
    store = Store(path)

    def is_kept(request: GenerationRequest) -> bool:
        known = (others or {}).get(request.role, fingerprint)
        return known is not None and store.get(store.key(known, request)) is not None

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
    variants = run.read_variants(body["variant_digests"])
    evaluation = _evaluate(table, variants, dialogues, spec, body)
    evaluation = replace(evaluation, cost=read_cost(body.get("asked")))
    return _report_data(evaluation, dialogues, table, body)


def _report_data(
    evaluation: Evaluation,
    dialogues: tuple[Dialogue, ...],
    table: TurnsTable,
    body: Mapping[str, Any],
) -> ReportData:
    facts = [
        ("Protocol digest", str(body["digest"])),
        *((f"Model: {name}", text) for name, text in body["protocol"]["model"].items()),
        *((f"Setting: {name}", setting(value)) for name, value in body["spec"].items()),
        *((f"Version: {name}", text) for name, text in body["versions"].items()),
    ]
    return ReportData(
        evaluation=evaluation,
        dialogues=dialogues,
        table=table.select(condition=PLAIN),
        controlled=table.where_condition(lambda condition: condition != PLAIN),
        facts=tuple(facts),
        created=str(body["finished"]),
    )


__all__ = ["Run", "check_model", "dry_run", "load_run", "measure", "prepare"]
