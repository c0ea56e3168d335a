"""``turnsure compare``."""

from __future__ import annotations

from pathlib import Path

import click

from turnsure.cli.paths import NamedPath
from turnsure.cli.tables import (
    BINS,
    FORMAT,
    RESAMPLES,
    SEED,
    format_of,
    print_tables,
    tables_text,
    write_text,
)


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    del ctx, param
    if value is None:
        return None
    return tuple(name.strip() for name in value.split(",") if name.strip())


@click.command(
    epilog="""\b
Examples:
  turnsure compare runs/small runs/large
  turnsure compare runs/* --format latex -o table.tex
  turnsure compare runs/a runs/b --metrics info_ece,kendall_tau_gold --differences methods
"""
)
@click.argument("runs", nargs=-1, required=True, type=NamedPath(), metavar="RUN...")
@click.option(
    "--out",
    "-o",
    type=NamedPath(),
    metavar="FILE",
    help="Write there instead of printing; .md, .tex, .csv and .json say the format.",
)
@click.option(
    "--metrics",
    callback=_names,
    metavar="A,B,…",
    help="Columns of every data set.  [info_ece,kendall_tau]",
)
@click.option(
    "--differences",
    callback=_names,
    metavar="A,B,…",
    help="Of methods, models, sizes, protocols; none for no differences.  [all]",
)
@BINS
@RESAMPLES
@SEED
@FORMAT
def compare(
    runs: tuple[Path, ...],
    out: Path | None,
    metrics: tuple[str, ...] | None,
    differences: tuple[str, ...] | None,
    bins: int | None,
    resamples: int | None,
    seed: int | None,
    kind: str | None,
) -> None:
    """Put finished runs side by side, with the paired differences between them.

    RUN is the folder of a finished run, or one that `turnsure score -o` wrote.
    """
    from turnsure.cli.options import given
    from turnsure.experiment.compare import compare as compared
    from turnsure.experiment.score import EvaluationSettings

    file_format = None if out is None else format_of(out, kind)
    chosen = {"names": metrics, "kinds": () if differences == ("none",) else differences}
    comparison = compared(
        runs,
        settings=EvaluationSettings(**given({"bins": bins, "resamples": resamples, "seed": seed})),
        **given(chosen),
    )
    if out is None or file_format is None:
        print_tables(comparison.tables, kind or "table", comparison)
        return
    write_text(out, tables_text(comparison.tables, file_format, comparison))
    click.echo(f"Comparison: {out}")
