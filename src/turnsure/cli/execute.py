"""What ``demo`` and ``run`` share: measure with a progress bar, then say what came out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from turnsure.cli.options import default_folder
from turnsure.cli.progress import download_progress, run_progress
from turnsure.core.digest import SHORT
from turnsure.core.generation import RequestRole
from turnsure.core.protocols import Backend
from turnsure.core.spec import Plan, RunSpec

_INTERRUPTED = 130
_PLAN_HEADINGS = ("requests", "kept", "prompt tokens ≈", "distinct ≈", "decoded tokens ≤")


def execute(spec: RunSpec, *, out: Path | None, dry_run: bool, verbose: bool) -> None:
    """Run a spec, or say what it would cost."""
    from turnsure import pipeline
    from turnsure.experiment.plan import count_requests
    from turnsure.report.spending import spending_sentence
    from turnsure.report.terminal import summary_table
    from turnsure.report.terminal_controls import controls_table

    folder = out or default_folder(spec)
    setup = pipeline.prepare(spec)
    summarising = _summariser(spec)
    if dry_run:
        others: dict[RequestRole, Mapping[str, str] | None] = {}
        if summarising is not None:
            others["summariser"] = _known_fingerprint(summarising)
        show_plan(pipeline.dry_run(setup, folder, _known_fingerprint(spec), others=others))
        return
    expected = count_requests(setup)
    click.echo(
        f"{len(setup.dialogues)} dialogues, {setup.n_turns} turns, about {expected} requests "
        f"to {spec.model}; results go to {folder}",
        err=True,
    )
    # Beside an embedded summariser, which asks one dialogue at a time, more lanes would idle.
    alone = summarising is None or summarising.model.startswith("openai:")
    at_once = len(setup.dialogues) if alone else 1
    backend = open_with_progress(spec, dialogues=at_once, verbose=verbose)
    summariser = None if summarising is None else open_with_progress(summarising, verbose=verbose)
    try:
        with run_progress(expected) as progress:
            run = pipeline.measure(setup, backend, folder, progress, summariser=summariser)
    except KeyboardInterrupt:
        again = shlex.join(["turnsure", *sys.argv[1:]])
        click.echo(
            f"\nStopped; what was finished is kept in {folder}. Go on with: {again}", err=True
        )
        sys.exit(_INTERRUPTED)
    print_rich(summary_table(run.evaluation))
    if run.evaluation.controls.any:
        print_rich(controls_table(run.evaluation))
    counters = run.counters
    click.echo(
        f"{counters.n_requests} requests, {counters.n_from_store} of them from the store, "
        f"{counters.n_retries} sent again, {counters.n_failed} failed. "
        f"Protocol {run.evaluation.protocol[:SHORT]}."
    )
    if run.evaluation.cost is not None and (spent := spending_sentence(run.evaluation.cost)):
        click.echo(spent)
    if counters.n_failed:
        click.echo("The same command asks those that failed again, and nothing else.", err=True)
    click.echo(f"Report: {run.folder.report}")


def open_with_progress(spec: RunSpec, *, dialogues: int = 1, verbose: bool) -> Backend:
    """Open the model; show a bar when its weights have to be fetched first."""
    from turnsure.models.opening import open_model

    with download_progress("the default model (once)") as download:
        return open_model(spec, dialogues=dialogues, verbose=verbose, download=download)


def _summariser(spec: RunSpec) -> RunSpec | None:
    """How to reach the model that writes summaries, where it is another one than the subject."""
    if spec.summariser is None or "summary" not in spec.controls:
        return None
    address = spec.summariser_url or spec.base_url
    return replace(spec, model=spec.summariser, base_url=address)


def show_plan(plan: Plan) -> None:
    """Print what a run would ask, by method."""
    from rich.table import Table

    table = Table(title=f"{plan.n_dialogues} dialogues, {plan.n_turns} turns", title_justify="left")
    table.add_column("asked for")
    for heading in _PLAN_HEADINGS:
        table.add_column(heading, justify="right")
    counts = [
        (
            call.n_requests,
            call.n_kept,
            call.prompt_tokens,
            call.distinct_tokens,
            call.completion_tokens,
        )
        for call in plan.calls
    ]
    for call, row in zip(plan.calls, counts, strict=True):
        table.add_row(call.tag, *(f"{count:,}" for count in row))
    table.add_section()
    table.add_row("all", *(f"{sum(column):,}" for column in zip(*counts, strict=True)))
    print_rich(table)
    click.echo(
        "Nothing was asked. 'kept' are answered by the store or by an equal request of the same "
        "run. Prompt tokens are estimated at four characters each; a prefix cache can spare all "
        "but the distinct ones. Decoded tokens are the limits."
    )


def print_rich(renderable: object) -> None:
    """Print to standard output, in colour where it is a terminal."""
    from rich.console import Console

    Console().print(renderable)


def _known_fingerprint(spec: RunSpec) -> dict[str, str] | None:
    """The model's fingerprint, when it can be had without loading or asking the model."""
    from turnsure.models.opening import known_fingerprint

    found = known_fingerprint(spec)
    return None if found is None else dict(found)
