"""Thresholds that were chosen: the rule, what is promised of it, and on what evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.core.decision import DecisionRule
from turnsure.core.results import Interval, MetricResult, Undefined

Unit = Literal["row", "one_row", "dialogue"]
"""What a guarantee counts.

``"row"``: every row, declared independent of all others.  ``"one_row"``: one row of each dialogue,
drawn with a seed.  ``"dialogue"``: the dialogue, answered at its first turn at or above the
threshold."""

RiskMethod = Literal["fixed_sequence", "bonferroni", "conformal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdEvidence:
    """What happens on the labelled data at one threshold.

    Attributes
    ----------
    threshold
        Answered is what scores at or above it.
    n
        Units, answered or not.
    n_answered, n_wrong
        Units answered, and those of them answered wrongly.
    upper_bound
        One-sided exact (Clopper–Pearson) bound on the error among the answered, at ``confidence``,
        for a threshold that was fixed beforehand; 1 when nothing is answered.
    p_value
        P(Binomial(n_answered, target error) ≤ n_wrong); None where there is no target error.
    confidence
        Of the bound, in (0, 1).
    """

    threshold: float
    n: int
    n_answered: int
    n_wrong: int
    upper_bound: float
    p_value: float | None = None
    confidence: float

    @property
    def coverage(self) -> float:
        """Share of the units that are answered."""
        return self.n_answered / self.n

    @property
    def error(self) -> float | None:
        """Share of the answered that is wrong; None when nothing is answered."""
        return self.n_wrong / self.n_answered if self.n_answered else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConformalEvidence:
    """What conformal risk control finds.

    Attributes
    ----------
    infimum
        λ̂ = inf{λ : (n R̂(λ) + 1) / (n + 1) ≤ α} over the thresholds that may be chosen; 0 when all
        of [0, 1] may be, None when the set is empty, which it is when n < 1/α − 1.
    threshold
        Where answering begins: the lowest candidate that meets the bound.  Where λ̂ is a score, this
        is the next one above, since a unit that scores λ̂ itself would be answered and break the
        bound.  None when no unit of the data would be answered.
    n, n_wrong
        Units, and the loss n R̂ at ``threshold`` (0 where that is None).
    """

    infimum: float | None
    threshold: float | None
    n: int
    n_wrong: int

    @property
    def corrected_risk(self) -> float:
        """(n R̂ + 1) / (n + 1) at the threshold."""
        return (self.n_wrong + 1) / (self.n + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsNeeded:
    """How many labels would do, when those at hand do not.

    Attributes
    ----------
    n_more
        Further labelled units; None when no number would do, or more than anybody labels.
    reason
        A sentence: at what error and coverage this was computed, or why no number would do.
    """

    n_more: int | None
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdStability:
    """How the chosen threshold moves when dialogues are drawn anew.

    Attributes
    ----------
    n_resamples
        Resamples of the dialogues.
    n_none
        Resamples in which no threshold met the target.
    interval
        Percentile interval of the threshold over the others; None when there are none.
    median
        Over the same.
    distribution
        (threshold, resamples that chose it), rising; of at most 256 thresholds.
    """

    n_resamples: int
    n_none: int
    interval: Interval | None
    median: float | None
    distribution: tuple[tuple[float, int], ...]

    @property
    def share_none(self) -> float:
        """Share of the resamples without a threshold."""
        return self.n_none / self.n_resamples


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCost:
    """A rule and what it costs on the labelled rows.

    Attributes
    ----------
    rule
        The rule.
    mean_cost
        Cost a row, in the unit in which costs were given.
    n_answered, n_asked, n_otherwise
        Rows that lead to each action.
    n_rows
        Rows.
    """

    rule: DecisionRule
    mean_cost: float
    n_answered: int
    n_asked: int
    n_otherwise: int
    n_rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdChoice:
    """A rule, or the honest answer that there is none.

    Attributes
    ----------
    rule
        What to do; its ``answer_at`` is None when nothing may be answered.
    method
        ``"costs"``, or how the risk target was met.
    unit
        What n counts.
    guarantee
        What is promised, a sentence; None when nothing is.
    assumptions
        What the promise rests on, a sentence an item.
    reason
        Why nothing may be answered; None when something may.
    needed
        How many more labels would do; None when a threshold was found, or with costs alone.
    n_units, n_dialogues, n_rows
        Size of the labelled data.
    evidence
        At the chosen threshold; None when there is none.
    naive
        At the lowest threshold whose error in the sample meets the target, for comparison: it
        promises nothing; None when there is none, and with costs alone.
    conformal
        For ``"conformal"``, else None.
    stability
        Of the threshold that the target asks for, or that is cheapest in the sample; None when it
        was not asked for.
    by_costs, cheapest
        With costs: the rule that is optimal if the probabilities are calibrated, and the rule that
        is cheapest in the sample.
    """

    rule: DecisionRule
    method: RiskMethod | Literal["costs"]
    unit: Unit
    guarantee: str | None
    assumptions: tuple[str, ...]
    reason: str | None
    needed: LabelsNeeded | None
    n_units: int
    n_dialogues: int
    n_rows: int
    evidence: ThresholdEvidence | None
    naive: ThresholdEvidence | None
    stability: ThresholdStability | None
    conformal: ConformalEvidence | None = None
    by_costs: RuleCost | None = None
    cheapest: RuleCost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyResult:
    """What a way of deciding when to answer would have done with recorded dialogues.

    Attributes
    ----------
    name
        Of the policy, for people.
    n_dialogues
        Dialogues replayed.
    n_answered, n_right
        Dialogues that got an answer, and a right one.
    accuracy
        n_right / n_answered with its Clopper–Pearson interval: a dialogue gets one answer at most,
        so that dialogues are the trials.
    right
        n_right / n_dialogues, likewise.
    questions
        Mean number of questions asked a dialogue: hints taken beyond the first; with a bootstrap
        interval over dialogues.
    n_early_wrong
        Dialogues answered wrongly though the answer at a later turn is right.
    n_before_identified
        Dialogues answered before the hints leave one candidate only; None where that is not known.
    """

    name: str
    n_dialogues: int
    n_answered: int
    n_right: int
    accuracy: MetricResult | Undefined
    right: MetricResult
    questions: MetricResult
    n_early_wrong: int
    n_before_identified: int | None = None

    @property
    def n_never(self) -> int:
        """Dialogues that got no answer: escalated, abstained, or without the turn asked for."""
        return self.n_dialogues - self.n_answered
