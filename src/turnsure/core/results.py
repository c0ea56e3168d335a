"""What metrics return.  No number travels without its n, its direction and its definition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Direction = Literal["lower", "higher", "none"]
Detail = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided interval.

    Attributes
    ----------
    low, high
        The bounds.
    level
        Nominal coverage, for example 0.95.
    method
        ``"cluster_bootstrap"``, ``"wilson"`` or ``"clopper_pearson"``.
    n_resamples
        For the bootstrap: how many resamples had a defined value.
    """

    low: float
    high: float
    level: float = 0.95
    method: str
    n_resamples: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """One number and everything needed to quote it.

    Attributes
    ----------
    name
        The metric, for example ``"info_ece"``.
    value
        The number; fractions, never percent.
    interval
        Dialogue-clustered bootstrap interval where dialogues were given, else None.
    n_turns
        Scored turns behind the value.
    n_dialogues
        Dialogues behind the value, None where no dialogues were given.
    n_failed
        Rows left out because the confidence or the outcome is missing.
    direction
        Whether lower or higher is better.
    definition
        Bins, binning, closure, norm, clip: whatever decides equality with other tools.
    details
        Further counts, for example ``n_empty_bins``.
    """

    name: str
    value: float
    interval: Interval | None = None
    n_turns: int
    n_dialogues: int | None = None
    n_failed: int = 0
    direction: Direction
    definition: Mapping[str, Detail] = field(default_factory=dict[str, Detail])
    details: Mapping[str, Detail] = field(default_factory=dict[str, Detail])

    def __float__(self) -> float:
        return self.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Undefined:
    """A metric that has no value here, with the reason.  Takes the place of a MetricResult."""

    name: str
    reason: str
    n_turns: int = 0
    n_failed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """One point of a curve; ``n`` rows stand behind it, ``None`` bounds mean no interval."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None
    n: int
    threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Points that a report draws; computed by metrics, never by the report."""

    name: str
    x_label: str
    y_label: str
    points: tuple[CurvePoint, ...]
    n_turns: int
    n_failed: int = 0
    definition: Mapping[str, Detail] = field(default_factory=dict[str, Detail])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """One row of a reliability table.  ``gap`` is accuracy − mean confidence."""

    lower: float
    upper: float
    n: int
    mean_confidence: float | None
    accuracy: float | None
    gap: float | None
    accuracy_interval: Interval | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityTable:
    """Reliability by bins of confidence.  Empty bins are kept, with n = 0 and None for means."""

    bins: tuple[ReliabilityBin, ...]
    n_turns: int
    n_failed: int = 0
    definition: Mapping[str, Detail] = field(default_factory=dict[str, Detail])


@dataclass(frozen=True, slots=True, kw_only=True)
class BrierDecomposition:
    """Murphy's decomposition: ``brier = reliability − resolution + uncertainty + within_group``.

    Attributes
    ----------
    reliability
        Weighted squared distance between group mean confidence and group accuracy; lower is better.
    resolution
        Weighted squared distance between group accuracy and the base rate; higher is better.
    uncertainty
        Base rate × (1 − base rate); a property of the data.
    within_group
        What binning leaves over (within-bin variance minus twice the within-bin covariance);
        0 when groups are single confidence values.
    brier
        The Brier score of the same rows.
    by
        ``"value"``, ``"bins"`` or ``"isotonic"``.
    """

    reliability: float
    resolution: float
    uncertainty: float
    within_group: float
    brier: float
    by: str
    n_turns: int
    n_failed: int = 0
    definition: Mapping[str, Detail] = field(default_factory=dict[str, Detail])
