"""``turnsure demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from turnsure.cli.execute import execute
from turnsure.cli.options import MODEL_OPTIONS, VERBOSE, given, options
from turnsure.cli.paths import NamedPath

DEMO_DIALOGUES = 6
DEMO_SAMPLES = 10
DEMO_LIMITS = {"answer_tokens": 32, "analysis_tokens": 96}
"""Enough for what the small model says, and a demo in minutes."""


@click.command(
    epilog="""\b
Examples:
  turnsure demo
  turnsure demo --limit 30 --samples 20 --out runs/longer-demo
"""
)
@click.option(
    "--limit",
    type=int,
    default=DEMO_DIALOGUES,
    show_default=True,
    metavar="N",
    help="How many dialogues.",
)
@click.option(
    "--samples",
    type=int,
    default=DEMO_SAMPLES,
    show_default=True,
    metavar="M",
    help="Samples of self-consistency.",
)
@click.option(
    "--out",
    "-o",
    type=NamedPath(),
    default=Path("runs") / "demo",
    show_default=True,
    metavar="FOLDER",
    help="Where results go.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask nothing.")
@options(MODEL_OPTIONS)
@VERBOSE
def demo(out: Path, dry_run: bool, verbose: bool, **flags: Any) -> None:
    """Measure the embedded model on built-in dialogues, and write a report.

    The dialogues describe a country, clue by clue, from vague to telling.  The first use fetches
    the model's weights, about 93 MB.
    """
    from turnsure.experiment.config import make_spec

    spec = make_spec({"data": "countries", **DEMO_LIMITS, **given(flags)})
    execute(spec, out=out, dry_run=dry_run, verbose=verbose)
