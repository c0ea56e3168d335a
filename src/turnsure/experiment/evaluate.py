"""From the turns table to the numbers: every metric with its interval, per method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal, TypedDict, TypeVar

from turnsure import metrics
from turnsure.core.confidence import Confidence
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.evaluation import Evaluation, LabelMass, MethodEvaluation, ScoreDistribution
from turnsure.core.outcome import Failure
from turnsure.core.results import Curve, MetricResult, ReliabilityTable, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnColumns, TurnRow, TurnsTable

T = TypeVar("T")

Binning = Literal["width", "mass"]

SENSITIVITY_BINS = (5, 10, 20)
SENSITIVITY_BINNINGS: tuple[Binning, ...] = ("width", "mass")


def evaluate(table: TurnsTable, spec: RunSpec, *, protocol: str) -> Evaluation:
    """All numbers of a run.

    Parameters
    ----------
    table
        Rows of one condition.
    spec
        Names the data and the model, and sets bins, resamples and the bootstrap's seed.
    protocol
        Digest stored beside the numbers.
    """
    own = table.select(target="answer")
    answers = _one_row_a_turn(own)
    columns = answers.columns()
    return Evaluation(
        model=spec.model,
        data=spec.data,
        protocol=protocol,
        n_dialogues=len({row.dialogue for row in answers.rows}),
        n_turns=len(answers),
        accuracy=_defined(
            "accuracy",
            columns,
            lambda: metrics.accuracy(
                columns.correct,
                dialogue=columns.dialogue,
                **_boot(spec),
            ),
        ),
        accuracy_by_level=_by_level("accuracy", columns, spec),
        ungraded=Counter(
            row.outcome.reason for row in answers.rows if row.outcome.reason is not None
        ),
        rules=Counter(row.outcome.rule for row in answers.rows if row.outcome.rule is not None),
        methods=tuple(
            _method(
                own.select(method=method), table.select(target="gold", method=method), method, spec
            )
            for method in table.methods
        ),
    )


def _method(own: TurnsTable, gold: TurnsTable, method: str, spec: RunSpec) -> MethodEvaluation:
    all_rows = own.columns()
    # Confidence and accuracy are compared on the same turns: those that have both.
    scored = TurnsTable(tuple(row for row in own.rows if _has_both(row)))
    columns = scored.columns()
    return MethodEvaluation(
        method=method,
        n_rows=len(own),
        n_scored=len(scored),
        failures=_failure_kinds(own),
        gold_failures=_failure_kinds(gold),
        metrics=_metrics(all_rows, columns, gold.columns(), spec),
        sensitivity=tuple(
            _info_ece(all_rows, spec, bins=bins, binning=binning)
            for binning in SENSITIVITY_BINNINGS
            for bins in SENSITIVITY_BINS
        ),
        confidence_by_level=_by_level("confidence", columns, spec),
        accuracy_by_level=_by_level("accuracy", columns, spec),
        reliability=_or_empty(
            lambda: metrics.reliability_table(columns.confidence, columns.correct, bins=spec.bins),
            ReliabilityTable(bins=(), n_turns=0),
        ),
        scores=_or_empty(
            lambda: metrics.score_distribution(columns.confidence, columns.correct),
            ScoreDistribution(bars=(), n_distinct=0, most_common=(), n_turns=0),
        ),
        label_mass=_label_mass(own),
    )


def _metrics(
    own: TurnColumns, scored: TurnColumns, gold: TurnColumns, spec: RunSpec
) -> Mapping[str, MetricResult | Undefined]:
    confidence, correct, dialogue = own.confidence, own.correct, own.dialogue

    def tau(columns: TurnColumns) -> MetricResult:
        return metrics.kendall_tau(
            columns.confidence,
            columns.dialogue,
            columns.turn,
            **_boot(spec),
        )

    computed: dict[str, Callable[[], MetricResult]] = {
        "kendall_tau": lambda: tau(own),
        "ece": lambda: metrics.ece(
            confidence,
            correct,
            bins=spec.bins,
            dialogue=dialogue,
            **_boot(spec),
        ),
        "smooth_ece": lambda: metrics.smooth_ece(
            confidence, correct, dialogue=dialogue, **_boot(spec)
        ),
        "brier": lambda: metrics.brier(confidence, correct, dialogue=dialogue, **_boot(spec)),
        "auroc": lambda: metrics.auroc(confidence, correct, dialogue=dialogue, **_boot(spec)),
        "mean_confidence": lambda: metrics.mean_confidence(
            scored.confidence, dialogue=scored.dialogue, **_boot(spec)
        ),
    }
    return {
        "info_ece": _info_ece(own, spec, bins=spec.bins, binning="width"),
        **{name: _defined(name, own, compute) for name, compute in computed.items()},
        "kendall_tau_gold": _defined("kendall_tau_gold", gold, lambda: tau(gold)),
    }


def _info_ece(
    columns: TurnColumns, spec: RunSpec, *, bins: int, binning: Binning
) -> MetricResult | Undefined:
    return _defined(
        f"info_ece of {bins} {binning} bins",
        columns,
        lambda: metrics.info_ece(
            columns.confidence,
            columns.correct,
            columns.turn,
            columns.n_turns,
            bins=bins,
            binning=binning,
            dialogue=columns.dialogue,
            **_boot(spec),
        ),
    )


def _by_level(
    name: Literal["accuracy", "confidence"], columns: TurnColumns, spec: RunSpec
) -> Curve:
    values = columns.correct if name == "accuracy" else columns.confidence
    return _or_empty(
        lambda: metrics.by_level(
            values,
            columns.turn,
            columns.n_turns,
            bins=spec.bins,
            dialogue=columns.dialogue,
            name=name,
            **_boot(spec),
        ),
        Curve(name=name, x_label="information level", y_label=name, points=(), n_turns=0),
    )


def _or_empty(compute: Callable[[], T], empty: T) -> T:
    """What is to be drawn, or an empty drawing where nothing was scored."""
    try:
        return compute()
    except UndefinedMetricError:
        return empty


def _defined(
    name: str, columns: TurnColumns, compute: Callable[[], MetricResult]
) -> MetricResult | Undefined:
    """The metric, or the reason why it has no value here."""
    try:
        return compute()
    except UndefinedMetricError as error:
        return Undefined(name=name, reason=str(error), n_turns=len(columns.turn))


class _Boot(TypedDict):
    resamples: int
    seed: int


def _boot(spec: RunSpec) -> _Boot:
    return {"resamples": spec.resamples, "seed": spec.seed}


def _one_row_a_turn(table: TurnsTable) -> TurnsTable:
    """Every turn once: the answer and its outcome are the same under all methods."""
    return TurnsTable(tuple({(row.dialogue, row.turn): row for row in table.rows}.values()))


def _has_both(row: TurnRow) -> bool:
    return isinstance(row.confidence, Confidence) and row.outcome.correct is not None


def _failure_kinds(table: TurnsTable) -> Mapping[str, int]:
    return Counter(row.confidence.kind for row in table.rows if isinstance(row.confidence, Failure))


def _label_mass(table: TurnsTable) -> LabelMass | None:
    read = [
        row.confidence
        for row in table.rows
        if isinstance(row.confidence, Confidence) and row.confidence.path == "logprobs"
    ]
    masses = [one.label_mass for one in read if one.label_mass is not None]
    if not masses:
        return None
    return LabelMass(
        mean=sum(masses) / len(masses),
        lowest=min(masses),
        n_low=sum(one.off_format for one in read),
        n_truncated=sum(one.truncated for one in read),
        n_turns=len(masses),
    )
