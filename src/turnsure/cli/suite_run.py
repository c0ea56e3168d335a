"""Runs the tests that the command line names, and says what came out."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from turnsure.cli.execute import open_with_progress, print_rich
from turnsure.cli.options import given
from turnsure.cli.progress import run_progress
from turnsure.cli.suite_progress import suite_progress
from turnsure.cli.tables import write_text
from turnsure.core.errors import InputError
from turnsure.core.scenario import Scenario
from turnsure.core.spec import RunSpec
from turnsure.core.suite_report import SuiteOutcome, SuiteReport
from turnsure.experiment.config import make_spec
from turnsure.report.text import count
from turnsure.testing.cards import load_scenarios, planned, with_runs
from turnsure.testing.opening import (
    SCRIPTED,
    Opener,
    Told,
    is_model,
    open_assistant,
    open_judge,
    open_user,
)
from turnsure.testing.suite import AskConfidence, TestSettings, run_tests

_INTERRUPTED = 130
_NO_NAME = re.compile(r"[^\w.-]+")
_SLOTS = 1
"""Samples side by side in an embedded model: a conversation draws one at a time."""

_OF_THE_TEST = frozenset({"seed", "temperature", "resamples"})
"""Settings that a test and a model's spec both have, each its own."""


def execute_tests(cards: tuple[Path, ...], kind: str, flags: Mapping[str, Any]) -> SuiteOutcome:
    """Run, print, and write what is asked for."""
    said = given(dict(flags))
    scenarios = with_runs(load_scenarios(cards), said.get("runs"), said.get("k"))
    folder = said.get("out") or default_folder(scenarios, said["assistant"])
    settings = TestSettings(
        folder=folder,
        **{
            name: said[name]
            for name in ("k", "concurrency", "seed", "fail_under", "resamples")
            if name in said
        },
    )
    opener = Opener(partial(open_with_progress, verbose=bool(said.get("verbose"))))
    with redirect_stdout(sys.stderr):  # a module may print while it is imported
        assistant = open_assistant(
            said["assistant"], model_spec(said, said["assistant"]), opener, _told(said)
        )
    user = _user(said, opener)
    judge = None
    if "judge" in said:
        spec = model_spec(said, said["judge"], url=said.get("judge_url"))
        judge = open_judge(spec, opener, said.get("judge_wording"))
    confidence = _confidence(said, opener)
    n_runs = sum(one.runs for one in scenarios)
    n_turns = sum(
        one.runs * planned(one, simulated=user is not None, judged=False).turns for one in scenarios
    )
    if "junit" in said:
        # Made before anything is asked: a run must not be paid for and then not be told.
        said["junit"].parent.mkdir(parents=True, exist_ok=True)
    click.echo(
        f"{count(len(scenarios), 'scenario')}, {count(n_runs, 'run')}, about "
        f"{count(n_turns, 'turn')} of {assistant.name}; "
        f"results go to {folder}",
        err=True,
    )
    try:
        with ExitStack() as bars:
            progress = bars.enter_context(suite_progress(n_runs))
            n_asked = n_turns * (0 if confidence is None else len(confidence.spec.methods))
            asking = bars.enter_context(run_progress(n_asked))
            # What an assistant prints must not stand in the JSON that is printed here.
            bars.enter_context(redirect_stdout(sys.stderr))
            report = run_tests(
                scenarios,
                assistant,
                settings,
                user=user,
                judge=judge,
                confidence=confidence,
                progress=progress,
                asking=asking,
            )
    except KeyboardInterrupt:
        again = shlex.join(["turnsure", *sys.argv[1:]])
        click.echo(
            f"\nStopped; what was finished is kept in {folder}. Go on with: {again}", err=True
        )
        sys.exit(_INTERRUPTED)
    if "junit" in said:
        from turnsure.report.suite_junit import junit_xml

        write_text(said["junit"], junit_xml(report))
    _print(report, kind)
    click.echo(f"Report: {folder / 'report.html'}", err=True)
    return report.outcome


def show_planned(cards: tuple[Path, ...], flags: Mapping[str, Any]) -> None:
    """Print what a run of the tests would ask, by scenario."""
    from rich.table import Table

    said = given(dict(flags))
    scenarios = with_runs(load_scenarios(cards), said.get("runs"), said.get("k"))
    simulated = said.get("user", SCRIPTED) != SCRIPTED
    plans = [planned(one, simulated=simulated, judged="judge" in said) for one in scenarios]
    table = Table(title=count(len(plans), "scenario"), title_justify="left")
    table.add_column("scenario")
    for heading in ("runs", "turns", "checks", "rubric", "assistant", "user", "judge"):
        table.add_column(heading, justify="right")
    for one in plans:
        table.add_row(
            one.scenario,
            *(
                f"{n:,}"
                for n in (
                    one.runs, one.turns, one.checks, one.rubric, one.assistant, one.user, one.judge
                )
            ),
        )  # fmt: skip
    table.add_section()
    sums = (
        sum(one.assistant for one in plans),
        sum(one.user for one in plans),
        sum(one.judge for one in plans),
    )
    table.add_row(
        "all", f"{sum(one.runs for one in plans):,}", "", "", "", *(f"{n:,}" for n in sums)
    )
    print_rich(table)
    click.echo(
        "Nothing was asked. The last columns are calls: a turn each of assistant and user, and one "
        "of the judge a run; tool calls and repeated tries come on top, kept runs go off."
    )


def default_folder(scenarios: list[Scenario], assistant: str) -> Path:
    """Where a suite goes when no folder is named: the same test goes to the same place."""
    first = scenarios[0].id
    more = f"-and-{len(scenarios) - 1}" if len(scenarios) > 1 else ""
    return Path("runs") / _NO_NAME.sub("-", f"test-{first}{more}-{assistant}")


def model_spec(said: Mapping[str, Any], model: str, *, url: str | None = None) -> RunSpec:
    """How to reach a model; an assistant that is none leaves the default one, which is not used."""
    names = (RunSpec.__dataclass_fields__.keys() & said.keys()) - _OF_THE_TEST
    settings = {"slots": _SLOTS, **{name: said[name] for name in names}}
    if is_model(model):
        settings["model"] = model
    elif model != said["assistant"]:
        # Refused by its own name, with the forms that are known.
        settings["model"] = model
    return make_spec(settings | given({"base_url": url}))


def _user(said: Mapping[str, Any], opener: Opener) -> Any:
    name = said.get("user", SCRIPTED)
    if name == SCRIPTED:
        return None
    spec = model_spec(said, name, url=said.get("user_url"))
    return open_user(name, spec, opener, said.get("user_wording"))


def _told(said: Mapping[str, Any]) -> Told:
    if not is_model(said["assistant"]):
        for name in ("system", "temperature", "max_tokens"):
            if name in said:
                raise InputError(
                    f"{said['assistant']} is no model that could be told",
                    field=name.replace("_", "-"),
                    expected="a model as --assistant",
                )
    return Told(
        **{name: said[name] for name in ("system", "temperature", "max_tokens") if name in said}
    )


def _confidence(said: Mapping[str, Any], opener: Opener) -> AskConfidence | None:
    methods = tuple(
        name for part in said.get("confidence", "").split(",") if (name := part.strip())
    )
    if not methods:
        if "confidence_model" in said or "confidence" in said:
            raise InputError(
                "no method is named", field="confidence", expected="p_true, p_sufficient, …"
            )
        return None
    model = said.get("confidence_model")
    if model is None:
        model = said["assistant"] if is_model(said["assistant"]) else RunSpec().model
    spec = model_spec(said, model, url=said.get("confidence_url"))
    asking = replace(spec, methods=methods, gold=False)
    return AskConfidence(spec=asking, backend=opener.backend(spec))


def _print(report: SuiteReport, kind: str) -> None:
    if kind == "table":
        from turnsure.report.suite_text import suite_terminal

        print_rich(suite_terminal(report))
    elif kind == "markdown":
        from turnsure.report.suite_text import suite_markdown

        click.echo(suite_markdown(report), nl=False)
    else:
        from turnsure.report.suite_json import suite_json

        click.echo(suite_json(report), nl=False)
