"""How a metric on turns is reported."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from turnsure.core.results import Detail, Direction, Interval, MetricResult
from turnsure.numerics.inputs import Kept
from turnsure.numerics.pairs import Tally
from turnsure.numerics.resampling import Clusters

_NONE: Mapping[str, Detail] = MappingProxyType({})


def turn_result(
    name: str,
    value: float,
    *,
    kept: Kept | Tally,
    clusters: Clusters | None,
    interval: Interval | None,
    direction: Direction,
    definition: Mapping[str, Detail] = _NONE,
    details: Mapping[str, Detail] = _NONE,
) -> MetricResult:
    """A number computed on the rows that count, with the interval over their dialogues."""
    return MetricResult(
        name=name,
        value=float(value),
        interval=interval,
        n_turns=kept.n,
        n_dialogues=None if clusters is None else clusters.n,
        n_failed=kept.n_failed,
        direction=direction,
        definition=definition,
        details=details,
    )
