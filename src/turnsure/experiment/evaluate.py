"""From the turns table to the numbers: every metric with its interval, per method."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Literal, Protocol, TypedDict, TypeVar

from turnsure import metrics
from turnsure.core.confidence import LOW_LABEL_MASS
from turnsure.core.errors import UndefinedMetricError
from turnsure.core.evaluation import Evaluation, LabelMass, MethodEvaluation, ScoreDistribution
from turnsure.core.results import Curve, MetricResult, ReliabilityTable, Undefined
from turnsure.core.row_pool import Failed, Scored
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnColumns, TurnsTable
from turnsure.experiment.columns import scored_rows

T = TypeVar("T")

Binning = Literal["width", "mass"]

METHOD_METRICS = (
    "info_ece",
    "kendall_tau",
    "ece",
    "smooth_ece",
    "brier",
    "auroc",
    "mean_confidence",
    "kendall_tau_gold",
)
"""All metrics of a method, in their usual order."""

SENSITIVITY_BINS = (5, 10, 20)
SENSITIVITY_BINNINGS: tuple[Binning, ...] = ("width", "mass")


class Settings(Protocol):
    """Bins of InfoECE and ECE, and resamples and seed of the bootstrap."""

    @property
    def bins(self) -> int: ...
    @property
    def resamples(self) -> int: ...
    @property
    def seed(self) -> int: ...


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
    answers = table.one_row_a_turn()
    columns = answers.columns()
    return Evaluation(
        model=spec.model,
        data=spec.data,
        protocol=protocol,
        n_dialogues=len(answers.dialogues),
        n_turns=len(answers),
        accuracy=accuracy(columns, spec),
        accuracy_by_level=_by_level("accuracy", columns, spec),
        ungraded=answers.packed.counts("outcome", lambda outcome: outcome.reason),
        rules=answers.packed.counts("outcome", lambda outcome: outcome.rule),
        methods=tuple(
            _method(
                own.select(method=method), table.select(target="gold", method=method), method, spec
            )
            for method in table.methods
        ),
    )


def accuracy(columns: TurnColumns, settings: Settings) -> MetricResult | Undefined:
    """Share of right answers among the graded rows, which must be one a turn."""
    return _defined(
        "accuracy",
        columns,
        lambda: metrics.accuracy(columns.correct, dialogue=columns.dialogue, **_boot(settings)),
    )


def method_metrics(
    own: TurnColumns, gold: TurnColumns, settings: Settings, only: Collection[str] = METHOD_METRICS
) -> Mapping[str, MetricResult | Undefined]:
    """The metrics of one method, by the names of ``MethodEvaluation.metrics``.

    Parameters
    ----------
    own, gold
        One method's rows for the model's own answer and for the gold answer; either may have none.
    settings
        Bins, resamples and seed.
    only
        Names of the metrics that are wanted.
    """
    confidence, correct, dialogue = own.confidence, own.correct, own.dialogue
    boot = _boot(settings)

    def tau(columns: TurnColumns) -> MetricResult:
        return metrics.kendall_tau(columns.confidence, columns.dialogue, columns.turn, **boot)

    def mean_confidence() -> MetricResult:
        scored = scored_rows(own)
        return metrics.mean_confidence(scored.confidence, dialogue=scored.dialogue, **boot)

    computed: dict[str, Callable[[], MetricResult | Undefined]] = {
        "info_ece": lambda: _info_ece(own, settings, bins=settings.bins, binning="width"),
        "kendall_tau": lambda: tau(own),
        "ece": lambda: metrics.ece(
            confidence, correct, bins=settings.bins, dialogue=dialogue, **boot
        ),
        "smooth_ece": lambda: metrics.smooth_ece(confidence, correct, dialogue=dialogue, **boot),
        "brier": lambda: metrics.brier(confidence, correct, dialogue=dialogue, **boot),
        "auroc": lambda: metrics.auroc(confidence, correct, dialogue=dialogue, **boot),
        "mean_confidence": mean_confidence,
        "kendall_tau_gold": lambda: _defined("kendall_tau_gold", gold, lambda: tau(gold)),
    }
    return {name: _defined(name, own, computed[name]) for name in computed if name in only}


def sensitivity(columns: TurnColumns, settings: Settings) -> tuple[MetricResult | Undefined, ...]:
    """InfoECE for every number of bins and binning, since the choice is open."""
    return tuple(
        _info_ece(columns, settings, bins=bins, binning=binning)
        for binning in SENSITIVITY_BINNINGS
        for bins in SENSITIVITY_BINS
    )


def _method(own: TurnsTable, gold: TurnsTable, method: str, spec: RunSpec) -> MethodEvaluation:
    all_rows = own.columns()
    # Confidence and accuracy are compared on the same turns: those that have both.
    columns = scored_rows(all_rows)
    return MethodEvaluation(
        method=method,
        n_rows=len(own),
        n_scored=len(columns.turn),
        failures=_failure_kinds(own),
        gold_failures=_failure_kinds(gold),
        metrics=method_metrics(all_rows, gold.columns(), spec),
        sensitivity=sensitivity(all_rows, spec),
        confidence_by_level=_by_level("confidence", columns, spec),
        accuracy_by_level=_by_level("accuracy", columns, spec),
        reliability=or_empty(
            lambda: metrics.reliability_table(columns.confidence, columns.correct, bins=spec.bins),
            ReliabilityTable(bins=(), n_turns=0),
        ),
        scores=or_empty(
            lambda: metrics.score_distribution(columns.confidence, columns.correct),
            ScoreDistribution(bars=(), n_distinct=0, most_common=(), n_turns=0),
        ),
        label_mass=_label_mass(own),
    )


def _info_ece(
    columns: TurnColumns, settings: Settings, *, bins: int, binning: Binning
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
            **_boot(settings),
        ),
    )


def _by_level(
    name: Literal["accuracy", "confidence"], columns: TurnColumns, spec: RunSpec
) -> Curve:
    values = columns.correct if name == "accuracy" else columns.confidence
    return or_empty(
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


def or_empty(compute: Callable[[], T], empty: T) -> T:
    """What is to be drawn, or an empty drawing where nothing was scored."""
    try:
        return compute()
    except UndefinedMetricError:
        return empty


def _defined(
    name: str, columns: TurnColumns, compute: Callable[[], MetricResult | Undefined]
) -> MetricResult | Undefined:
    """The metric, or the reason why it has no value here."""
    try:
        return compute()
    except UndefinedMetricError as error:
        return Undefined(name=name, reason=str(error), n_turns=len(columns.turn))


class _Boot(TypedDict):
    resamples: int
    seed: int


def _boot(settings: Settings) -> _Boot:
    return {"resamples": settings.resamples, "seed": settings.seed}


def _failure_kinds(table: TurnsTable) -> Mapping[str, int]:
    return table.packed.counts("form", lambda form: form.kind if isinstance(form, Failed) else None)


def _label_mass(table: TurnsTable) -> LabelMass | None:
    read = table.packed.where(
        "form", lambda form: isinstance(form, Scored) and form.path == "logprobs"
    )
    masses = read.where("form", lambda form: form.has_mass).column("label_mass").tolist()
    if not masses:
        return None
    return LabelMass(
        mean=sum(masses) / len(masses),
        lowest=min(masses),
        n_low=sum(mass < LOW_LABEL_MASS for mass in masses),
        n_truncated=len(read.where("form", lambda form: form.truncated)),
        n_turns=len(masses),
    )
