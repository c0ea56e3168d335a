"""``turnsure gate``: build a gate, look at it, check it, serve it, replay a run under it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from turnsure.cli.gate_build import build
from turnsure.cli.gate_replay import replay
from turnsure.cli.gate_serve import serve
from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError


@click.group()
def gate() -> None:
    """Turn a score into a decision that holds: answer, ask, escalate or abstain."""


@gate.command(epilog="Example: turnsure gate show gate.json")
@click.argument("file", type=NamedPath())
def show(file: Path) -> None:
    """Say what a gate does and on what evidence."""
    from turnsure.experiment.gating.files import read_gate
    from turnsure.report.gate_text import gate_text

    click.echo(gate_text(read_gate(file)))


@gate.command(epilog="Example: turnsure gate check gate.json && deploy")
@click.argument("file", type=NamedPath())
def check(file: Path) -> None:
    """Check that a gate is as it was built; the exit code says so."""
    import datetime

    from turnsure.experiment.gating.files import read_gate
    from turnsure.experiment.gating.judge import Judge

    found = read_gate(file)
    try:
        Judge.of(found, today=datetime.date.today)
    except InputError as error:
        raise error.at(file=file) from None
    click.echo(f"{file}: as it was built, digest {found.digest}")


@gate.command(epilog="Example: turnsure gate schema > gate.schema.json")
def schema() -> None:
    """Print the JSON schema of a gate."""
    from turnsure.calibration.gate_file import gate_schema

    click.echo(json.dumps(gate_schema(), indent=2, ensure_ascii=False))


gate.add_command(build)
gate.add_command(serve)
gate.add_command(replay)
