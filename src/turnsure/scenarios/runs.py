"""Scenarios that are ready to be run, and what belongs to one run and to no other."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from turnsure.core.digest import digest, seed_from
from turnsure.core.errors import InputError
from turnsure.core.scenario import Scenario
from turnsure.scenarios.assistants.fixture_tools import FixtureTools, ToolPlan, tool_plans
from turnsure.scenarios.checking import Checker
from turnsure.scenarios.seams import Ask, RunContext
from turnsure.store.json_files import plain

_NOT_TALKED = ("checks", "rubric", "runs")
"""Fields of a scenario that change nothing of what is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A scenario, ready to be run.

    Attributes
    ----------
    scenario
        What is run, ``scenario.runs`` times.
    checker, tools
        Its checks and tools, made once for all runs.
    talk
        Digest of all that decides what is said.
    """

    scenario: Scenario
    checker: Checker
    tools: Mapping[str, ToolPlan]
    talk: str


def plans_of(
    scenarios: Sequence[Scenario], *, runs: int | None, concurrency: int
) -> tuple[Plan, ...]:
    """The scenarios, checked before anything is run.

    Parameters
    ----------
    scenarios
        One or more, with different ids.
    runs
        Runs of each, None for what each says.
    concurrency
        1 or more.

    Raises
    ------
    InputError
        A scenario, one of its checks or tools, or a setting is wrong.
    """
    if not scenarios:
        raise InputError("there is no scenario", field="scenarios", expected="one or more")
    for name, value in (("runs", runs), ("concurrency", concurrency)):
        if value is not None and value < 1:
            raise InputError(f"it is {value}", field=name, expected="1 or more")
    twice = [one for one, n in Counter(one.id for one in scenarios).items() if n > 1]
    if twice:
        raise InputError(
            f"scenario {twice[0]!r} is there twice", field="scenarios", expected="different ids"
        )
    return tuple(_plan(one if runs is None else replace(one, runs=runs)) for one in scenarios)


def _plan(scenario: Scenario) -> Plan:
    body = {name: value for name, value in plain(scenario).items() if name not in _NOT_TALKED}
    return Plan(
        scenario=scenario,
        checker=Checker(scenario),
        tools=tool_plans(scenario),
        talk=digest(body),
    )


def run_seed(scenario: Scenario, replicate: int, *, seed: int) -> int:
    """The seed of one run, from those of suite and card, 0 … 2**31 − 1."""
    return seed_from(seed, scenario.seed, scenario.id, replicate)


def new_run(plan: Plan, *, replicate: int, seed: int, ask: Ask) -> RunContext:
    """A run before its first turn.

    Parameters
    ----------
    plan
        What is run.
    replicate
        Which run, from 0.
    seed
        From :func:`run_seed`.
    ask
        Drives flows.
    """
    tables = copy.deepcopy(dict(plan.scenario.fixtures))
    return RunContext(
        scenario=plan.scenario,
        replicate=replicate,
        seed=seed,
        ask=ask,
        tables=tables,
        tools=FixtureTools(plans=plan.tools, tables=tables),
    )
