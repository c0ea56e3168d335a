"""What a gate keeps of its evidence so that new rows can be compared with it.

::

    {"scores": {"values": "0.1 0.25 …", "n": "4 1 …", "exact": true, "of": "row"},
     "shares": {"answer": {…}, "ask": {…}, "escalate": {…}, "abstain": {…}}, "gap": {…}}

``scores`` are the raw scores as distinct values with counts, or cells of equal mass where there are
many; of one row a dialogue where dialogues have several, so that they are independent.  ``shares``
are those of the actions, ``gap`` is accuracy − mean probability, each as the evidence writes
numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from turnsure.calibration.drift.actions import actions_of
from turnsure.calibration.drift.changes import Measured
from turnsure.calibration.drift.shift import Tallied
from turnsure.calibration.gate_parts import GateLimits, GateValidity
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.steps import one_row_a_dialogue
from turnsure.core.decision import ACTIONS, DecisionRule
from turnsure.core.errors import InputError
from turnsure.core.results import Interval
from turnsure.numerics.arrays import FloatArray, IntArray
from turnsure.numerics.inputs import clusters_of
from turnsure.numerics.intervals import wilson_bounds
from turnsure.numerics.resampling import interval_of_mean

MOST_CELLS = 256
"""Distinct scores that a gate keeps as they are; of more it keeps so many cells."""

LEVEL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The evidence read back; what a gate does not keep is None or missing."""

    scores: Tallied | None
    shares: Mapping[str, Measured]
    metrics: Mapping[str, Measured]


def reference_record(
    rows: LabelledScores,
    probability: FloatArray,
    rule: DecisionRule,
    limits: GateLimits,
    validity: GateValidity,
    *,
    resamples: int,
    seed: int,
) -> dict[str, Any]:
    """What ``evidence.reference`` of a gate holds.

    Parameters
    ----------
    rows
        Held-out rows of the evidence.
    probability
        Their probabilities, from a map that has not seen them, shape (n,).
    rule, limits, validity
        Of the gate.
    resamples, seed
        Of the intervals; the seed also draws one row a dialogue.
    """
    plain = len(rows.groups) == len(rows)
    scores = rows if plain else one_row_a_dialogue(rows, seed=seed)
    tallied = Tallied.of(scores.score, most=MOST_CELLS)
    action = actions_of(rule, limits, validity, probability, rows.turn)
    shares = shares_of(action, rows.group, resamples=resamples, seed=seed)
    residual = rows.correct - probability
    gap = measured_mean(residual, rows.group, resamples=resamples, seed=seed)
    n_dialogues = len(rows.groups)
    return {
        "scores": {
            "values": " ".join(map(repr, tallied.value.tolist())),
            "n": " ".join(map(str, tallied.n.tolist())),
            "exact": tallied.exact,
            "of": "row" if plain else "one row a dialogue",
        },
        "shares": {name: _record(one, n_dialogues) for name, one in shares.items()},
        "gap": _record(gap, n_dialogues),
    }


def read_reference(evidence: Mapping[str, Any]) -> Reference:
    """Read what the evidence of a gate keeps.

    Raises
    ------
    InputError
        The scores that it keeps are no distribution; names the field.
    """
    kept: Mapping[str, Any] = evidence.get("reference") or {}
    scores = kept.get("scores")
    metrics: dict[str, Mapping[str, Any]] = dict(evidence["held_out"].get("calibrated", {}))
    if "gap" in kept:
        metrics["gap"] = kept["gap"]
    return Reference(
        scores=None if scores is None else _tallied(scores),
        shares=_measured(kept.get("shares", {})),
        metrics=_measured(metrics),
    )


def _tallied(scores: Mapping[str, Any]) -> Tallied:
    try:
        value = np.array(scores["values"].split(), dtype=np.float64)
    except ValueError:
        value = np.zeros(0)  # which no counts go with
    n = np.array(scores["n"].split(), dtype=np.int64)
    rises = value.size > 0 and value[0] >= 0.0 and value[-1] <= 1.0 and (np.diff(value) > 0.0).all()
    if len(value) != len(n) or not rises or n.min() < 1:
        raise InputError(
            "values and counts do not go together",
            field="evidence.reference.scores",
            expected="rising values and a count for each",
        )
    return Tallied(value=value, n=n, exact=bool(scores["exact"]))


def shares_of(
    action: IntArray, group: IntArray, *, resamples: int, seed: int
) -> dict[str, Measured]:
    """The share of each action, by name: Wilson's interval, or bootstrapped over dialogues."""
    n = len(action)
    found: dict[str, Measured] = {}
    for place, name in enumerate(ACTIONS):
        here = action == place
        if int(group.max()) + 1 == n:
            k = int(np.count_nonzero(here))
            low, high = wilson_bounds(k, n, LEVEL)
            found[name] = Measured(value=k / n, low=low, high=high, n=n)
        else:
            found[name] = measured_mean(
                here.astype(np.float64), group, resamples=resamples, seed=seed
            )
    return found


def measured_mean(values: FloatArray, group: IntArray, *, resamples: int, seed: int) -> Measured:
    """A mean with its interval over dialogues."""
    clusters = clusters_of(group, resamples=resamples, seed=seed, level=LEVEL)
    return measured(float(values.mean()), interval_of_mean(clusters, values), len(values))


def measured(value: float, interval: Interval | None, n: int) -> Measured:
    """A number with the bounds of an interval."""
    return Measured(
        value=value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n=n,
    )


def _measured(records: Mapping[str, Mapping[str, Any]]) -> dict[str, Measured]:
    """Numbers as the evidence writes them; those that are undefined are left out."""
    return {
        name: Measured(value=one["value"], low=one["low"], high=one["high"], n=one["n_rows"])
        for name, one in records.items()
        if one["value"] is not None
    }


def _record(one: Measured, n_dialogues: int) -> dict[str, Any]:
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n_rows": one.n,
        "n_dialogues": n_dialogues,
        "undefined": None,
    }
