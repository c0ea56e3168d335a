"""What a run found on dialogues whose remaining candidates are known at every turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from turnsure.core.confidence import Target
from turnsure.core.results import Curve
from turnsure.core.tested import Found, TestedChange, Verdict

Ideal = Literal["candidate", "identified"]
"""What a perfect reasoner says of an answer under a method: ``"candidate"``, 1/n where it is one of
the n candidates that fit the hints; ``"identified"``, 1 where it is the only one; else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IdealRow:
    """How far one method's confidence in one answer is from the ideal.

    Attributes
    ----------
    method, target
        Whose confidence, in which answer.
    ideal
        Which ideal fits what the method asks.
    distance, bias
        Mean of |confidence − ideal| and of confidence − ideal over the turns that have both; the
        details hold both means.
    confidence_by_level, ideal_by_level, distance_by_level
        Means by information level over the same turns.
    n_unnamed
        Of these turns, those whose answer names no candidate; its ideal is 0.
    """

    method: str
    target: Target
    ideal: Ideal
    distance: Found
    bias: Found
    confidence_by_level: Curve
    ideal_by_level: Curve
    distance_by_level: Curve
    n_unnamed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentificationRow:
    """One method's confidence in one answer against whether the answer is identified.

    Attributes
    ----------
    method, target
        Whose confidence, in which answer.
    ideal
        Which ideal fits what the method asks; only one of ``"identified"`` can match these labels.
    metrics
        ``info_ece``, ``brier`` and ``auroc`` with "one candidate remains" in the place of "the
        answer is right", and ``kendall_tau``, which needs neither.
    """

    method: str
    target: Target
    ideal: Ideal
    metrics: Mapping[str, Found]


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionRow:
    """What one method's confidence in the own answer does when a correction widens the candidates.

    Attributes
    ----------
    method
        Its name.
    change
        From the turn before the correction to the turn of the correction, over the turns that have
        both confidences.
    falling
        Share of these turns at which it fell; the details count turns and dialogues.
    ideal
        Change at the same turns of the ideal for an answer that fits both times.
    verdict
        ``"passed"``: it falls significantly; ``"failed"``: it rises significantly, or its interval
        lies within :attr:`ClosedWorld.tolerance` of 0 while the ideal falls by more; else
        ``"open"``.  A change whose interval lies within the tolerance counts as no rise, and as a
        fall only where the ideal does not fall by more.
    """

    method: str
    change: TestedChange
    falling: Found
    ideal: Found
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedWorld:
    """Everything that is measured against known candidates.

    Attributes
    ----------
    n_dialogues, n_without
        Dialogues with candidates, and those without, of which nothing here says anything.
    n_turns, n_identified
        Turns of the former, and at how many of them one candidate remains.
    n_ungraded
        Turns without an answer, or with one that could not be graded and so has no ideal.
    n_unnamed
        Turns whose answer names no candidate.
    n_corrections, n_corrected
        Turns at which more candidates remain than at the turn before, and dialogues with one.
    ideals, identification
        By target and method.
    corrections
        By method; empty where no correction widens anything.
    tolerance
        A distance, bias or change below it counts as none.
    """

    n_dialogues: int
    n_without: int
    n_turns: int
    n_identified: int
    n_ungraded: int
    n_unnamed: int
    n_corrections: int
    n_corrected: int
    ideals: tuple[IdealRow, ...]
    identification: tuple[IdentificationRow, ...]
    corrections: tuple[CorrectionRow, ...]
    tolerance: float
