"""The scenarios of several files, and what running them will ask at most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turnsure.core.errors import InputError
from turnsure.core.scenario import Scenario
from turnsure.scenarios.cards import read_cards
from turnsure.scenarios.examples import RENTAL
from turnsure.scenarios.schedule import schedule

_EXAMPLE = "example"
_ENDINGS = (".yaml", ".yml")


def load_scenarios(paths: Sequence[Path]) -> list[Scenario]:
    """All scenarios of these files; of a folder, of every YAML file in it.

    Raises
    ------
    InputError
        A file cannot be read or has a mistake, a folder has no card, or two scenarios have one id.
    """
    found: dict[str, tuple[Path, Scenario]] = {}
    for file in (one for path in paths for one in card_files(path)):
        for scenario in read_cards(file):
            if scenario.id in found:
                other = found[scenario.id][0]
                raise InputError(
                    f"the scenario {scenario.id!r} stands in {other} as well",
                    file=file,
                    field="id",
                    expected="an id of its own",
                )
            found[scenario.id] = (file, scenario)
    return [scenario for _, scenario in found.values()]


def card_files(path: Path) -> list[Path]:
    """The file, or the cards of a folder by name; ``example:rental`` is the bundled card.

    Raises
    ------
    InputError
        The folder has none, or there is no such example.
    """
    kind, _, name = str(path).partition(":")
    if kind == _EXAMPLE and name:
        return [_example(name)]
    if not path.is_dir():
        return [path]
    files = sorted(one for one in path.iterdir() if one.suffix in _ENDINGS)
    if not files:
        raise InputError("no card is in this folder", file=path, expected="files in .yaml")
    return files


def _example(name: str) -> Path:
    found = {one.stem: one for one in card_files(RENTAL.parent)}
    if name not in found:
        raise InputError(f"there is no example {name!r}", expected=", ".join(sorted(found)))
    return found[name]


def with_runs(scenarios: Sequence[Scenario], runs: int | None, k: int | None) -> list[Scenario]:
    """The scenarios with as many runs as are asked for.

    Raises
    ------
    InputError
        There are fewer runs than k, of which pass^k would be told.
    """
    chosen = list(scenarios) if runs is None else [replace(one, runs=runs) for one in scenarios]
    if k is None:
        return chosen
    if k < 1:
        raise InputError(f"it is {k}", field="k", expected="1 or more")
    for one in chosen:
        if k > one.runs:
            raise InputError(
                f"it is {k}, and scenario {one.id!r} is run {one.runs} times",
                field="k",
                expected=f"at most {one.runs}, or more --runs",
            )
    return chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """What a scenario would ask.

    Attributes
    ----------
    scenario
        Its id.
    runs, turns
        Conversations, and user turns of each: as scripted, or at most.
    assistant, user, judge
        Calls of each at least: retries, and tool calls of a model, come on top.
    checks, rubric
        What looks at each.
    """

    scenario: str
    runs: int
    turns: int
    assistant: int
    user: int
    judge: int
    checks: int
    rubric: int


def planned(scenario: Scenario, *, simulated: bool, judged: bool) -> Planned:
    """What running a scenario would ask."""
    turns = min(len(schedule(scenario, one_a_turn=simulated)), scenario.limits.turns)
    n_turns = scenario.runs * turns
    return Planned(
        scenario=scenario.id,
        runs=scenario.runs,
        turns=turns,
        assistant=n_turns,
        user=n_turns if simulated else 0,
        judge=scenario.runs if judged and scenario.rubric else 0,
        checks=len(scenario.checks),
        rubric=len(scenario.rubric),
    )
