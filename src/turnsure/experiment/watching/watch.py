"""A gate against new rows: everything that ``turnsure drift`` says."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from turnsure.calibration.drift.actions import ANSWER, actions_of, ending_answers
from turnsure.calibration.drift.changes import Change, change
from turnsure.calibration.drift.findings import (
    DriftReport,
    LabelledDrift,
    LabelsNeeded,
    ProtocolState,
)
from turnsure.calibration.drift.needed import answers_for_error, detectable_gap, labels_for_gap
from turnsure.calibration.drift.shift import Shift, shift
from turnsure.calibration.gate_file import GateFile
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.steps import one_row_a_dialogue
from turnsure.core.decision import ACTIONS
from turnsure.core.digest import SHORT
from turnsure.core.errors import InputError, LeakageError, UndefinedMetricError
from turnsure.experiment.calibrating.columns import MISSING, CodedColumn
from turnsure.experiment.gating.judge import gate_map
from turnsure.experiment.gating.protocol import differences
from turnsure.experiment.gating.sources import Source, id_key, run_source
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.score_columns import ScoreOptions
from turnsure.experiment.watching.labels import Judged, judge_labels
from turnsure.experiment.watching.notes import watch_notes
from turnsure.experiment.watching.reference import (
    LEVEL,
    Reference,
    read_reference,
    shares_of,
)
from turnsure.experiment.watching.rows import WatchedRows, read_watched
from turnsure.experiment.watching.settings import WatchSettings
from turnsure.experiment.watching.verdict import Found, judged, verdict_tests
from turnsure.numerics.arrays import FloatArray, IntArray

_DEFAULT_OPTIONS, _DEFAULT_SETTINGS = ScoreOptions(), WatchSettings()
_MOST_DRAWS = 1 << 28
_LEAST_RESAMPLES = 200


def watch(
    gate: GateFile,
    path: Path,
    settings: WatchSettings = _DEFAULT_SETTINGS,
    *,
    today: datetime.date,
    options: ScoreOptions = _DEFAULT_OPTIONS,
    slices: Sequence[str] | None = None,
) -> DriftReport:
    """Judge a gate by new rows.

    Parameters
    ----------
    gate
        The gate.
    path
        A file of scores, with labels or without, or a run: its folder or its table of turns.
    settings
        What decides numbers and verdict.
    today
        The day, for gates that expire.
    options, slices
        Which column is what, and by which columns the rows are sliced; as for
        :func:`turnsure.experiment.watching.rows.read_watched`.

    Raises
    ------
    InputError
        The file cannot be used, or the map needs turns that it lacks.
    LeakageError
        Dialogues that the gate was built on are among the new ones.
    StoreError
        The run is not finished.
    """
    run = _run(path)
    rows = read_watched(path, gate.method, options, slices, any_method=gate.protocol is None)
    source = None if run is None else run_source(run, rows.method or gate.method)
    state, different = _protocol(gate, source, rows, settings)
    n_shared = _shared(gate, source, rows)
    if n_shared and not settings.in_sample:
        raise LeakageError(
            f"the gate was built on {n_shared:,} of the {int(rows.group.max()) + 1:,} dialogues of "
            f"{path}, so that it would look better than it is; give others, or say --in-sample "
            "where they only have the same names"
        )
    mapped = gate_map(gate)
    try:
        probability = mapped.apply(rows.score, rows.turn, rows.n_turns)
    except InputError as error:
        raise error.at(file=path) from None
    action = actions_of(gate.rule, gate.limits, gate.validity, probability, rows.turn)
    reference = read_reference(gate.evidence)
    target = settings.target_error or gate.evidence["chosen"].get("target_error")
    labels = _labels(gate, rows, probability, action, reference, settings, target)
    tests = verdict_tests(labels, settings)
    moved = _shift(reference, rows, settings)
    shares = _shares(reference, rows, action, settings)
    expires = gate.limits.expires
    found = Found(
        differences=different,
        expired=expires if expires is not None and today.isoformat() > expires else None,
        labels=labels,
        shift=moved,
        shares=shares,
        tests=tests,
    )
    verdict, reasons = judged(found, settings)
    return DriftReport(
        verdict=verdict,
        reasons=reasons,
        gate=gate.digest,
        method=gate.method,
        source=str(path),
        alpha=settings.alpha,
        level=LEVEL,
        stream=settings.stream,
        n_rows=rows.n_given,
        n_no_score=rows.n_no_score,
        n_no_label=int(np.count_nonzero(rows.correct == MISSING)),
        protocol=state,
        differences=different,
        labels=labels,
        tests=tests,
        shift=moved,
        shares=shares,
        needed=_needed(probability, labels, settings, target),
        notes=(*rows.notes, *watch_notes(gate, rows, reference, state, labels, n_shared, settings)),
    )


def _run(path: Path) -> Path | None:
    """The folder of a run, where the path is one or its table of turns."""
    if path.is_dir():
        return path
    folder = RunFolder(path.parent)
    same = path.exists() and folder.turns.exists() and path.samefile(folder.turns)
    return path.parent if same and folder.run_json.exists() else None


def _protocol(
    gate: GateFile, source: Source | None, rows: WatchedRows, settings: WatchSettings
) -> tuple[ProtocolState, tuple[str, ...]]:
    if gate.protocol is None:
        return "unknown", ()
    if source is not None and source.protocol is not None:
        found = differences(gate.protocol, source.protocol, accept=settings.accept)
        return ("differs" if found else "same"), found
    others = rows.protocols - {gate.run_digest, gate.protocol.digest}
    if others:
        is_now = ", ".join(one[:SHORT] for one in sorted(others))
        was = str(gate.run_digest)[:SHORT]
        return "differs", (
            f"the rows say {is_now} where the gate says {was} (the run's folder, given instead of "
            "the table, tells what differs)",
        )
    return ("same" if rows.protocols else "unknown"), ()


def _shared(gate: GateFile, source: Source | None, rows: WatchedRows) -> int:
    """How many dialogues the gate was built on."""
    kept = gate.evidence["dialogues"]
    known = frozenset(str(kept["digests"]).split())
    if rows.ids is None:
        return 0
    if source is not None and kept["of"] == source.keyed_by:
        return sum(source.keys[one] in known for one in rows.ids)
    return 0 if kept["of"] == "content" else sum(id_key(one) in known for one in rows.ids)


def _labels(
    gate: GateFile,
    rows: WatchedRows,
    probability: FloatArray,
    action: IntArray,
    reference: Reference,
    settings: WatchSettings,
    target: float | None,
) -> LabelledDrift | None:
    labelled = np.flatnonzero(rows.correct != MISSING)
    if not len(labelled):
        return None
    given = LabelledScores.of(
        probability[labelled],
        rows.correct[labelled],
        dialogue=rows.group[labelled],
        turn=None if rows.turn is None else rows.turn[labelled],
        n_turns=None if rows.n_turns is None else rows.n_turns[labelled],
    )
    by_dialogue = rows.turn is not None and gate.evidence["chosen"].get("unit") == "dialogue"
    # Found before unlabelled rows are left out: a later turn is not the answer in their place.
    answers = action == ANSWER
    if by_dialogue and rows.turn is not None:
        answers = ending_answers(action, rows.group, rows.turn)
    return judge_labels(
        Judged(
            rows=given,
            answers=answers[labelled],
            by_dialogue=by_dialogue,
            target=target,
            line=lambda row: rows.place(int(labelled[row])),
            slices={
                name: CodedColumn(codes=one.codes[labelled], names=one.names)
                for name, one in rows.slices.items()
            },
        ),
        reference.metrics,
        settings,
        alpha=settings.alpha if target is None else settings.alpha / 2.0,
    )


def _shift(reference: Reference, rows: WatchedRows, settings: WatchSettings) -> Shift | None:
    if reference.scores is None:
        return None
    score = rows.score
    if int(rows.group.max()) + 1 < len(score):
        everything = LabelledScores.of(
            score, np.zeros(len(score)), dialogue=rows.group, turn=rows.turn, n_turns=rows.n_turns
        )
        score = one_row_a_dialogue(everything, seed=settings.seed).score
    return shift(reference.scores, score)


def _shares(
    reference: Reference, rows: WatchedRows, action: IntArray, settings: WatchSettings
) -> tuple[Change, ...]:
    resamples = min(settings.resamples, max(_LEAST_RESAMPLES, _MOST_DRAWS // len(action)))
    now = shares_of(action, rows.group, resamples=resamples, seed=settings.seed)
    return tuple(
        change(name, before, now[name])
        for name in ACTIONS
        for before in (reference.shares.get(name),)
        if now[name].value > 0.0 or (before is not None and before.value > 0.0)
    )


def _needed(
    probability: FloatArray,
    labels: LabelledDrift | None,
    settings: WatchSettings,
    target: float | None,
) -> LabelsNeeded:
    effect = 1.0 if labels is None else labels.gap.design_effect
    alpha, power = settings.alpha, settings.power
    rows = seen = answers = None
    try:
        rows = labels_for_gap(
            probability, settings.drop, alpha=alpha, power=power, design_effect=effect
        )
        if labels is not None:
            seen = detectable_gap(
                probability, labels.n, alpha=alpha, power=power, design_effect=effect
            )
    except UndefinedMetricError:
        rows = seen = None  # all probabilities are 0
    if target is not None and target + settings.drop < 1.0:
        answers = answers_for_error(target, settings.drop, alpha=alpha, power=power)
    return LabelsNeeded(
        drop=settings.drop,
        power=power,
        alpha=alpha,
        rows=rows,
        answers=answers,
        design_effect=effect,
        seen=seen,
    )
