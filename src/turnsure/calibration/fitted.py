"""A fitted map, what it was fitted on, and how it uses the turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from turnsure.calibration.labelled import LabelledScores, refuse_shared_dialogues
from turnsure.calibration.maps.base import CalibrationMap
from turnsure.core.errors import InputError, LeakageError
from turnsure.numerics.arrays import FloatArray, Int64Array
from turnsure.numerics.binning import level_bins

Feature = Literal["none", "level", "turn", "per_level"]
"""What a map knows besides the score.

``"level"``, ``"turn"``: the information level turn / n_turns, or the turn's number, is one more
term of the logit.  ``"per_level"``: each bin of levels has a map of its own.
"""

Turns = Int64Array | int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedMap:
    """A calibration map, what it was fitted on, and how it uses the turn.

    Attributes
    ----------
    name
        Of the family, as in the registry.
    map
        Fitted on all rows.
    feature
        See :data:`Feature`.
    by_level
        For ``"per_level"``: the map of each bin (k/B, (k+1)/B] of levels, None where a bin had too
        little to fit on, so that ``map`` stands in; empty for the other features.
    n_rows, n_dialogues
        What it was fitted on.
    fitted_on
        Ids of those dialogues; None where they are not known, after reading a map back.
    """

    name: str
    map: CalibrationMap
    feature: Feature
    by_level: tuple[CalibrationMap | None, ...] = ()
    n_rows: int
    n_dialogues: int
    fitted_on: frozenset[Any] | None

    @property
    def n_pooled_levels(self) -> int:
        """Bins of levels in which the map of all rows stands in."""
        return self.by_level.count(None)

    def apply(
        self,
        score: FloatArray | float,
        turn: Turns | None = None,
        n_turns: Turns | None = None,
    ) -> FloatArray:
        """Probabilities of being right.

        Parameters
        ----------
        score
            In [0, 1], shape (n,), or one number.
        turn, n_turns
            1-based turn and length of its dialogue, shape (n,) or one number; needed by maps with a
            feature, of which ``"turn"`` needs the turn alone.

        Returns
        -------
        numpy.ndarray
            Shape (n,), in [0, 1]; (1,) for one number.

        Raises
        ------
        InputError
            A score is missing or out of range, or the turn is needed and not there.
        """
        scores = np.atleast_1d(np.asarray(score, dtype=np.float64))
        # A missing score is NaN, for which this comparison is false.
        if not (scores.size == 0 or (scores.min() >= 0.0 and scores.max() <= 1.0)):
            wrong = scores[~((scores >= 0.0) & (scores <= 1.0))][0]
            raise InputError(f"it holds {wrong}", field="score", expected="numbers in [0, 1]")
        if self.feature == "none":
            return self.map.apply(scores)
        if self.feature != "per_level":
            return self.map.apply(scores, second_feature(self.feature, scores, turn, n_turns))
        result = np.empty(len(scores))
        bins = level_bins(*turns_of(scores, turn, n_turns), len(self.by_level))
        for place, own in enumerate(self.by_level):
            here = bins == place
            result[here] = (self.map if own is None else own).apply(scores[here])
        return result

    def on(self, rows: LabelledScores) -> FloatArray:
        """Probabilities of rows that the map has not seen, shape (n,).

        Raises
        ------
        LeakageError
            A dialogue was fitted on, or it is not known which were.
        """
        if self.fitted_on is None:
            raise LeakageError(
                f"it is not known on which {self.n_dialogues} dialogues this {self.name} was "
                "fitted, so it cannot be told whether it would judge itself"
            )
        refuse_shared_dialogues(self.fitted_on, rows, self.name)
        return self.apply(rows.score, rows.turn, rows.n_turns)

    def to_json(self) -> dict[str, Any]:
        """What :func:`restore` needs: plain numbers, text and lists.  No ids of dialogues."""
        body: dict[str, Any] = {
            "name": self.name,
            "feature": self.feature,
            "n_rows": self.n_rows,
            "n_dialogues": self.n_dialogues,
            "parameters": dict(self.map.parameters),
        }
        if self.feature == "per_level":
            body["by_level"] = [
                None if own is None else dict(own.parameters) for own in self.by_level
            ]
        return body


def second_feature(
    feature: Feature, scores: FloatArray, turn: Turns | None, n_turns: Turns | None
) -> FloatArray:
    """What stands beside the score for ``"level"`` and ``"turn"``, shape (n,)."""
    if feature == "level":
        turns, lengths = turns_of(scores, turn, n_turns)
        return turns / lengths
    return _like(scores, turn, "turn").astype(np.float64)


def turns_of(
    scores: FloatArray, turn: Turns | None, n_turns: Turns | None
) -> tuple[Int64Array, Int64Array]:
    """Turn and length of its dialogue of each row.

    Raises
    ------
    InputError
        One is missing, no column of whole numbers from 1, or a turn is after the last.
    """
    turns, lengths = _like(scores, turn, "turn"), _like(scores, n_turns, "n_turns")
    if not (turns <= lengths).all():
        raise InputError("a turn is after the last", field="turn", expected="at most n_turns")
    return turns, lengths


def _like(scores: FloatArray, values: Turns | None, field: str) -> Int64Array:
    """A column of turns as long as the scores."""
    expected = "the turn of each row, from 1, and the length of its dialogue"
    if values is None:
        raise InputError("it is missing and this map uses it", field=field, expected=expected)
    column = np.atleast_1d(np.asarray(values))
    if column.shape != scores.shape or column.dtype.kind not in "iu" or (column < 1).any():
        raise InputError("it is no such column", field=field, expected=expected)
    return column.astype(np.int64, copy=False)
