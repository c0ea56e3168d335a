"""What controls on the questions found: wrong answers supplied, and other protocols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.tested import Found, TestedChange, Verdict

ALL_SOURCES = "all"
"""The row over all sources that are judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppliedRow:
    """How one method tells the gold answer from wrong ones of one source.

    Attributes
    ----------
    method, source
        Which; :data:`ALL_SOURCES` for those together that are judged, where there are several.
    auroc
        Chance that a right answer got more confidence than a wrong one; right are the gold answer
        and the own one where it is right, wrong the supplied and the own one where it is wrong.
    gap
        Mean confidence in the gold answer minus that in the wrong ones of the same turn.
    verdict
        ``"passed"``: the gap is significantly above 0; ``"failed"``: it is significantly below, or
        its whole interval is closer to 0 than :attr:`SuppliedEffects.tolerance`; else ``"open"``.
        None for candidates that still fit the hints, which a fair method does not set apart.
    """

    method: str
    source: str
    auroc: Found
    gap: TestedChange
    verdict: Verdict | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppliedEffects:
    """The control of supplied answers.

    Attributes
    ----------
    definition
        Sources, how many, seed.
    rows
        By method and source.
    n_supplied
        Wrong answers supplied, by source.
    n_turns_without
        Turns for which a source had none, by source.
    failures
        Missing confidences in supplied answers, by kind.
    tolerance
        A gap below it counts as nearly the same confidence.
    """

    definition: Mapping[str, str]
    rows: tuple[SuppliedRow, ...]
    n_supplied: Mapping[str, int]
    n_turns_without: Mapping[str, int]
    failures: Mapping[str, int]
    tolerance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRow:
    """How far one method's metrics move under one variant.

    ``differences`` holds variant − base, paired by turn, for ``info_ece``, ``kendall_tau`` and
    ``auroc``; the details hold both values.
    """

    variant: str
    method: str
    differences: Mapping[str, Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two methods whose order under a metric turns around.

    Attributes
    ----------
    metric, variant
        Where.
    better, worse
        The order under the run's own protocol.
    beyond_chance
        Whether both orders hold beyond their paired intervals.
    n_turns
        Turns on which both are compared under the variant.
    """

    metric: str
    variant: str
    better: str
    worse: str
    beyond_chance: bool
    n_turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolEffects:
    """The control of protocol sensitivity.

    Attributes
    ----------
    protocols
        Digest of every variant.
    left_out
        Variants that were not tried because they change nothing here, with the reason.
    rows
        By variant and method; methods that a variant does not change are not in it.
    flips
        Pairs of methods that change places.
    n_pairs
        Pairs of methods compared, over all variants and metrics: those of which a variant changes
        one or both, where the metric is defined under both protocols.
    """

    protocols: Mapping[str, str]
    left_out: Mapping[str, str]
    rows: tuple[VariantRow, ...]
    flips: tuple[Flip, ...]
    n_pairs: int
