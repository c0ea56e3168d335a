"""``turnsure drift``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from turnsure.cli.paths import NamedPath
from turnsure.cli.tables import (
    BINS,
    BRIEF_FORMAT,
    DIALOGUE,
    PERCENT,
    RESAMPLES,
    SEED,
    SLICES,
    TURN,
)

RECALIBRATE, STOP = 23, 24
"""Exit codes of the verdicts; "ok" is 0."""

_EXIT_CODES = {"ok": 0, "recalibrate": RECALIBRATE, "stop": STOP}


@click.command(
    epilog=f"""\b
Exit codes: 0 ok, {RECALIBRATE} recalibrate, {STOP} stop; others are errors.
\b
Examples:
  turnsure drift --gate gate.json new.csv
  turnsure drift --gate gate.json runs/this-week
  turnsure drift --gate gate.json log.csv --stream --target-error 0.05
  turnsure drift --gate gate.json scores-only.csv --drop 0.02
"""
)
@click.argument("new", type=NamedPath())
@click.option(
    "--gate", "-g", "file", type=NamedPath(), required=True, metavar="GATE.json", help="The gate."
)
@click.option("--alpha", type=float, metavar="A", help="Chance of a false alarm, in all.  [0.05]")
@click.option(
    "--target-error",
    type=float,
    metavar="E",
    help="Share of answers that may be wrong.  [that of the gate]",
)
@click.option("--drop", type=float, metavar="X", help="A drop of accuracy that matters.  [0.05]")
@click.option("--power", type=float, metavar="P", help="Chance of noticing it.  [0.8]")
@click.option(
    "--stream",
    is_flag=True,
    help="The file grows and is looked at again and again: monitors decide.",
)
@click.option(
    "--in-sample", is_flag=True, help="Go on with dialogues on which the gate was built; marked."
)
@click.option("--accept", multiple=True, metavar="PLACE", help="May differ: model.base_url, say.")
@click.option("--score", metavar="COLUMN", help="The scores.  [by name]")
@click.option("--correct", metavar="COLUMN", help="The labels.  [by name, else there are none]")
@DIALOGUE
@TURN
@PERCENT
@SLICES
@click.option(
    "--min-n", "least_n", type=int, metavar="N", help="Labelled rows a slice needs.  [30]"
)
@BINS
@RESAMPLES
@SEED
@BRIEF_FORMAT
def drift(
    new: Path,
    file: Path,
    alpha: float | None,
    target_error: float | None,
    drop: float | None,
    power: float | None,
    stream: bool,
    in_sample: bool,
    accept: tuple[str, ...],
    score: str | None,
    percent: bool,
    slices: tuple[str, ...],
    least_n: int | None,
    bins: int | None,
    resamples: int | None,
    seed: int | None,
    kind: str | None,
    **columns: str | None,
) -> None:
    """Say whether a gate still holds on new rows: ok, recalibrate or stop.

    NEW holds a row an answer with id, score and, where it is known, correct, in CSV, JSON Lines or
    Parquet, in the order in which they came; or it is the folder of a run.  No model is asked.
    """
    import datetime

    from turnsure.cli.options import given
    from turnsure.experiment.gating.files import read_gate
    from turnsure.experiment.score_columns import ScoreOptions
    from turnsure.experiment.watching.settings import WatchSettings
    from turnsure.experiment.watching.watch import watch
    from turnsure.store.json_files import plain

    settings = WatchSettings(
        stream=stream,
        in_sample=in_sample,
        accept=accept,
        **given(
            {
                "alpha": alpha, "target_error": target_error, "drop": drop, "power": power,
                "least_n": least_n, "bins": bins, "resamples": resamples, "seed": seed,
            }
        ),
    )  # fmt: skip
    report = watch(
        read_gate(file),
        new,
        settings,
        today=datetime.datetime.now().astimezone().date(),
        options=ScoreOptions(
            named=given(dict(columns)),
            confidence=() if score is None else (score,),
            percent=percent,
        ),
        slices=_chosen(slices),
    )
    if kind == "json":
        body = {"format": 1, "kind": "drift", **plain(report)}
        click.echo(json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False))
    elif kind == "markdown":
        from turnsure.report.drift import drift_markdown

        click.echo(drift_markdown(report), nl=False)
    else:
        from turnsure.cli.execute import print_rich
        from turnsure.report.drift import drift_terminal

        print_rich(drift_terminal(report))
    sys.exit(_EXIT_CODES[report.verdict])


def _chosen(slices: tuple[str, ...]) -> tuple[str, ...] | None:
    """The columns to slice by; None to find them."""
    if slices == ("none",):
        return ()
    return slices or None
