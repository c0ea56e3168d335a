"""What is known of a column of scores with labels: what is computed and then drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from turnsure.core.calibrated import MapComparison
from turnsure.core.chosen import ThresholdChoice
from turnsure.core.evaluation import ScoreDistribution
from turnsure.core.results import (
    BrierDecomposition,
    Curve,
    Interval,
    MetricResult,
    ReliabilityTable,
    Undefined,
)
from turnsure.core.signal_cost import SignalCost
from turnsure.core.slices import SliceTable
from turnsure.core.tested import Found, Verdict

BaselineName = Literal["base_rate", "half", "uniform_guess"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A Brier score that costs nothing, and how the scores do against it on the same rows.

    Attributes
    ----------
    name
        ``"base_rate"``: the share of right answers, predicted for every row; its Brier score is the
        uncertainty of the decomposition.  ``"half"``: ½ for every row.  ``"uniform_guess"``: a
        guess among K options that knows that it is right once in K, (K − 1)/K².
    brier
        Of the baseline.
    difference
        Brier score of the scores − that of the baseline; below 0 the scores are better.
    verdict
        ``"passed"`` when the whole interval is below 0, ``"failed"`` when it is above; always
        ``"open"`` with fewer than six dialogues, whose intervals cover too little.
    """

    name: BaselineName
    brier: float
    difference: MetricResult
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdPoint:
    """What is answered, and how well, when rows with ``score >= threshold`` are.

    Attributes
    ----------
    threshold
        In [0, 1].
    n, n_accepted, n_right
        All rows, those that are answered, and those of them that are right.
    coverage
        n_accepted / n.
    accuracy
        n_right / n_accepted; None when nothing is answered.
    coverage_interval, accuracy_interval
        Clopper–Pearson where every row is a dialogue of its own, else a cluster bootstrap; None
        where there is none.
    """

    threshold: float
    n: int
    n_accepted: int
    n_right: int
    coverage: float
    accuracy: float | None
    coverage_interval: Interval | None
    accuracy_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBucket:
    """All rows with one score.  ``gap`` is accuracy − score."""

    score: float
    n: int
    n_right: int
    accuracy: float
    gap: float
    accuracy_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Granularity:
    """How fine the scores are.

    Attributes
    ----------
    n_distinct
        Different scores.
    is_coarse
        Whether they are buckets rather than a scale: few different ones, or few that hold most of
        the rows.
    buckets
        The scores that occur most, lowest first; all of them where they are few.
    n_in_buckets, n
        Rows with one of these scores, and all rows.
    """

    n_distinct: int
    is_coarse: bool
    buckets: tuple[ScoreBucket, ...]
    n_in_buckets: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresCalibration:
    """Everything about the scores of one method of one model.

    Attributes
    ----------
    model, method
        Names; the model is None where no row names one.
    n_rows, n_scored, n_no_score, n_no_label
        Rows given, those with score and label, and those that lack the one or the other (which may
        be both).
    n_dialogues
        Of the scored rows.
    resamples
        Of the bootstrap, fewer than asked for where there are very many rows.
    accuracy, mean_confidence, gap
        Over the scored rows; the gap is accuracy − mean confidence.
    brier, log_loss, smooth_ece
        Of the scores.
    decompositions
        Of the Brier score by distinct value, by bins and isotonic.
    baselines
        What the Brier score must beat.
    errors
        ECE with bins of either kind and every norm, debiased too.
    reliability
        By bins of equal width.
    auroc, average_precision, aurc
        Discrimination, which no calibration map changes much.
    risk_coverage
        One point a distinct score, or a thousand of them where there are more.
    thresholds, granularity, scores
        See there.
    slices
        By column, by turn and by information level.
    costs
        Mean cost of a row, by the column that says it.
    maps, choice
        What the calibration maps bring and which threshold meets the costs or the target; None
        where that was not asked for.
    choice_map
        The map whose probabilities the threshold is on, None for the score itself.
    """

    model: str | None
    method: str
    n_rows: int
    n_scored: int
    n_no_score: int
    n_no_label: int
    n_dialogues: int
    resamples: int
    accuracy: Found
    mean_confidence: Found
    gap: Found
    brier: Found
    log_loss: Found
    decompositions: tuple[BrierDecomposition, ...]
    baselines: tuple[Baseline, ...]
    errors: tuple[Found, ...]
    smooth_ece: Found
    reliability: ReliabilityTable
    auroc: Found
    average_precision: Found
    aurc: Found
    risk_coverage: Curve
    thresholds: tuple[ThresholdPoint, ...]
    granularity: Granularity
    scores: ScoreDistribution
    slices: tuple[SliceTable, ...] = ()
    costs: Mapping[str, float] = field(default_factory=dict[str, float])
    maps: MapComparison | Undefined | None = None
    choice: ThresholdChoice | Undefined | None = None
    choice_map: str | None = None

    @property
    def name(self) -> str:
        """Model and method in one."""
        return self.method if self.model is None else f"{self.model}: {self.method}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationEvaluation:
    """What ``turnsure calibrate`` found.

    Attributes
    ----------
    source
        The file or folder, as the user named it.
    taken
        Role to the columns taken for it, slices included.
    settings
        Bins, resamples, seed and whatever else decides the numbers.
    n_rows
        Rows of the file, those that were left out included.
    groups
        A method of a model each, in order of first appearance; those without a scored row stand in
        ``empty``.
    empty
        Why a group has no numbers.
    cost
        Of the signals of a run; None for a file.
    notes
        What a reader must know, a sentence an item.
    """

    source: str
    taken: Mapping[str, tuple[str, ...]]
    settings: Mapping[str, Any]
    n_rows: int
    groups: tuple[ScoresCalibration, ...]
    empty: tuple[Undefined, ...] = ()
    cost: SignalCost | Undefined | None = None
    notes: tuple[str, ...] = field(default=())
