"""What a reader of a drift report must know besides its numbers."""

from __future__ import annotations

import numpy as np

from turnsure.calibration.drift.findings import LabelledDrift, ProtocolState
from turnsure.calibration.gate_file import GateFile
from turnsure.experiment.calibrating.columns import MISSING
from turnsure.experiment.watching.reference import Reference
from turnsure.experiment.watching.rows import WatchedRows
from turnsure.experiment.watching.settings import WatchSettings


def watch_notes(
    gate: GateFile,
    rows: WatchedRows,
    reference: Reference,
    state: ProtocolState,
    labels: LabelledDrift | None,
    n_shared: int,
    settings: WatchSettings,
) -> list[str]:
    """A sentence an item.

    Parameters
    ----------
    gate, rows, reference
        The gate, the new rows, and what the gate keeps of its evidence.
    state
        Whether the protocol is the same.
    labels
        What labels say, None where there are none.
    n_shared
        Dialogues that the gate was built on.
    settings
        What was asked for.
    """
    notes: list[str] = []
    if n_shared:
        notes.append(
            f"In-sample: {n_shared:,} dialogues are named like ones that the gate was built on."
        )
    if state == "unknown":
        whose = "the gate's" if gate.protocol is None else "the new"
        notes.append(
            f"Nothing says under which protocol {whose} scores were made: that it is the same one "
            "has to be known from elsewhere."
        )
    if reference.scores is None:
        notes.append(
            "The gate keeps no distribution of its scores, so that a shift cannot be told; build "
            "it anew to keep one."
        )
    if gate.rule.answer_at is None:
        notes.append("This gate never answers, so that there are no answers to be judged.")
    if rows.n_no_score:
        notes.append(f"{rows.n_no_score:,} rows have no score; the gate escalates these.")
    notes += _unseen(gate, rows)
    if labels is not None and not settings.stream and labels.monitor.alarm is not None:
        notes.append(
            f"The monitor of the gap raised an alarm at {labels.alarm_line}; it decides with "
            "--stream only."
        )
    return notes


def _unseen(gate: GateFile, rows: WatchedRows) -> list[str]:
    """Values of slices that the evidence does not have."""
    found: list[str] = []
    for name, column in rows.slices.items():
        known = gate.validity.slices.get(name)
        if known is None:
            continue
        codes: list[int] = np.unique(column.codes[column.codes != MISSING]).tolist()
        present = [column.names[code] for code in codes]
        new = [value for value in present if value not in known]
        if new:
            found.append(f"{name} {', '.join(map(repr, new[:3]))}: not among what was measured.")
    return found
