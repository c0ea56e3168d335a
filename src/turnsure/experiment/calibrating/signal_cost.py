"""What each signal of a run costs, beside what it buys.

A method is driven again over the run's store, alone and for the model's own answer, so that a
request which several methods share counts for each of them: this is what the method costs when it
is the only one.  Nothing is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from turnsure import metrics
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Estimator, Flow, Reply
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.signal_cost import CostRow, SignalCost
from turnsure.core.tested import Found
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.estimators.templates import load_templates
from turnsure.experiment.calibrating import statistics
from turnsure.experiment.calibrating.cells import Bootstrap, cells_of
from turnsure.experiment.calibrating.predictions import PredictionGroup, Predictions
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.experiment.config import make_spec, read_config
from turnsure.experiment.instrument import build_instrument, template_files
from turnsure.experiment.measure import Measurement
from turnsure.experiment.run_folder import RunFolder
from turnsure.numerics.arrays import Int64Array
from turnsure.store.sqlite import Store

COVERAGES = (0.5, 0.8, 1.0)
"""Shares of the turns, the surest first, at which errors are compared."""

_ANSWER = "answer"
"""Tag of the request for the answer itself."""


@dataclass(slots=True)
class _Tally:
    """Running totals of one method, or of the answers."""

    n_calls: int = 0
    n_unknown: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    n_uncounted: int = 0
    seconds: float = 0.0
    seen: set[str] = field(default_factory=set[str])

    def count(self, key: str, generation: Generation | None) -> None:
        """Count a request once, however often the method makes it."""
        if key in self.seen:
            return
        self.seen.add(key)
        self.n_calls += 1
        if generation is None:
            self.n_unknown += 1
            return
        usage = generation.usage
        self.prompt_tokens += usage.prompt_tokens or 0
        self.cached_tokens += usage.cached_tokens or 0
        self.completion_tokens += usage.completion_tokens or 0
        self.n_uncounted += usage.completion_tokens is None
        self.seconds += generation.seconds

    def row(self, method: str, n_turns: int, risk: Mapping[float, Found], aurc: Found) -> CostRow:
        """The totals as a value."""
        return CostRow(
            method=method,
            n_turns=n_turns,
            n_calls=self.n_calls,
            n_unknown=self.n_unknown,
            prompt_tokens=self.prompt_tokens,
            cached_tokens=self.cached_tokens,
            completion_tokens=self.completion_tokens,
            n_uncounted=self.n_uncounted,
            seconds=self.seconds,
            risk=risk,
            aurc=aurc,
        )


def signal_cost(
    predictions: Predictions, settings: CalibrationSettings
) -> SignalCost | Undefined | None:
    """Costs of the methods of a run, and their errors at equal coverage.

    Parameters
    ----------
    predictions
        Of a run; None is returned for those of a file.
    settings
        Of the bootstrap.
    """
    run = predictions.run
    if run is None or not predictions.groups:
        return None
    if not run.store.exists():
        return Undefined(name="signal_cost", reason="there is no store.sqlite in this folder")
    try:
        measurement, combined = _instrument(run)
        dialogues = read_dialogues(run.dialogues)
    except InputError as error:
        return Undefined(name="signal_cost", reason=str(error))
    fingerprint: Mapping[str, str] = run.read_run()["protocol"]["model"]
    members = {one.name: (one,) for one in measurement.estimators} | {
        name: tuple(one for one in measurement.estimators if one.name in of)
        for name, of in combined.items()
    }
    n_turns = sum(one.n_turns for one in dialogues)
    bought, n_common = _bought(predictions.groups, settings)
    answers = _Tally()
    rows: list[CostRow] = []
    store = Store(run.store)
    try:
        for group in predictions.groups:
            tally = _Tally()
            _drive(store, fingerprint, measurement, members.get(group.method, ()), dialogues,
                   tally, answers)  # fmt: skip
            rows.append(tally.row(group.method, n_turns, *bought[group.method]))
    finally:
        store.close()
    nothing = Undefined(name="aurc", reason="the answers alone order nothing")
    return SignalCost(
        rows=tuple(rows), answer=answers.row(_ANSWER, n_turns, {}, nothing), n_common=n_common
    )


def _instrument(run: RunFolder) -> tuple[Measurement, dict[str, tuple[str, ...]]]:
    """How the run's turns were measured, and the methods that others combine."""
    spec = make_spec(read_config(run.run_json), file=run.run_json)
    instrument = build_instrument(spec, load_templates(*template_files(spec)))
    return instrument.measurement, {one.name: one.of for one in instrument.combinations}


def _drive(
    store: Store,
    fingerprint: Mapping[str, str],
    measurement: Measurement,
    estimators: Sequence[Estimator],
    dialogues: Sequence[Dialogue],
    tally: _Tally,
    answers: _Tally,
) -> None:
    alone = replace(measurement, estimators=tuple(estimators), targets=("answer",))

    def answer(request: GenerationRequest) -> Reply:
        key = store.key(fingerprint, request)
        generation = store.get(key)
        (answers if request.tag == _ANSWER else tally).count(key, generation)
        if generation is None:
            return Failure(stage="generation", kind="unknown", message="it is not in the store")
        return generation

    for dialogue in dialogues:
        flow: Flow[Any] = alone.dialogue(dialogue)
        try:
            batch = next(flow)
            while True:
                batch = flow.send([answer(request) for request in batch])
        except StopIteration:
            pass


def _bought(
    groups: Sequence[PredictionGroup], settings: CalibrationSettings
) -> tuple[dict[str, tuple[Mapping[float, Found], Found]], int]:
    """Errors at equal coverage and AURC, by method, on the turns that all methods scored."""
    keys = [_turns(group.rows) for group in groups]
    common = keys[0]
    for one in keys[1:]:
        common = np.intersect1d(common, one)
    found: dict[str, tuple[Mapping[float, Found], Found]] = {}
    for group, turns in zip(groups, keys, strict=True):
        if not common.size:
            none = Undefined(name="risk", reason="no turn is scored by all methods")
            found[group.method] = (dict.fromkeys(COVERAGES, none), none)
            continue
        found[group.method] = _errors(group.rows.rows(np.isin(turns, common)), settings)
    return found, int(common.size)


def _turns(rows: LabelledScores) -> Int64Array:
    """A number a dialogue and turn that means the same for every method."""
    ids = np.asarray(rows.groups, dtype=np.int64)[rows.group]
    turn = np.zeros(len(rows), dtype=np.int64) if rows.turn is None else rows.turn
    # A wide radix instead of that of these rows, which differs between methods.
    return ids * (1 << 31) + turn


def _errors(
    rows: LabelledScores, settings: CalibrationSettings
) -> tuple[Mapping[float, Found], Found]:
    cells = cells_of(rows.score, rows.correct, settings.bins, np.zeros(0))
    bootstrap = Bootstrap(
        cells=cells,
        rows=rows,
        resamples=settings.resamples,
        seed=settings.seed,
        level=settings.level,
    )
    at = statistics.risk_at(COVERAGES)
    bounds = bootstrap.intervals({"risk": at, "aurc": statistics.aurc})
    values = at(cells.counts)[0].tolist()
    risk = {
        coverage: MetricResult(
            name="risk",
            value=value,
            interval=interval,
            n_turns=len(rows),
            n_dialogues=len(rows.groups),
            direction="lower",
            definition={"coverage": coverage, "ties": "expected error of a random order"},
        )
        for coverage, value, interval in zip(COVERAGES, values, bounds["risk"], strict=True)
    }
    try:
        aurc = metrics.aurc(rows.score, rows.correct)
    except UndefinedMetricError as error:
        return risk, Undefined(name="aurc", reason=str(error), n_turns=len(rows))
    return risk, replace(aurc, interval=bounds["aurc"][0], n_dialogues=len(rows.groups))
