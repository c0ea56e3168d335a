"""Two finished suites side by side, where they can be compared at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from turnsure.core.digest import SHORT, digest
from turnsure.core.errors import InputError, ProtocolMismatchError
from turnsure.core.scenario import Scenario
from turnsure.core.suite import ScenarioResult, SuiteResult
from turnsure.core.suite_report import ScenarioPair, SuiteComparison
from turnsure.scenarios.comparing import compare_runs
from turnsure.scenarios.counting import count_runs
from turnsure.scenarios.suite_file import read_suite
from turnsure.store.json_files import plain
from turnsure.testing.groups import failure_counts

_MAY_DIFFER = "runs"
"""What of a card may differ: more runs of it are the same test."""


def compare_suites(
    left: Path,
    right: Path,
    *,
    allow_different: bool = False,
    resamples: int = 2000,
    seed: int = 0,
) -> SuiteComparison:
    """Compare two suites over the scenarios that both have.

    Parameters
    ----------
    left, right
        Folders of finished suites.
    allow_different
        Compare although judge, user or cards differ; what differs is said beside the numbers.
    resamples, seed
        Of the bootstrap over scenarios.

    Raises
    ------
    StoreError
        A folder holds no finished suite.
    InputError
        No scenario is in both.
    ProtocolMismatchError
        Judge, user or a card differs, and that is not allowed.
    """
    before, after = read_suite(left), read_suite(right)
    known = {one.scenario.id: one for one in after.scenarios}
    pairs = [(one, known[one.scenario.id]) for one in before.scenarios if one.scenario.id in known]
    if not pairs:
        raise InputError(
            f"{left} and {right} have no scenario in common", expected="suites of the same cards"
        )
    differs = (*_speakers(before, after), *(text for pair in pairs for text in _cards(*pair)))
    if differs and not allow_different:
        raise ProtocolMismatchError(
            f"{left} and {right} are different tests: {'; '.join(differs)} "
            "(--allow-different compares them all the same)"
        )
    return SuiteComparison(
        left=(str(left), before.assistant["name"]),
        right=(str(right), after.assistant["name"]),
        pairs=tuple(_pair(*pair) for pair in pairs),
        difference=compare_runs(before.verdicts, after.verdicts, resamples=resamples, seed=seed),
        differs=differs,
    )


def _pair(left: ScenarioResult, right: ScenarioResult) -> ScenarioPair:
    return ScenarioPair(
        scenario=left.scenario.id,
        left=count_runs(left.verdicts, ks=(1,)).scenarios[0],
        right=count_runs(right.verdicts, ks=(1,)).scenarios[0],
        failures_left=failure_counts(left.verdicts),
        failures_right=failure_counts(right.verdicts),
    )


def _speakers(left: SuiteResult, right: SuiteResult) -> list[str]:
    found: list[str] = []
    for role in ("user", "judge"):
        before: Mapping[str, str] | None = getattr(left, role)
        after: Mapping[str, str] | None = getattr(right, role)
        if before != after:
            found.append(f"the {role} is {_named(before)} and {_named(after)}")
    return found


def _named(speaker: Mapping[str, str] | None) -> str:
    if speaker is None:
        return "none"
    return f"{speaker['name']!r} ({digest(dict(speaker))[:SHORT]})"


def _cards(left: ScenarioResult, right: ScenarioResult) -> list[str]:
    before, after = _card(left.scenario), _card(right.scenario)
    fields = [name for name in before if before[name] != after.get(name)]
    if not fields:
        return []
    return [f"the card of {left.scenario.id!r} differs in {', '.join(fields)}"]


def _card(scenario: Scenario) -> dict[str, Any]:
    return {name: one for name, one in plain(scenario).items() if name != _MAY_DIFFER}
