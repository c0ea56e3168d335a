"""``turnsure sharded``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import click

from turnsure.cli.options import MODEL_OPTIONS, VERBOSE, given, options
from turnsure.cli.paths import NamedPath
from turnsure.cli.tables import BRIEF_FORMAT, RESAMPLES


@click.command(
    epilog="""\b
Examples:
  turnsure sharded tasks.jsonl --model openai:NAME --base-url http://127.0.0.1:8000/v1
  turnsure sharded tasks.jsonl --limit 20 --runs 5 --versions full,sharded
  turnsure dialogues convert sharded theirs.json -o tasks.jsonl
"""
)
@click.argument("tasks", type=NamedPath())
@click.option("--limit", type=int, metavar="N", help="The first N tasks only.")
@click.option("--runs", type=int, metavar="N", help="Of every task and version.  [10]")
@click.option(
    "--versions", metavar="A,B,…", help="Which: full,concatenated,sharded.  [all of them]"
)
@click.option(
    "--scoring",
    type=click.Choice(["final", "any"]),
    help="The answer of the last reply counts, or a right one at any turn.  [final]",
)
@click.option("--temperature", type=float, metavar="T", help="Of the replies.  [1.0]")
@click.option("--max-tokens", type=int, metavar="N", help="Limit of a reply.  [512]")
@click.option(
    "--out",
    "-o",
    type=NamedPath(to="folder"),
    metavar="FOLDER",
    help="Where it is kept.  [runs/sharded-…]",
)
@BRIEF_FORMAT
@click.option("--seed", type=int, metavar="N", help="Of the runs and the bootstrap.  [0]")
@RESAMPLES
@options(MODEL_OPTIONS)
@VERBOSE
def sharded(
    tasks: Path,
    limit: int | None,
    runs: int | None,
    versions: str | None,
    scoring: str | None,
    temperature: float | None,
    max_tokens: int | None,
    out: Path | None,
    kind: str | None,
    resamples: int | None,
    seed: int | None,
    verbose: bool,
    **model: object,
) -> None:
    """Test whether a model still solves a task that is told piece by piece.

    TASKS are dialogues: the hints are the pieces, "full" in meta is the task as it was written.
    Each is run whole, as a list of its pieces, and with one piece a turn (Laban et al. 2025).
    What was answered is kept: the same command goes on where it was stopped.
    """
    from turnsure.cli.execute import open_with_progress, print_rich
    from turnsure.cli.progress import run_progress
    from turnsure.core.spec import RunSpec
    from turnsure.dialogues.jsonl import read_dialogues
    from turnsure.report.sharded_text import sharded_markdown, sharded_terminal
    from turnsure.scenarios.sharded import ShardedSettings, sharded_jobs, user_turns
    from turnsure.store.json_files import plain
    from turnsure.testing.sharded import run_sharded_test

    chosen = None if versions is None else tuple(one.strip() for one in versions.split(","))
    numbers = {"runs": runs, "temperature": temperature, "max_tokens": max_tokens, "seed": seed}
    settings = ShardedSettings(**given({**numbers, "versions": chosen}))
    spec = RunSpec(**given(model))
    read = read_dialogues(tasks, limit=limit)
    sharded_jobs(read, settings)
    expected = settings.runs * sum(
        len(user_turns(task, version)) for task in read for version in settings.versions
    )
    folder = out or Path("runs", re.sub(r"[^\w.-]+", "-", f"sharded-{tasks.stem}-{spec.model}"))
    click.echo(
        f"{len(read)} tasks, {expected} requests to {spec.model}; results go to {folder}", err=True
    )
    backend = open_with_progress(spec, verbose=verbose)
    with run_progress(expected) as progress:
        done = run_sharded_test(
            read,
            backend,
            folder,
            settings,
            **given({"scoring": scoring, "resamples": resamples}),
            concurrency=spec.concurrency,
            progress=progress,
        )
    if kind == "json":
        body = {"format": 1, "kind": "sharded", **plain(done.result)}
        click.echo(json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False))
    elif kind == "markdown":
        click.echo(sharded_markdown(done.result), nl=False)
    else:
        print_rich(sharded_terminal(done.result))
    click.echo(f"Every run: {folder / 'runs.jsonl'}", err=True)
