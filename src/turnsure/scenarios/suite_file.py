"""A suite's folder: what stands in it, and reading it back.

::

    suite.json         scenarios, assistant, user, judge, seed, versions, verdicts, judgements, cost
    transcripts.jsonl  every conversation, a line an exchange; equal suites give equal files
    store.sqlite       every request and generation, and every finished conversation
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from turnsure.core.conversation import Transcript
from turnsure.core.errors import InputError, StoreError
from turnsure.core.item_source import ItemSource
from turnsure.core.judged import JudgedItem, RubricJudgement
from turnsure.core.scenario import (
    CheckSpec,
    Finding,
    Limits,
    Reveal,
    RubricItem,
    RunVerdict,
    Scenario,
)
from turnsure.core.suite import RoleCost, ScenarioResult, SuiteCost, SuiteResult
from turnsure.store.json_files import plain, write_json
from turnsure.store.transcripts import read_transcripts, write_transcripts

SUITE_FORMAT = 1
_IDENTITY = ("assistant", "user", "seed")
_WRONG = (KeyError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """Paths inside one folder."""

    path: Path

    @property
    def suite_json(self) -> Path:
        return self.path / "suite.json"

    @property
    def transcripts(self) -> Path:
        return self.path / "transcripts.jsonl"

    @property
    def store(self) -> Path:
        return self.path / "store.sqlite"

    def refuse_others(self, identity: Mapping[str, Any]) -> None:
        """Refuse to write over the finished suite of another assistant, user or seed.

        Other cards and other checks are welcome: what they leave as it was is not run again.

        Raises
        ------
        StoreError
            There is such a suite, or something that is no suite.
        """
        if not self.suite_json.exists():
            return
        body = _read(self.suite_json)
        differ = [
            _difference(name, plain(identity[name]), body.get(name))
            for name in _IDENTITY
            if plain(identity[name]) != body.get(name)
        ]
        if body.get("finished") and differ:
            raise StoreError(
                f"{self.path} holds a finished suite with another {' and '.join(differ)}; choose "
                "another folder with --out; turnsure test compare sets the two side by side"
            )

    def write_begun(self, result: SuiteResult, *, started: str) -> None:
        """Write what is about to be run, so that a suite that is stopped says so."""
        write_json(self.suite_json, suite_body(result, started=started, finished=None))

    def write(self, result: SuiteResult, *, started: str, finished: str) -> None:
        """Write a result; the transcripts first, so that suite.json never tells of absent ones."""
        runs = (one for each in result.scenarios for one in lean(each))
        write_transcripts(self.transcripts, runs)
        write_json(self.suite_json, suite_body(result, started=started, finished=finished))


def suite_body(result: SuiteResult, *, started: str, finished: str | None) -> dict[str, Any]:
    """What ``suite.json`` says."""
    return {
        "format": SUITE_FORMAT,
        "kind": "test",
        "assistant": dict(result.assistant),
        "user": dict(result.user),
        "judge": None if result.judge is None else dict(result.judge),
        "seed": result.seed,
        "versions": {"turnsure": version("turnsure"), "python": platform.python_version()},
        "started": started,
        "finished": finished,
        "scenarios": [plain(one.scenario) for one in result.scenarios],
        "verdicts": [plain(one) for one in result.verdicts],
        "judgements": [
            {"scenario": scenario, "replicate": replicate, **plain(one)}
            for scenario, replicate, one in result.judgements
        ],
        "cost": plain(result.cost),
    }


def lean(result: ScenarioResult) -> list[Transcript]:
    """The transcripts, without an end state that is the scenario's fixtures unchanged."""
    return [without_same_state(one, result.scenario) for one in result.transcripts]


def without_same_state(transcript: Transcript, scenario: Scenario) -> Transcript:
    """A transcript as it is kept: no end state stands for unchanged fixtures."""
    same = transcript.state is not None and transcript.state == scenario.fixtures
    return replace(transcript, state=None) if same else transcript


def with_state(transcript: Transcript, scenario: Scenario) -> Transcript:
    """The contrary of :func:`without_same_state`."""
    if transcript.state is not None or not scenario.fixtures:
        return transcript
    return replace(transcript, state=scenario.fixtures)


def read_suite(folder: str | Path) -> SuiteResult:
    """A suite as its folder holds it.

    Raises
    ------
    StoreError
        There is no finished suite, it is of a newer format, or files of it are damaged.
    """
    here = SuiteFolder(Path(folder))
    body = _read(here.suite_json)
    if not body.get("finished"):
        raise StoreError(f"{here.path}: this suite is not finished; run it again to finish it")
    try:
        transcripts = read_transcripts(here.transcripts)
        results = [_result(one, body, transcripts) for one in body["scenarios"]]
        return SuiteResult(
            scenarios=tuple(results),
            assistant=body["assistant"],
            user=body["user"],
            judge=body["judge"],
            seed=body["seed"],
            folder=str(here.path),
            cost=None if body["cost"] is None else _cost(body["cost"]),
        )
    except InputError as error:
        raise StoreError(f"{here.path}: {error}") from error
    except _WRONG as error:
        raise StoreError(
            f"{here.suite_json}: this suite cannot be read ({type(error).__name__}: {error})"
        ) from error


def _difference(name: str, ours: object, theirs: object) -> str:
    """What is another one, and in which fields where it goes by the same name."""
    if not isinstance(ours, dict) or not isinstance(theirs, dict):
        return name
    now, then = cast("dict[str, Any]", ours), cast("dict[str, Any]", theirs)
    fields = sorted(one for one in now.keys() | then.keys() if now.get(one) != then.get(one))
    return name if "name" in fields else f"{name} (its {', '.join(fields)} differs)"


def _read(path: Path) -> Mapping[str, Any]:
    try:
        body: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StoreError(f"{path.parent}: no suite is here (there is no {path.name})") from None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path}: cannot be read ({error})") from error
    if isinstance(body, dict):
        fields = cast("Mapping[str, Any]", body)
        if fields.get("format") == SUITE_FORMAT and fields.get("kind") == "test":
            return fields
    raise StoreError(f"{path}: this is no suite.json of format {SUITE_FORMAT}")


def _result(
    given: Mapping[str, Any], body: Mapping[str, Any], transcripts: list[Transcript]
) -> ScenarioResult:
    scenario = read_scenario(given)
    return ScenarioResult(
        scenario=scenario,
        transcripts=tuple(
            with_state(one, scenario) for one in transcripts if one.scenario == scenario.id
        ),
        verdicts=tuple(_verdict(one) for one in body["verdicts"] if one["scenario"] == scenario.id),
        judgements={
            one["replicate"]: _judgement(one)
            for one in body.get("judgements", ())  # suites of before have none
            if one["scenario"] == scenario.id
        },
    )


def read_scenario(given: Mapping[str, Any]) -> Scenario:
    """A scenario from the JSON values of its fields; a wrong one raises what Python raises."""
    parts: dict[str, Any] = {
        "reveals": tuple(_made(Reveal, one) for one in given["reveals"]),
        "checks": tuple(_made(CheckSpec, one) for one in given["checks"]),
        "rubric": tuple(_made(RubricItem, one) for one in given["rubric"]),
        "items": tuple(_made(ItemSource, one) for one in given["items"]),
        "limits": _made(Limits, given["limits"]),
    }
    return Scenario(**{**given, **parts})


def _verdict(given: Mapping[str, Any]) -> RunVerdict:
    parts: dict[str, Any] = {"findings": tuple(_made(Finding, one) for one in given["findings"])}
    return RunVerdict(**{**given, **parts})


def _judgement(given: Mapping[str, Any]) -> RubricJudgement:
    fields = {name: one for name, one in given.items() if name not in ("scenario", "replicate")}
    parts: dict[str, Any] = {"items": tuple(_made(JudgedItem, one) for one in given["items"])}
    return RubricJudgement(**{**fields, **parts})


def _cost(given: Mapping[str, Any]) -> SuiteCost:
    parts: dict[str, Any] = {"roles": tuple(_made(RoleCost, one) for one in given["roles"])}
    return SuiteCost(**{**given, **parts})


def _made(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """A value of flat fields; lists become tuples."""
    fields = given.items()
    return kind(
        **{
            name: tuple(cast("list[Any]", one)) if isinstance(one, list) else one
            for name, one in fields
        }
    )
