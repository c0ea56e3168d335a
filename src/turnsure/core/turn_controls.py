"""What controls on the turns found: placebo hints, and all hints told at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from turnsure.core.confidence import Target
from turnsure.core.tested import Found, TestedChange, Verdict

Diagnosis = Literal["information", "turns", "mixed", "neither", "against", "open"]
"""What a confidence follows: information; the number of turns; both; neither; it falls on
information; or undecided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceboRow:
    """One method and target under the three states.

    Attributes
    ----------
    method, target
        Whose confidence, in which answer.
    before, after_information, after_placebo
        Mean confidence in each state over the turns that have all three, dialogues weighing the
        same; None where there is no such turn.
    information, placebo
        Change from before to each of the other states.
    separation
        Change on information minus change on the placebo.
    diagnosis
        ``"turns"`` or ``"mixed"``: the placebo raises confidence significantly, and information
        does no more, or still more; ``"information"``: the placebo does not, and the separation is
        significantly above 0 while information does not lower it; ``"neither"``: the separation's
        interval lies within :attr:`PlaceboEffects.tolerance` of 0; ``"against"``: it is
        significantly below 0; else ``"open"``.  A rise or a separation whose interval lies within
        the tolerance counts as none.
    """

    method: str
    target: Target
    before: float | None
    after_information: float | None
    after_placebo: float | None
    information: TestedChange
    placebo: TestedChange
    separation: TestedChange
    diagnosis: Diagnosis

    @property
    def verdict(self) -> Verdict:
        """Passed when confidence follows information and nothing else."""
        if self.diagnosis == "open":
            return "open"
        return "passed" if self.diagnosis == "information" else "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceboEffects:
    """The control of placebo turns.

    Attributes
    ----------
    definition
        Pools, turns and seed.
    rows
        By target and method.
    accuracy_before, accuracy_information, accuracy_placebo
        Mean accuracy in the three states over the turns graded in all of them, dialogues weighing
        the same; None without any.
    n_accuracy
        Turns behind these.
    n_tests
        Changes tested on information, and as many on placebos.
    n_significant_information, n_significant_placebo
        How many of these are significant after Holm's correction over all of them.
    n_uncorrected_information, n_uncorrected_placebo
        How many have an uncorrected p-value below the level.
    n_tested, n_first_turns, n_untested
        Turns tested; first turns, which have no state before; other turns that were not chosen.
    failures
        Turns without a placebo state, by reason.
    tolerance
        A separation below it counts as none.
    """

    definition: Mapping[str, str]
    rows: tuple[PlaceboRow, ...]
    accuracy_before: float | None
    accuracy_information: float | None
    accuracy_placebo: float | None
    n_accuracy: int
    n_tests: int
    n_significant_information: int
    n_significant_placebo: int
    n_uncorrected_information: int
    n_uncorrected_placebo: int
    n_tested: int
    n_first_turns: int
    n_untested: int
    failures: Mapping[str, int]
    tolerance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatRow:
    """One method under the turns and under one single-turn format.

    Attributes
    ----------
    method
        Its name.
    confidence
        Change of the confidence in the own answer from turns to format.
    info_ece, kendall_tau
        Difference format − turns, paired by turn; the details hold both values.
    verdict
        ``"passed"``: the change's interval lies within :attr:`FormatEffects.tolerance` of 0;
        ``"failed"``: it does not, and the change is significant; else ``"open"``.
    """

    method: str
    confidence: TestedChange
    info_ece: Found
    kendall_tau: Found
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatEffects:
    """One single-turn format against the turns.

    Attributes
    ----------
    condition
        ``"summary"``, made by a summariser, or ``"joined"``, the hints as they stand.
    rows
        By method.
    accuracy
        Change from turns to format, dialogues weighing the same; its details hold both means.
    n_states, n_measured
        Turns asked for, and those that were measured.
    n_flagged
        Summaries in which the guard found a problem, whether measured or not.
    problems
        Summaries with each kind of problem that the guard found, whether measured or not.
    failures
        Turns without a measured state, by reason.
    tolerance
        The move in confidence below which a format counts as making no difference.
    """

    condition: str
    rows: tuple[FormatRow, ...]
    accuracy: Found
    n_states: int
    n_measured: int
    n_flagged: int
    problems: Mapping[str, int]
    failures: Mapping[str, int]
    tolerance: float
