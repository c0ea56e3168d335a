"""``turnsure run``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from turnsure.cli.execute import execute
from turnsure.cli.options import (
    CONTROL_OPTIONS,
    MEASURE_OPTIONS,
    MODEL_OPTIONS,
    VERBOSE,
    given,
    options,
)
from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError


@click.command(
    epilog="""\b
Examples:
  turnsure run --data dialogues.jsonl --limit 5
  turnsure run --data countries --model local:model.gguf --samples 10
  turnsure run --data dialogues.jsonl --model openai:my-model \\
      --base-url http://127.0.0.1:8000/v1 --dry-run
  turnsure run --data countries --limit 20 --controls all --placebo-turns one
  turnsure run --config study.toml --out runs/study
  turnsure run --config runs/study/run.json     (the same run again)
"""
)
@click.option(
    "--data",
    metavar="FILE|WORLD",
    help="Dialogues (JSON Lines), a built-in world such as countries, or world:FILE.",
)
@click.option(
    "--config",
    type=NamedPath(),
    metavar="FILE",
    help="Settings from a TOML or YAML file or a run.json; flags win over it.",
)
@click.option(
    "--out",
    "-o",
    type=NamedPath(),
    metavar="FOLDER",
    help="Where results go.  [runs/DATA-MODEL]",
)
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask nothing.")
@options(MODEL_OPTIONS)
@options(MEASURE_OPTIONS)
@options(CONTROL_OPTIONS)
@VERBOSE
def run(config: Path | None, out: Path | None, dry_run: bool, verbose: bool, **flags: Any) -> None:
    """Measure a model's confidence at every turn of dialogues.

    Every generation is kept as it arrives: a run that was stopped goes on when it is called again.
    """
    from turnsure.experiment.config import make_spec, read_config

    flagged = given(flags)
    settings = {} if config is None else read_config(config)
    try:
        spec = make_spec({**settings, **flagged})
    except InputError as error:
        # A flag that is wrong is no fault of the file.
        raise error if error.field in flagged else error.at(file=config) from None
    execute(spec, out=out, dry_run=dry_run, verbose=verbose)
