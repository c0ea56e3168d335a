"""``turnsure gate replay``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import click

from turnsure.cli.paths import NamedPath
from turnsure.cli.tables import RESAMPLES, SEED

_AT_END: dict[str, Literal["rule", "answer"]] = {"rule": "rule", "answer": "answer"}


@click.command(
    epilog="""\b
Examples:
  turnsure gate replay gate.json runs/other
  turnsure gate replay gate.json runs/demo --in-sample
"""
)
@click.argument("file", type=NamedPath(), metavar="GATE")
@click.argument("source", type=NamedPath(), metavar="RUN")
@click.option(
    "--in-sample", is_flag=True, help="Go on with dialogues on which the gate was built; marked."
)
@click.option("--accept", multiple=True, metavar="PLACE", help="May differ: model.base_url, say.")
@click.option(
    "--at-end",
    type=click.Choice(list(_AT_END)),
    default="rule",
    show_default=True,
    help="At the last turn: what the rule says, or answer in any case.",
)
@click.option(
    "--format", "kind", type=click.Choice(["table", "json"]), help="Of what is printed.  [table]"
)
@RESAMPLES
@SEED
def replay(
    file: Path,
    source: Path,
    in_sample: bool,
    accept: tuple[str, ...],
    at_end: str,
    kind: str | None,
    resamples: int | None,
    seed: int | None,
) -> None:
    """Say what a gate would have done with the dialogues of a run.

    It answers as soon as it may, and else takes the next hint; beside it stand a fixed turn, always
    answering, and an oracle.  Dialogues on which the gate was built are refused.
    """
    from turnsure.cli.execute import print_rich
    from turnsure.cli.options import given
    from turnsure.experiment.gating.files import read_gate
    from turnsure.experiment.gating.replaying import replay_gate
    from turnsure.report.gate_replay import replay_table
    from turnsure.store.json_files import plain

    found = replay_gate(
        read_gate(file),
        source,
        in_sample=in_sample,
        accept=accept,
        at_end=_AT_END[at_end],
        **given({"resamples": resamples, "seed": seed}),
    )
    if kind == "json":
        click.echo(json.dumps({"format": 1, **plain(found)}, indent=2, allow_nan=False))
    else:
        mark = " (IN SAMPLE: looks better than it is)" if found.in_sample else ""
        print_rich(replay_table(found.policies, title=f"{source.name} under {file.name}{mark}"))
    for note in found.notes:
        click.echo(f"! {note}", err=True)
