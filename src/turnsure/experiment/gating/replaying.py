"""A run replayed under a gate: what it would have answered, asked and missed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from turnsure.calibration.gate_file import GateFile
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.chosen import PolicyResult
from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError, LeakageError
from turnsure.core.results import Curve
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.experiment.calibrating.policies import AtEnd, compare_policies, policy_curve
from turnsure.experiment.gating.judge import gate_map
from turnsure.experiment.gating.protocol import differences, refuse
from turnsure.experiment.gating.sources import Source, id_key, read_scores_source, run_source
from turnsure.experiment.run_folder import RunFolder
from turnsure.numerics.arrays import BoolArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What came out.

    Attributes
    ----------
    gate, source
        Digest of the gate and name of the run.
    in_sample
        Whether dialogues are among those that the gate was built on, so that it looks better than
        it is.
    policies
        The gate first, then those that it is compared with.
    curve
        Accuracy of the answers given against questions asked, over all thresholds.
    notes
        What a reader must know, a sentence an item.
    """

    gate: str
    source: str
    in_sample: bool
    policies: tuple[PolicyResult, ...]
    curve: Curve
    notes: tuple[str, ...]


def replay_gate(
    gate: GateFile,
    path: Path,
    *,
    in_sample: bool = False,
    accept: Collection[str] = (),
    at_end: AtEnd = "rule",
    resamples: int = 2000,
    seed: int = 0,
) -> Replay:
    """Replay the dialogues of a run, or of a file of scores, turn by turn.

    Parameters
    ----------
    gate
        The gate.
    path
        A run's folder; for a gate that was built from a file of scores, also such a file.
    in_sample
        Go on with dialogues that the gate was built on, and mark it.
    accept
        Places of the protocol that may differ.
    at_end
        What happens at the last turn: ``"rule"`` or ``"answer"``.
    resamples, seed
        Of the intervals.

    Raises
    ------
    LeakageError
        A dialogue was used to build the gate.
    ProtocolMismatchError
        The run was measured under another protocol than the gate.
    InputError
        The file does not fit, or its rows have no turns.
    """
    source = _source(gate, path, accept)
    shared = _shared(gate, source)
    if shared and not in_sample:
        raise LeakageError(
            f"the gate was built on {shared} of the {len(source.rows.groups)} dialogues of "
            f"{source.name}, so it would look better than it is; replay others, or say --in-sample"
        )
    dialogues = list(read_dialogues(RunFolder(path).dialogues)) if path.is_dir() else []
    rows, notes = _decided(gate, source.rows)
    identified = _identified(rows, dialogues)
    return Replay(
        gate=gate.digest,
        source=source.name,
        in_sample=shared > 0,
        policies=compare_policies(
            rows, gate.rule, at_end=at_end, identified=identified, resamples=resamples, seed=seed
        ),
        curve=policy_curve(rows),
        notes=notes,
    )


def _source(gate: GateFile, path: Path, accept: Collection[str]) -> Source:
    if gate.protocol is None:
        return run_source(path, None) if path.is_dir() else read_scores_source(path, None)
    if not path.exists():
        raise InputError("no such folder", file=path, expected="the folder of a run")
    if not path.is_dir():
        raise InputError(
            "a file of scores does not say under which protocol they were made",
            file=path,
            expected="the folder of a run",
        )
    source = run_source(path, gate.method)
    if source.protocol is not None:
        found = differences(gate.protocol, source.protocol, accept=accept)
        if found:
            raise refuse(found, can_accept=True)
    return source


def _shared(gate: GateFile, source: Source) -> int:
    """How many dialogues the gate was built on."""
    kept = gate.evidence["dialogues"]
    known = frozenset(str(kept["digests"]).split())
    if kept["of"] == source.keyed_by:
        keys = [source.keys[str(one)] for one in source.rows.groups]
    else:
        keys = [id_key(one) for one in source.rows.groups]
    return sum(key in known for key in keys)


def _decided(gate: GateFile, rows: LabelledScores) -> tuple[LabelledScores, tuple[str, ...]]:
    """Probabilities in place of scores, up to the last turn at which the gate decides."""
    if rows.turn is None or rows.n_turns is None:
        raise InputError(
            "the rows have no turns, so there is nothing to wait for",
            field="turn",
            expected="dialogues of several turns",
        )
    probability = gate_map(gate).apply(rows.score, rows.turn, rows.n_turns)
    notes: list[str] = []
    if rows.n_missing:
        notes.append(f"{rows.n_missing:,} turns without score or label are passed over.")
    ends = [
        most
        for most in (gate.limits.most_turns, gate.validity.turns and gate.validity.turns[1])
        if most is not None
    ]
    last = min(ends, default=int(rows.n_turns.max()))
    whole = replace(rows, score=probability).up_to(last)
    n_beyond = len(rows) - len(whole)
    if n_beyond:
        notes.append(
            f"{n_beyond:,} turns after turn {last}, with which the gate's "
            "decisions end, count as not there."
        )
    return whole, tuple(notes)


def _identified(rows: LabelledScores, dialogues: list[Dialogue]) -> BoolArray | None:
    """Whether the hints leave one candidate, where all dialogues are of closed worlds."""
    known: Mapping[str, Dialogue] = {one.id: one for one in dialogues if one.remaining}
    names = [str(one) for one in rows.groups]
    if rows.turn is None or not all(name in known for name in names):
        return None
    places = zip(rows.group.tolist(), rows.turn.tolist(), strict=True)
    return np.array(
        [known[names[group]].is_identified(turn) for group, turn in places], dtype=np.bool_
    )
