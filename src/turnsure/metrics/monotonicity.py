"""Whether confidence rises along a dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.core.results import MetricResult
from turnsure.numerics.arrays import BoolArray, FloatArray, Int64Array, IntArray, row_blocks
from turnsure.numerics.inputs import (
    Ids,
    Numbers,
    clusters_of,
    dialogue_codes,
    require_length,
    scored_fractions,
    whole_numbers,
)
from turnsure.numerics.ranks import concordant_minus_discordant
from turnsure.numerics.resampling import interval_of_cluster_mean

_MAX_TURN = 1 << 53


def kendall_tau(
    confidence: Numbers,
    dialogue: Ids,
    turn: Numbers,
    *,
    resamples: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> MetricResult:
    """Mean over dialogues of Kendall's τ-a between turn and confidence.

    Per dialogue τ = (concordant − discordant) / C(m, 2) over its m scored turns; tied confidences
    count 0, so a constant confidence has τ = 0.

    Parameters
    ----------
    confidence
        In [0, 1], shape (n,); None, NaN or masked where it is missing.
    dialogue
        Id of the row's dialogue, text or number, shape (n,).
    turn
        Counts from 1, shape (n,); the rows may come in any order.
    resamples, seed, level
        Of the bootstrap over the dialogues that have a τ.

    Returns
    -------
    ``n_turns`` and ``n_dialogues`` count what is behind the mean.  A dialogue with fewer than two
    scored turns is left out of it and counted in the detail ``n_left_out``.

    Raises
    ------
    InputError
        For columns of different lengths, values out of range, and two rows of one dialogue and
        turn.
    UndefinedMetricError
        When no dialogue has two scored turns.

    References
    ----------
    Kendall: A new measure of rank correlation. Biometrika 30 (1938).
    """
    dialogues = _dialogues(confidence, dialogue, turn)
    clusters = clusters_of(
        np.arange(len(dialogues.tau)), resamples=resamples, seed=seed, level=level
    )
    if not clusters.n:
        raise UndefinedMetricError("no dialogue has two turns with a confidence")
    return MetricResult(
        name="kendall_tau",
        value=float(dialogues.tau.mean()),
        interval=interval_of_cluster_mean(clusters, dialogues.tau),
        n_turns=int(dialogues.n_scored[dialogues.has_tau].sum()),
        n_dialogues=clusters.n,
        n_failed=dialogues.n_failed,
        direction="higher",
        definition={"variant": "tau-a", "ties": 0, "average": "dialogues weigh the same"},
        details={"n_left_out": len(dialogues.ids) - clusters.n},
    )


def kendall_tau_by_dialogue(
    confidence: Numbers, dialogue: Ids, turn: Numbers
) -> Mapping[Any, float | None]:
    """Kendall's τ-a of every dialogue, by id; None with fewer than two scored turns.

    Parameters, errors and definition are those of :func:`kendall_tau`, except that it suffices for
    one row to have a confidence.
    """
    dialogues = _dialogues(confidence, dialogue, turn)
    taus: npt.NDArray[np.object_] = np.full(len(dialogues.ids), None)
    taus[dialogues.has_tau] = dialogues.tau
    return dict(zip(dialogues.ids, taus.tolist(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Dialogues:
    """All dialogues in the order of their ids; ``tau`` is that of those that have one."""

    ids: list[Any]
    n_scored: IntArray
    has_tau: BoolArray
    tau: FloatArray
    n_failed: int


def _dialogues(confidence: Numbers, dialogue: Ids, turn: Numbers) -> _Dialogues:
    kept, scores = scored_fractions(confidence, "confidence")
    codes, ids = dialogue_codes(dialogue, kept.n_given, "confidence")
    turns = whole_numbers(turn, "turn", minimum=1, maximum=_MAX_TURN)
    require_length(len(turns), "turn", kept.n_given, "confidence")
    if not _in_order(codes, turns):
        order = np.lexsort((turns, codes))
        refuse_doubled_turns(codes[order], turns[order], order)
        codes = codes[order]
        if kept.mask is not None:
            there = kept.mask[order]
            codes = codes[there]
            order = (np.cumsum(kept.mask) - 1)[order[there]]  # among those with a confidence
        scores = scores[order]
    else:
        codes = kept.pick(codes)
    n_scored = np.bincount(codes, minlength=len(ids))
    has_tau = n_scored >= 2
    balance = concordant_minus_discordant(scores, n_scored[n_scored > 0])
    balance, sizes = balance[has_tau[n_scored > 0]], n_scored[has_tau]
    return _Dialogues(
        ids=ids,
        n_scored=n_scored,
        has_tau=has_tau,
        tau=2.0 * balance / (sizes * (sizes - 1)),
        n_failed=kept.n_failed,
    )


def _in_order(codes: IntArray, turns: Int64Array) -> bool:
    """Whether rows stand by dialogue and turn, so that there is nothing to sort."""
    return all(
        bool(
            (
                (codes[1:][rows] > codes[:-1][rows])
                | ((codes[1:][rows] == codes[:-1][rows]) & (turns[1:][rows] > turns[:-1][rows]))
            ).all()
        )
        for rows in row_blocks(len(codes) - 1)
    )


def refuse_doubled_turns(codes: IntArray, turns: Int64Array, order: IntArray) -> None:
    """``codes`` and ``turns`` are sorted; ``order`` says which rows they were."""
    same = np.flatnonzero((codes[1:] == codes[:-1]) & (turns[1:] == turns[:-1]))
    if same.size:
        first, second = sorted(order[same[0] : same[0] + 2].tolist())
        raise InputError(
            f"rows {first} and {second} are the same turn of the same dialogue",
            field="turn",
            expected="one row a dialogue and turn",
        )
