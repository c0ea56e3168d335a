"""Building a gate: fit the map on some dialogues, choose the threshold on others, keep evidence.

Two ways keep a threshold from being chosen on what its map was fitted on.  ``"split"``: half of the
dialogues, drawn by a hash of their ids, fit the map and the other half chooses; a guarantee then
holds to the letter.  ``"cross"``: every dialogue's probability comes from a map that was fitted on
the others, the threshold is chosen on all of them, and the gate gets the map fitted on all; this
uses every label twice, and the guarantee is for maps as good as those, not for this very map.  The
raw score (the map ``identity``) is not fitted, so that all dialogues choose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Literal

from turnsure import metrics
from turnsure.calibration.fitting import Feature, FittedMap, fit
from turnsure.calibration.folds import DEFAULT_FOLDS, fold_of_rows, out_of_fold
from turnsure.calibration.gate_file import GateFile
from turnsure.calibration.gate_parts import GateLimits
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.costs import Costs
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.core.chosen import ThresholdChoice
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.results import MetricResult
from turnsure.experiment.calibrating.choosing import choose
from turnsure.experiment.calibrating.promises import How
from turnsure.experiment.gating.sources import Source
from turnsure.experiment.watching.reference import reference_record
from turnsure.numerics.arrays import FloatArray

RAW = "identity"
"""The map that fits nothing."""

_METRICS = ("log_loss", "brier", "ece", "smooth_ece", "auroc")
_NOTHING_PROMISED = "None: the rule was set by hand."


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSettings:
    """How a gate is built.

    Attributes
    ----------
    map, feature
        Family of the calibration map, and what it knows besides the score.
    how
        See the module; None for ``"split"`` with a target, else ``"cross"``.  Without a map it is
        ``"raw"`` whatever is said here.
    rule
        A rule set by hand; None to choose one by ``costs`` or ``target``.
    costs, target
        What mistakes cost, and how often answers may be wrong.
    ask_at
        From which probability on to ask instead of ``otherwise``; None for what ``costs`` say.
    otherwise
        ``"escalate"`` or ``"abstain"``.
    limits
        What holds whatever the score.
    seed, folds, resamples
        Of the split or folds, and of the intervals.
    """

    map: str = "platt"
    feature: Feature = "none"
    how: How | None = None
    rule: DecisionRule | None = None
    costs: Costs | None = None
    target: RiskTarget | None = None
    ask_at: float | None = None
    otherwise: Literal["escalate", "abstain"] = "escalate"
    limits: GateLimits = field(default_factory=GateLimits)
    seed: int = 0
    folds: int = DEFAULT_FOLDS
    resamples: int = 2000

    def __post_init__(self) -> None:
        if self.how not in (None, "split", "cross"):
            raise InputError(f"it is {self.how!r}", field="how", expected="'split' or 'cross'")
        by_hand = self.rule is not None
        if by_hand == (self.costs is not None or self.target is not None):
            raise InputError(
                "nothing says how to choose the threshold"
                if not by_hand
                else "the threshold is set by hand and to be chosen",
                field="rule",
                expected="a target error, costs, or a threshold set by hand",
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fitted:
    """A map, and probabilities of rows that it (or its like) has not seen."""

    map: FittedMap
    rows: LabelledScores
    probability: FloatArray
    how: How
    record: Mapping[str, Any]


def build_gate(source: Source, settings: BuildSettings, *, date: str) -> GateFile:
    """Fit, choose, and gather the evidence.

    Parameters
    ----------
    source
        Scores with labels.
    settings
        How.
    date
        Time stamp of the evidence.

    Raises
    ------
    InputError
        A setting does not fit the data.
    UndefinedMetricError
        The map or the choice does not exist for these data, because of one class only, for example.
    """
    fitted = _fit(source.rows, settings)
    choice = None
    rule = settings.rule
    if rule is None:
        # Dialogues end where nothing is asked any more: later answers are never given.
        seen = replace(fitted.rows, score=fitted.probability, n_missing=source.rows.n_missing)
        seen = seen.up_to(settings.limits.most_turns)
        choice = choose(
            seen,
            probability=seen.score,
            how=fitted.how,
            costs=settings.costs,
            target=settings.target,
            ask_at=settings.ask_at,  # it ends dialogues early, which the guarantee has to know
            otherwise=settings.otherwise,
            resamples=settings.resamples,
            seed=settings.seed,
        )
        rule = choice.rule
    elif settings.ask_at is not None:
        rule = replace(rule, ask_at=settings.ask_at)
    return GateFile(
        method=source.method,
        settings=source.settings,
        rule=rule,
        map=fitted.map.to_json(),
        limits=settings.limits,
        validity=source.validity,
        evidence=_evidence(source, fitted, choice, rule, settings, date),
        protocol=source.protocol,
        run_digest=source.run_digest,
    )


def _fit(rows: LabelledScores, settings: BuildSettings) -> _Fitted:
    name, feature = settings.map, settings.feature
    how: How = settings.how or ("split" if settings.target is not None else "cross")
    if name == RAW and feature == "none":
        chosen, probability, fitted, how = rows, rows.score, fit(name, rows), "raw"
    elif how == "split":
        half = fold_of_rows(rows, folds=2, seed=settings.seed) == 0
        fitted, chosen = fit(name, rows.rows(half), feature=feature), rows.rows(~half)
        probability = fitted.on(chosen)
    else:
        probability = out_of_fold(
            name, rows, folds=settings.folds, seed=settings.seed, feature=feature
        )
        fitted, chosen = fit(name, rows, feature=feature), rows
    return _Fitted(
        map=fitted,
        rows=chosen,
        probability=probability,
        how=how,
        record={
            "how": how,
            "n_rows": fitted.n_rows,
            "n_dialogues": fitted.n_dialogues,
            "seed": settings.seed,
            "folds": settings.folds if how == "cross" else None,
        },
    )


def _evidence(
    source: Source,
    fitted: _Fitted,
    choice: ThresholdChoice | None,
    rule: DecisionRule,
    settings: BuildSettings,
    date: str,
) -> dict[str, Any]:
    rows = source.rows
    return {
        "data": {"name": source.name, "digest": source.data_digest},
        "n_rows": len(rows),
        "n_dialogues": len(rows.groups),
        "n_missing": rows.n_missing,
        "fitted": dict(fitted.record),
        "chosen": {
            "n_rows": len(fitted.rows),
            "n_dialogues": len(fitted.rows.groups),
            **_chosen(choice, settings),
        },
        "held_out": {
            "raw": _metrics(fitted.rows.score, fitted.rows, settings),
            "calibrated": _metrics(fitted.probability, fitted.rows, settings),
        },
        "reference": reference_record(
            fitted.rows,
            fitted.probability,
            rule,
            settings.limits,
            source.validity,
            resamples=settings.resamples,
            seed=settings.seed,
        ),
        "guarantee": _guarantee(choice),
        "assumptions": [] if choice is None else list(choice.assumptions),
        "date": date,
        "package": version("turnsure"),
        "dialogues": {
            "of": source.keyed_by,
            "digests": " ".join(sorted({source.keys[str(one)] for one in rows.groups})),
        },
    }


def _chosen(choice: ThresholdChoice | None, settings: BuildSettings) -> dict[str, Any]:
    if choice is None:
        return {"method": "by hand"}
    found, target = choice.evidence, settings.target
    record: dict[str, Any] = {
        "method": choice.method,
        "unit": choice.unit,
        "n_units": choice.n_units,
        "target_error": None if target is None else target.error,
        "confidence": None if target is None else target.confidence,
    }
    if found is not None:
        record |= {
            "n_answered": found.n_answered,
            "n_wrong": found.n_wrong,
            "upper_bound": found.upper_bound,
        }
    if choice.stability is not None:
        interval = choice.stability.interval
        record |= {
            "resamples": choice.stability.n_resamples,
            "resamples_without_threshold": choice.stability.n_none,
            "threshold_low": None if interval is None else interval.low,
            "threshold_high": None if interval is None else interval.high,
        }
    return record


def _guarantee(choice: ThresholdChoice | None) -> str:
    if choice is None:
        return _NOTHING_PROMISED
    if choice.guarantee is not None:
        return choice.guarantee
    reason = choice.reason or "None: costs promise nothing."
    return reason if choice.needed is None else f"{reason} {choice.needed.reason}"


def _metrics(
    scores: FloatArray, rows: LabelledScores, settings: BuildSettings
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for name in _METRICS:
        metric = getattr(metrics, name)
        try:
            result: MetricResult = metric(
                scores,
                rows.correct,
                dialogue=rows.group,
                resamples=settings.resamples,
                seed=settings.seed,
            )
        except UndefinedMetricError as error:
            found[name] = _record(None, str(error))
        else:
            found[name] = _record(result, None)
    return found


def _record(result: MetricResult | None, undefined: str | None) -> dict[str, Any]:
    interval = None if result is None else result.interval
    return {
        "value": None if result is None else result.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "n_rows": None if result is None else result.n_turns,
        "n_dialogues": None if result is None else result.n_dialogues,
        "undefined": undefined,
    }
