"""A finished suite's report, put together anew from its folder; nothing is asked and nobody talks.

``settings.json`` says how the suite was counted, and whether a confidence belongs to it: one that
an earlier call left in the folder does not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from turnsure.core.errors import InputError, StoreError
from turnsure.core.spec import RunSpec
from turnsure.core.suite import SuiteResult
from turnsure.core.suite_confidence import AskingCost, JudgedTurn, Scored, SuiteConfidence
from turnsure.core.suite_report import SuiteReport
from turnsure.core.turns import TurnRow
from turnsure.experiment.conversations.joining import joined
from turnsure.scenarios.suite_file import read_suite
from turnsure.store.turns_file import read_turns
from turnsure.testing.files import ReportFiles
from turnsure.testing.joining import WITH_TWIST, run_label
from turnsure.testing.suite import TestSettings, suite_report

T = TypeVar("T")

_SETTINGS = ("k", "seed", "fail_under", "resamples")


def load_suite_report(folder: Path) -> SuiteReport:
    """The report of a finished suite.

    Raises
    ------
    StoreError
        There is no finished suite in the folder, or its files are damaged.
    """
    result = read_suite(folder)
    files = ReportFiles(folder)
    body = _read(files.settings)
    settings = _made(
        files.settings,
        lambda: TestSettings(folder=folder, **{name: body[name] for name in _SETTINGS}),
    )
    found = _confidence(result, settings) if body.get("confidence") is True else None
    return suite_report(result, settings, confidence=found)


def _confidence(result: SuiteResult, settings: TestSettings) -> SuiteConfidence:
    """What was measured, counted anew from the table of turns."""
    files = ReportFiles(settings.folder)
    body = _read(files.confidence)
    table, protocol = read_turns(files.turns)

    def build() -> SuiteConfidence:
        if protocol != body["protocol"]:
            raise InputError(f"{files.turns} and {files.confidence} are of different calls")
        methods = tuple(one["method"] for one in body["methods"])
        turns = _turns(result, table.rows)
        spec = RunSpec(methods=methods, resamples=settings.resamples, seed=settings.seed)
        return SuiteConfidence(
            model=body["model"],
            protocol=protocol,
            turns=turns,
            methods=joined(turns, methods, spec),
            n_runs=body["n_runs"],
            n_different=body["n_different"],
            cost=AskingCost(**body["cost"]),
        )

    return _made(files.confidence, build)


def _turns(result: SuiteResult, rows: Sequence[TurnRow]) -> tuple[JudgedTurn, ...]:
    """The turns that :func:`turnsure.testing.joining.turn_rows` made rows of."""
    runs = {
        run_label((one.scenario, one.replicate)): one
        for each in result.scenarios
        for one in each.transcripts
    }
    by_turn: dict[tuple[str, int], list[TurnRow]] = {}
    for row in rows:
        by_turn.setdefault((row.dialogue, row.turn), []).append(row)
    return tuple(
        JudgedTurn(
            run=(runs[name].scenario, runs[name].replicate),
            turn=turn,
            is_twist=of_it[0].meta["twist"] == WITH_TWIST,
            shows=bool(runs[name].exchanges[turn - 1].items),
            is_wrong=None if of_it[0].outcome.correct is None else not of_it[0].outcome.correct,
            scores=cast("Mapping[str, Scored]", {row.method: row.confidence for row in of_it}),
        )
        for (name, turn), of_it in by_turn.items()
    )


def _read(file: Path) -> Mapping[str, Any]:
    try:
        body: object = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{file}: cannot be read ({error})") from error
    if not isinstance(body, dict):
        raise StoreError(f"{file}: this is no JSON object")
    return cast("Mapping[str, Any]", body)


def _made(file: Path, build: Callable[[], T]) -> T:
    """What a file describes; a damaged one is told by its name."""
    try:
        return build()
    except (InputError, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(f"{file}: cannot be read ({type(error).__name__}: {error})") from error
