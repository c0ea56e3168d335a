"""What a turns table is worth: the numbers that the report draws and ``metrics.json`` holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from turnsure.core.closed_world import ClosedWorld
from turnsure.core.controls import ControlEffects
from turnsure.core.dialogue import Dialogue
from turnsure.core.results import Curve, MetricResult, ReliabilityTable, Undefined
from turnsure.core.sample_savings import SampleSavings
from turnsure.core.turns import TurnsTable


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCount:
    """One bar of a score distribution: rows with a confidence in [lower, upper]."""

    lower: float
    upper: float
    n: int
    n_correct: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDistribution:
    """How a method's raw scores are spread.

    Attributes
    ----------
    bars
        Fifty bars of equal width over [0, 1], empty ones included.
    n_distinct
        How many different values occur; few mean coarse buckets, not fine probabilities.
    most_common
        Up to five (value, count) pairs, most frequent first.
    n_turns
        Scored turns behind it.
    """

    bars: tuple[ScoreCount, ...]
    n_distinct: int
    most_common: tuple[tuple[float, int], ...]
    n_turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelMass:
    """How well a model kept to the labels of a probe, over the scored turns.

    Attributes
    ----------
    mean, lowest
        Of the probability on all labels together, in [0, 1].
    n_low
        Turns with less than half of the probability on the labels.
    n_truncated
        Turns where a label was outside the listed top tokens.
    n_turns
        Turns read from log-probabilities.
    """

    mean: float
    lowest: float
    n_low: int
    n_truncated: int
    n_turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodEvaluation:
    """Everything about one method.

    Attributes
    ----------
    method
        Its name.
    n_rows, n_scored
        Turns asked, and turns with both a confidence and a graded answer.
    failures
        Count by kind for the model's own answers.
    gold_failures
        Count by kind for the gold target.
    metrics
        By name: ``info_ece``, ``kendall_tau``, ``kendall_tau_gold``, ``ece``, ``smooth_ece``,
        ``brier``, ``auroc``, ``mean_confidence``.
    sensitivity
        InfoECE for each number of bins and binning (in ``definition``).
    confidence_by_level, accuracy_by_level
        Means over the turns this method scored; x is the upper edge of the information-level bin.
    reliability, scores
        For the reliability diagram and the distribution of raw scores.
    label_mass
        For probes read from log-probabilities, else None.
    """

    method: str
    n_rows: int
    n_scored: int
    failures: Mapping[str, int]
    gold_failures: Mapping[str, int]
    metrics: Mapping[str, MetricResult | Undefined]
    sensitivity: tuple[MetricResult | Undefined, ...]
    confidence_by_level: Curve
    accuracy_by_level: Curve
    reliability: ReliabilityTable
    scores: ScoreDistribution
    label_mass: LabelMass | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What the model was made to do for one method or step, or for all.

    Attributes
    ----------
    tag
        The method or step; ``"all"`` for the whole run.
    n_sent
        Requests that the model answered.
    prompt_tokens, evaluated_tokens
        As sent, and how many of them the back-end evaluated (all, where it tells nothing of a
        cache).
    distinct_tokens
        Nodes of the tree of all prompts, the least that any schedule can evaluate; None where the
        back-end does not tell.  A step's are those that no earlier step had asked for.
    completion_tokens, n_uncounted
        Of the replies that were counted, and the replies that were not.
    seconds
        As measured by the back-end or the client.
    """

    tag: str
    n_sent: int
    prompt_tokens: int
    evaluated_tokens: int
    distinct_tokens: int | None
    completion_tokens: int
    n_uncounted: int
    seconds: float

    @property
    def waste(self) -> float | None:
        """Evaluated for every distinct prompt token, 1 at best; None where it is not known."""
        return self.evaluated_tokens / self.distinct_tokens if self.distinct_tokens else None

    @property
    def saving(self) -> float | None:
        """Sent for every evaluated prompt token, 1 without any re-use; None without a prompt."""
        return self.prompt_tokens / self.evaluated_tokens if self.evaluated_tokens else None

    @property
    def mean_completion(self) -> float | None:
        """Decoded tokens of a counted reply, all of its samples together; None without a reply."""
        n_counted = self.n_sent - self.n_uncounted
        return self.completion_tokens / n_counted if n_counted else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """What a run's results cost: every different request once, whichever session asked it.

    Distinct tokens are counted by session: what a later one had to evaluate anew is new to it.

    Attributes
    ----------
    whole
        All of them.
    by_tag
        By method or step, in alphabetical order.
    """

    whole: Spending
    by_tag: tuple[Spending, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCost:
    """What a run asked for, as far as the back-end reports tokens.

    Attributes
    ----------
    n_requests, n_from_store, n_failed
        Requests of the flows; of these answered by the store, and given up.
    whole
        What was spent on those that were sent in this session.
    ledger
        What was spent on all, those of earlier sessions included.
    """

    n_requests: int
    n_from_store: int
    n_failed: int
    whole: Spending
    ledger: Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """The numbers of one run.

    Attributes
    ----------
    model, data, protocol
        Names as the user gave them, and the protocol digest.
    n_dialogues, n_turns
        Size of the data.
    accuracy
        Share of right answers over the graded turns, with its interval.
    accuracy_by_level
        The same by information level.
    ungraded
        Turns without a graded answer, by reason.
    rules
        How many answers each matching rule accepted or refused.
    methods
        In the order of the run.
    controls
        What the controls found.
    closed_world
        What the dialogues with candidates say; None when there are none.
    sample_savings
        What adaptive self-consistency saved; None unless it ran beside self-consistency.
    cost
        None when the table did not come from a run.
    """

    model: str
    data: str
    protocol: str
    n_dialogues: int
    n_turns: int
    accuracy: MetricResult | Undefined
    accuracy_by_level: Curve
    ungraded: Mapping[str, int]
    rules: Mapping[str, int]
    methods: tuple[MethodEvaluation, ...]
    controls: ControlEffects = field(default_factory=ControlEffects)
    closed_world: ClosedWorld | None = None
    sample_savings: SampleSavings | None = None
    cost: RunCost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """What a report is drawn from.

    Attributes
    ----------
    evaluation
        The numbers.
    dialogues
        The dialogues, for the transcripts.
    table
        The plain rows, for transcripts and trajectories.
    controlled
        The rows of the controls, for the texts that they showed.
    facts
        (label, value) pairs for the page's foot: versions, seeds, settings.
    created
        Time stamp as text.
    """

    evaluation: Evaluation
    dialogues: tuple[Dialogue, ...]
    table: TurnsTable
    controlled: TurnsTable = field(default_factory=lambda: TurnsTable(()))
    facts: tuple[tuple[str, str], ...] = ()
    created: str = ""
