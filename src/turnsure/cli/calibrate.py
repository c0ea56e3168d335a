"""``turnsure calibrate``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

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
    write_text,
)

if TYPE_CHECKING:
    from turnsure.calibration.thresholds.costs import Costs
    from turnsure.calibration.thresholds.risk import RiskTarget

_NONE, _ALL = "none", "all"


def _maps(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:
    del ctx, param
    if value is None or value == _ALL:
        return None
    return tuple(name.strip() for name in value.split(",") if name.strip() not in ("", _NONE))


@click.command(
    epilog="""\b
Examples:
  turnsure calibrate predictions.csv
  turnsure calibrate predictions.csv --slice language --options 4 -o calibration
  turnsure calibrate predictions.csv --target-error 0.05 --confidence 0.95
  turnsure calibrate predictions.csv --cost-wrong 10 --cost-review 1 --cost-ask 0.3
  turnsure calibrate runs/demo -o calibration/demo
"""
)
@click.argument("predictions", type=NamedPath())
@click.option(
    "--out",
    "-o",
    type=NamedPath("folder"),
    metavar="FOLDER",
    help="Also write report.html, metrics.json, maps.json and the tables there.",
)
@click.option(
    "--score",
    "scores",
    multiple=True,
    metavar="COLUMN",
    help="A column of scores; repeat it to compare several.  [found by name]",
)
@click.option("--correct", metavar="COLUMN", help="Whether the answer was right.  [by name]")
@DIALOGUE
@TURN
@click.option("--model", metavar="COLUMN", help="The model's name.  [by name]")
@click.option("--data", metavar="COLUMN", help="The data set's name.  [by name]")
@click.option("--method", metavar="COLUMN", help="The estimator's name.  [by name]")
@PERCENT
@SLICES
@click.option(
    "--min-n", "least_n", type=int, metavar="N", help="Rows a slice needs for a claim.  [30]"
)
@click.option(
    "--options",
    type=int,
    metavar="K",
    help="Answers to choose from: compares with a uniform guess among K.",
)
@click.option(
    "--maps", callback=_maps, metavar="A,B,…", help="Calibration maps to compare, or none.  [all]"
)
@click.option("--folds", type=int, metavar="K", help="Of their cross-validation.  [5]")
@click.option(
    "--target-error",
    type=float,
    metavar="SHARE",
    help="Choose the threshold from which at most this share of answers is wrong.",
)
@click.option(
    "--confidence", type=float, metavar="SHARE", help="With which that must hold.  [0.95]"
)
@click.option("--cost-wrong", type=float, metavar="COST", help="Of a wrong answer that is given.")
@click.option("--cost-answer", type=float, metavar="COST", help="Of any answer.  [0]")
@click.option(
    "--cost-ask", type=float, metavar="COST", help="Of a question to the user.  [none is asked]"
)
@click.option("--cost-review", type=float, metavar="COST", help="Of handing over.  [0]")
@click.option("--cost-abstain", type=float, metavar="COST", help="Of no answer.  [0]")
@click.option(
    "--otherwise",
    type=click.Choice(["escalate", "abstain"]),
    help="What is done where one neither answers nor asks.  [escalate]",
)
@BINS
@RESAMPLES
@SEED
@BRIEF_FORMAT
def calibrate(
    predictions: Path,
    out: Path | None,
    scores: tuple[str, ...],
    percent: bool,
    slices: tuple[str, ...],
    least_n: int | None,
    options: int | None,
    maps: tuple[str, ...] | None,
    folds: int | None,
    target_error: float | None,
    confidence: float | None,
    cost_wrong: float | None,
    cost_answer: float | None,
    cost_ask: float | None,
    cost_review: float | None,
    cost_abstain: float | None,
    otherwise: str | None,
    bins: int | None,
    resamples: int | None,
    seed: int | None,
    kind: str | None,
    **columns: str | None,
) -> None:
    """Judge scores before they are trusted: calibration, slices, maps, thresholds.

    PREDICTIONS holds a row an answer with id, score and correct, in CSV, JSON Lines or Parquet; or
    it is the folder of a run.  No model is asked.
    """
    from turnsure.cli.options import given
    from turnsure.cli.tables import tables_text
    from turnsure.core.grid import Tables
    from turnsure.experiment.calibrating.calibrate import calibrate as judged
    from turnsure.experiment.calibrating.calibrate import write_calibration_folder
    from turnsure.experiment.calibrating.predictions import read_predictions
    from turnsure.experiment.calibrating.settings import CalibrationSettings
    from turnsure.experiment.score_columns import ScoreOptions
    from turnsure.report.calibration_page import render_calibration
    from turnsure.report.calibration_text import calibration_markdown, calibration_terminal
    from turnsure.report.pages import write_page

    settings = CalibrationSettings(
        **given({"bins": bins, "resamples": resamples, "seed": seed, "least_n": least_n,
                 "options": options, "maps": maps, "folds": folds})
    )  # fmt: skip
    target = _target(target_error, confidence)
    costs = _costs(
        cost_wrong,
        {"answer": cost_answer, "question": cost_ask, "review": cost_review,
         "abstention": cost_abstain},
    )  # fmt: skip
    table = read_predictions(
        predictions,
        ScoreOptions(named=given(dict(columns)), confidence=scores, percent=percent),
        slices=None if not slices else tuple(name for name in slices if name != _NONE),
    )
    taken = [f"{role}: {', '.join(names)}" for role, names in table.taken.items()]
    click.echo(f"Columns taken as {'; '.join(taken)}.", err=True)
    evaluation = judged(
        table,
        settings,
        costs=costs,
        target=target,
        otherwise="abstain" if otherwise == "abstain" else "escalate",
    )
    if out is not None:
        write_calibration_folder(out, table, evaluation)
        write_text(out / "tables.md", calibration_markdown(evaluation))
        write_page(render_calibration(evaluation), out / "report.html")
    if kind == "json":
        click.echo(tables_text(Tables(grids=()), "json", evaluation), nl=False)
    elif kind == "markdown":
        click.echo(calibration_markdown(evaluation), nl=False)
    else:
        from turnsure.cli.execute import print_rich

        print_rich(calibration_terminal(evaluation))
    if out is not None:
        click.echo(f"Report: {out / 'report.html'}", err=True)


def _target(error: float | None, confidence: float | None) -> RiskTarget | None:
    from turnsure.calibration.thresholds.risk import RiskTarget
    from turnsure.core.errors import InputError

    if error is None:
        if confidence is not None:
            raise InputError("it stands alone", field="confidence", expected="--target-error too")
        return None
    return (
        RiskTarget(error=error)
        if confidence is None
        else RiskTarget(error=error, confidence=confidence)
    )


def _costs(wrong: float | None, others: Mapping[str, float | None]) -> Costs | None:
    from turnsure.calibration.thresholds.costs import Costs
    from turnsure.cli.options import given
    from turnsure.core.errors import InputError

    said = given(dict(others))
    if wrong is None:
        if said:
            raise InputError(
                "costs are given without that of a wrong answer",
                field="cost-wrong",
                expected="a number above 0",
            )
        return None
    return Costs(wrong_answer=wrong, **said)
