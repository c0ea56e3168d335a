"""``turnsure gate build``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from turnsure.cli.options import given
from turnsure.cli.paths import NamedPath

_COSTS = {
    "cost_wrong": "wrong_answer",
    "cost_answer": "answer",
    "cost_ask": "question",
    "cost_needless_ask": "needless_question",
    "cost_vain_ask": "vain_question",
    "cost_review": "review",
    "cost_needless_review": "needless_review",
    "cost_abstain": "abstention",
    "cost_missed": "missed_answer",
}
_COLUMNS = ("score", "correct", "dialogue", "turn")


def _cost(name: str, text: str) -> Any:
    return click.option(f"--{name.replace('_', '-')}", type=float, metavar="C", help=text)


@click.command(
    epilog="""\b
Examples:
  turnsure gate build runs/demo --method p_true --target-error 0.05 -o gate.json
  turnsure gate build runs/demo --method p_true --cost-wrong 10 --cost-ask 1 \\
      --cost-review 3 -o gate.json
  turnsure gate build scores.csv --map isotonic --target-error 0.1 -o gate.json
"""
)
@click.argument("source", type=NamedPath(), metavar="RUN|SCORES")
@click.option(
    "--out", "-o", type=NamedPath("file"), required=True, metavar="FILE.json", help="The gate."
)
@click.option("--method", metavar="NAME", help="Whose scores.  [the only one there is]")
@click.option("--map", "map_name", metavar="NAME", help="Calibration map.  [platt]")
@click.option(
    "--feature",
    type=click.Choice(["none", "level", "turn", "per_level"]),
    help="What the map knows besides the score.  [none]",
)
@click.option(
    "--how",
    type=click.Choice(["split", "cross"]),
    help="Fit the map on half of the dialogues and choose on the other half, or cross-fit.  "
    "[split with a target, else cross]",
)
@click.option(
    "--target-error", type=float, metavar="E", help="At most this share of answers is wrong …"
)
@click.option("--confidence", type=float, metavar="P", help="… with this confidence.  [0.95]")
@click.option(
    "--bound",
    type=click.Choice(["fixed_sequence", "bonferroni", "conformal"]),
    help="How the target is met.  [fixed_sequence]",
)
@click.option(
    "--unit",
    type=click.Choice(["row", "one_row", "dialogue"]),
    help="What the guarantee counts.  [dialogue where there are turns]",
)
@_cost("cost_wrong", "Cost of a wrong answer.")
@_cost("cost_answer", "Price of an answer.  [0]")
@_cost("cost_ask", "Price of a question; without it nothing is asked.")
@_cost("cost_needless_ask", "Added where the answer was right already.  [0]")
@_cost("cost_vain_ask", "Added where the question does not help.  [0]")
@_cost("cost_review", "Price of a person's review.  [0]")
@_cost("cost_needless_review", "Added where the answer was right.  [0]")
@_cost("cost_abstain", "Price of saying that one does not know.  [0]")
@_cost("cost_missed", "Added where the answer was right.  [0]")
@click.option("--answer-at", type=float, metavar="P", help="A threshold set by hand instead.")
@click.option("--ask-at", type=float, metavar="P", help="From here on ask.  [by costs, else never]")
@click.option(
    "--otherwise", type=click.Choice(["escalate", "abstain"]), help="Below that.  [escalate]"
)
@click.option("--most-turns", type=int, metavar="N", help="Ask nothing from this turn on.")
@click.option(
    "--irreversible", multiple=True, metavar="ACT", help="An act that always needs approval."
)
@click.option("--expires", metavar="YYYY-MM-DD", help="The last day on which the gate answers.")
@click.option("--score", metavar="COLUMN", help="For a file: the scores.  [by name]")
@click.option("--correct", metavar="COLUMN", help="For a file: the labels.  [by name]")
@click.option("--dialogue", metavar="COLUMN", help="For a file: the dialogue.  [by name]")
@click.option("--turn", metavar="COLUMN", help="For a file: the turn.  [by name, else none]")
@click.option("--percent", is_flag=True, help="For a file: scores are from 0 to 100.")
@click.option("--folds", type=int, metavar="N", help="Of the cross-fitting.  [5]")
@click.option("--resamples", type=int, metavar="N", help="Of the bootstrap.  [2000]")
@click.option("--seed", type=int, metavar="N", help="Of split, folds and bootstrap.  [0]")
def build(
    source: Path,
    out: Path,
    method: str | None,
    irreversible: tuple[str, ...],
    percent: bool,
    **flags: Any,
) -> None:
    """Build a gate from a finished run, or from a file of scores with labels.

    The map is fitted on some dialogues and the threshold chosen on others.  A gate that is built
    from a file of scores cannot ask a model: it decides about scores that it is given.
    """
    from turnsure.experiment.gating.build import build_gate
    from turnsure.experiment.gating.files import write_gate
    from turnsure.experiment.gating.sources import read_source
    from turnsure.experiment.run_record import now
    from turnsure.report.gate_text import gate_text

    settings = _settings(irreversible, given(flags))
    found = read_source(source, method=method, options=_score_options(given(flags), percent))
    built = build_gate(found, settings, date=now())
    write_gate(built, out)
    click.echo(gate_text(built))
    if built.rule.answer_at is None:
        click.echo("! No threshold meets the target: this gate answers nothing.", err=True)
    click.echo(f"Gate: {out}", err=True)


def _score_options(flags: dict[str, Any], percent: bool) -> Any:
    from turnsure.experiment.score_columns import ScoreOptions

    named = {name: flags[name] for name in _COLUMNS if name in flags}
    score = named.pop("score", None)
    return ScoreOptions(named=named, confidence=() if score is None else (score,), percent=percent)


def _settings(irreversible: tuple[str, ...], flags: dict[str, Any]) -> Any:
    from turnsure.calibration.gate_parts import GateLimits
    from turnsure.calibration.thresholds.costs import Costs
    from turnsure.calibration.thresholds.risk import RiskTarget
    from turnsure.core.decision import DecisionRule
    from turnsure.experiment.gating.build import BuildSettings

    def some(**names: str) -> dict[str, Any]:
        """The flags that were given, under other names."""
        return {names[name]: flags[name] for name in names if name in flags}

    costs = some(**_COSTS)
    target = some(target_error="error", confidence="confidence", bound="method", unit="unit")
    rule = some(answer_at="answer_at", ask_at="ask_at", otherwise="otherwise")
    return BuildSettings(
        **some(
            map_name="map", feature="feature", how="how", ask_at="ask_at", otherwise="otherwise",
            folds="folds", resamples="resamples", seed="seed",
        ),
        rule=DecisionRule(**rule) if "answer_at" in flags else None,
        costs=Costs(**_needing(costs, "wrong_answer", "cost-wrong")) if costs else None,
        target=RiskTarget(**_needing(target, "error", "target-error")) if target else None,
        limits=GateLimits(
            irreversible=irreversible, **some(most_turns="most_turns", expires="expires")
        ),
    )  # fmt: skip


def _needing(values: dict[str, Any], name: str, flag: str) -> dict[str, Any]:
    from turnsure.core.errors import InputError

    if name not in values:
        raise InputError("it is not given", field=flag, expected=f"--{flag} beside the others")
    return values
