"""What is known of a gate after new rows, with the verdict: computed elsewhere, drawn elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsure.calibration.drift.changes import Change
from turnsure.calibration.drift.gap import GapTest
from turnsure.calibration.drift.monitor import Monitor
from turnsure.calibration.drift.recalibration import Recalibration
from turnsure.calibration.drift.shift import Shift
from turnsure.core.results import Interval, Undefined

DriftVerdict = Literal["ok", "recalibrate", "stop"]

ProtocolState = Literal["same", "differs", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredError:
    """Wrong ones among the answers that the gate gives.

    Attributes
    ----------
    unit
        ``"dialogue"``: the first answer of each dialogue; ``"row"``: every answer.
    n, n_wrong
        Labelled answers.
    target
        The share that may be wrong, None where none is said.
    interval
        Of the share: exact for independent answers, bootstrapped over dialogues for others.
    p_value
        One-sided, of "at most the target"; exact likewise, else Student's t on dialogues.
    monitor
        The same, watched answer by answer; None without a target.
    alarm_line
        Where the row of the alarm stands in the file, in words.
    """

    unit: Literal["row", "dialogue"]
    n: int
    n_wrong: int
    target: float | None
    interval: Interval | None
    p_value: float | None
    monitor: Monitor | None
    alarm_line: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftSlice:
    """Labelled rows with one value of a slice; the gap is accuracy − mean probability."""

    name: str
    value: str
    n: int
    n_dialogues: int
    accuracy: float
    probability: float
    gap: float
    p_value: float | None
    p_holm: float | None
    flagged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledDrift:
    """What labels say.

    Attributes
    ----------
    n, n_dialogues
        Rows with score and label.
    gap, line
        Calibration in the large, and the recalibration line or why there is none.
    changes
        Gap, ECE, Brier score and log loss of the calibrated probability, against the evidence.
    monitor, alarm_line
        Of the gap, unit by unit, and where the row of its alarm stands in the file, in words.
    answered
        Errors among the answers; None where nothing is answered.
    slices
        Those with enough rows.
    n_small
        Values of slices with fewer.
    """

    n: int
    n_dialogues: int
    gap: GapTest
    line: Recalibration | Undefined
    changes: tuple[Change, ...]
    monitor: Monitor
    alarm_line: str | None
    answered: AnsweredError | None
    slices: tuple[DriftSlice, ...]
    n_small: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictTest:
    """A test that the verdict is made of, its p-values, and what the corrected one is held to."""

    name: str
    p_value: float
    p_holm: float
    limit: float

    @property
    def rejects(self) -> bool:
        """Whether the corrected p-value is at most the limit."""
        return self.p_holm <= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsNeeded:
    """How many labels notice a drop.

    Attributes
    ----------
    drop, power, alpha
        By how much the accuracy is below the probability, the probability of noticing it, and the
        level of the test.
    rows
        Labelled rows for the test of the gap; None where nothing can drop.
    answers
        Labelled answers for the test of the error target; None without a target, and for a drop
        that no data could show.
    design_effect
        By which rows are inflated, since rows of one dialogue are alike.
    seen
        The smallest drop that the labels at hand notice; None where there are none or too few.
    """

    drop: float
    power: float
    alpha: float
    rows: int | None
    answers: int | None
    design_effect: float
    seen: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftReport:
    """All of it.

    Attributes
    ----------
    verdict, reasons
        What to do, and why, a sentence an item.
    gate, method, source
        Digest of the gate, its method, and the new rows as the user named them.
    alpha, level
        Of all tests together, and of intervals.
    stream
        Whether the monitors decide.
    n_rows, n_no_score, n_no_label
        New rows, and those without score or label.
    protocol, differences
        Whether the protocol is that of the gate, and what differs.
    labels
        None where no row has a label.
    tests
        Those that the verdict is made of.
    shift, shares
        Scores against those of the evidence, None where the gate keeps none; and the actions.
    needed
        How many labels it takes.
    notes
        What a reader must know, a sentence an item.
    """

    verdict: DriftVerdict
    reasons: tuple[str, ...]
    gate: str
    method: str
    source: str
    alpha: float
    level: float
    stream: bool
    n_rows: int
    n_no_score: int
    n_no_label: int
    protocol: ProtocolState
    differences: tuple[str, ...]
    labels: LabelledDrift | None
    tests: tuple[VerdictTest, ...]
    shift: Shift | None
    shares: tuple[Change, ...]
    needed: LabelsNeeded
    notes: tuple[str, ...]
