"""``turnsure score``."""

from __future__ import annotations

from pathlib import Path

import click

from turnsure.cli.paths import NamedPath
from turnsure.cli.tables import BINS, FORMAT, RESAMPLES, SEED, print_tables, tables_text, write_text

_FILES = {"markdown": "tables.md", "latex": "tables.tex", "csv": "tables.csv"}


@click.command(
    epilog="""\b
Examples:
  turnsure score scores.csv
  turnsure score scores.csv --model llm --data benchmark --format markdown
  turnsure score answers.jsonl --confidence stated --confidence token --percent
  turnsure score runs/demo/turns.parquet -o scores/demo
"""
)
@click.argument("file", type=NamedPath())
@click.option(
    "--out",
    "-o",
    type=NamedPath(),
    metavar="FOLDER",
    help="Also write metrics.json, the rows and the tables there.",
)
@click.option(
    "--confidence",
    multiple=True,
    metavar="COLUMN",
    help="A column of confidences; repeat it to compare several.  [found by name]",
)
@click.option("--correct", metavar="COLUMN", help="Whether the answer was right.  [by name]")
@click.option("--dialogue", metavar="COLUMN", help="Id of the dialogue or question.  [by name]")
@click.option("--turn", metavar="COLUMN", help="Counts from 1.  [by name, else all are turn 1]")
@click.option("--model", metavar="COLUMN", help="The model's name.  [by name]")
@click.option("--data", metavar="COLUMN", help="The data set's name.  [by name]")
@click.option("--method", metavar="COLUMN", help="The estimator's name.  [by name]")
@click.option("--percent", is_flag=True, help="Confidences are on a scale of 0 to 100.")
@BINS
@RESAMPLES
@SEED
@FORMAT
def score(
    file: Path,
    out: Path | None,
    confidence: tuple[str, ...],
    percent: bool,
    bins: int | None,
    resamples: int | None,
    seed: int | None,
    kind: str | None,
    **columns: str | None,
) -> None:
    """Judge confidences that were made elsewhere.

    FILE holds a row a dialogue and turn with a confidence and whether the answer was right, in CSV,
    JSON Lines or Parquet.  No model is asked.
    """
    from turnsure.cli.options import given
    from turnsure.experiment.score import EvaluationSettings, write_score_folder
    from turnsure.experiment.score import score as evaluated
    from turnsure.experiment.score_columns import ScoreOptions
    from turnsure.experiment.score_groups import read_scores
    from turnsure.experiment.score_tables import score_tables

    settings = EvaluationSettings(**given({"bins": bins, "resamples": resamples, "seed": seed}))
    table = read_scores(
        file,
        ScoreOptions(named=given(dict(columns)), confidence=confidence, percent=percent),
    )
    taken = [f"{role}: {', '.join(names)}" for role, names in table.taken.items()]
    click.echo(f"Columns taken as {'; '.join(taken)}.", err=True)
    evaluation = evaluated(table, settings)
    tables = score_tables(evaluation)
    if out is not None:
        write_score_folder(out, table, evaluation)
        for one, name in _FILES.items():
            write_text(out / name, tables_text(tables, one, evaluation))
    print_tables(tables, kind or "table", evaluation)
    if out is not None:
        click.echo(f"Results: {out}", err=True)
