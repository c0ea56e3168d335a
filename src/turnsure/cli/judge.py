"""``turnsure judge``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from turnsure.cli.paths import NamedPath
from turnsure.cli.tables import BRIEF_FORMAT, RESAMPLES, SEED


@click.group()
def judge() -> None:
    """See how far a judge may be believed."""


@judge.command(
    epilog="""\b
Examples:
  turnsure judge audit labels.csv
  turnsure judge audit preferences.jsonl --format markdown
"""
)
@click.argument("labels", type=NamedPath())
@RESAMPLES
@SEED
@BRIEF_FORMAT
def audit(labels: Path, resamples: int | None, seed: int | None, kind: str | None) -> None:
    """Hold a judge's labels against those of people.

    LABELS holds a row a transcript, or a pair of them, with id, human and judge: pass or fail, or
    a, b or tie; in CSV, JSON Lines or Parquet. Columns rater2, position, length_a, length_b,
    judge_model and author tell more. No model is asked.
    """
    from turnsure.cli.options import given
    from turnsure.report.judge_text import audit_markdown, audit_terminal
    from turnsure.scenarios.judge.audit import audit as audited
    from turnsure.store.json_files import plain

    found = audited(labels, **given({"resamples": resamples, "seed": seed}))
    if kind == "json":
        body = {"format": 1, **plain(found), "kind": "judge-audit", "labels": found.kind}
        click.echo(json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False))
    elif kind == "markdown":
        click.echo(audit_markdown(found), nl=False)
    else:
        from turnsure.cli.execute import print_rich

        print_rich(audit_terminal(found))
