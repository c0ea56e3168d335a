"""Inductive Venn–Abers prediction: two isotonic fits a score, one for either outcome.

For a score s, p₀ is the value at s of the isotonic fit to the rows together with (s, wrong), and
p₁ of that to the rows together with (s, right).  One of the two is calibrated whatever the
distribution, if the rows are exchangeable.  The map is the minimax merger for log loss,
p = p₁ / (1 − p₀ + p₁).

Both fits are done for all scores at once, in a number of steps that grows with the number of
distinct scores.  p₁ of any s is that of the lowest fitted score at or above s, and 1 above all; p₀
that of the highest one at or below s, and 0 below all.

References
----------
Vovk, Petej: Venn–Abers predictors (UAI 2014), equation 7 for the merger.  Vovk, Petej, Fedorova:
Large-scale probabilistic predictors with and without guarantees of validity (NIPS 2015), section 3
for the precomputation, appendix for the proof.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.calibration.maps.base import Parameters, refuse_level
from turnsure.calibration.maps.parameters import numbers
from turnsure.numerics.arrays import BoolArray, FloatArray
from turnsure.numerics.tallies import tally

NAME = "venn_abers"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VennAbers:
    """A fitted map.

    Attributes
    ----------
    p1_up_to, p1
        p₁ is ``p1[i]`` up to and at the score ``p1_up_to[i]``, above the one before; 1 above all.
    p0_from, p0
        p₀ is ``p0[i]`` from the score ``p0_from[i]`` on, below the next one; 0 below all.
    """

    p1_up_to: FloatArray
    p1: FloatArray
    p0_from: FloatArray
    p0: FloatArray

    @property
    def name(self) -> str:
        return NAME

    @property
    def parameters(self) -> Parameters:
        return {
            "p0_from": self.p0_from.tolist(),
            "p0": self.p0.tolist(),
            "p1_up_to": self.p1_up_to.tolist(),
            "p1": self.p1.tolist(),
        }

    def interval(self, score: FloatArray) -> tuple[FloatArray, FloatArray]:
        """p₀ and p₁, p₀ ≤ p₁, shape (n,) each, for scores in [0, 1]."""
        at = np.searchsorted(self.p1_up_to, score, side="left")
        upper = np.where(at < len(self.p1), self.p1[np.minimum(at, len(self.p1) - 1)], 1.0)
        since = np.searchsorted(self.p0_from, score, side="right") - 1
        return np.where(since >= 0, self.p0[np.maximum(since, 0)], 0.0), upper

    def apply(self, score: FloatArray, level: FloatArray | None = None) -> FloatArray:
        del level
        lower, upper = self.interval(score)
        # The same as p₁ / (1 − p₀ + p₁), in a form in which rounding cannot make it fall.
        return 1.0 / (1.0 + (1.0 - lower) / upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class VennAbersFamily:
    """Fits both isotonic functions; a single class is enough."""

    name: str = NAME
    takes_level: bool = False

    def fit(
        self, score: FloatArray, correct: BoolArray, level: FloatArray | None = None
    ) -> VennAbers:
        refuse_level(level, NAME)
        counts = tally(score, correct)
        n, right = counts.n.tolist(), counts.right.tolist()
        weights, sums = _with_a_right_answer(n, right)
        p1 = sums / weights
        # Seen from the other end, and with right and wrong exchanged, p₀ is what p₁ was.
        wrong = [all_rows - rows for all_rows, rows in zip(n[::-1], right[::-1], strict=True)]
        weights, sums = _with_a_right_answer(n[::-1], wrong)
        p0 = ((weights - sums) / weights)[::-1]
        is_last = np.append(p1[1:] != p1[:-1], True)
        is_first = np.insert(p0[1:] != p0[:-1], 0, True)
        return VennAbers(
            p1_up_to=counts.value[is_last],
            p1=p1[is_last],
            p0_from=counts.value[is_first],
            p0=p0[is_first],
        )

    def restore(self, parameters: Parameters) -> VennAbers:
        p0_from = numbers(parameters, "p0_from", strictly=True)
        p1_up_to = numbers(parameters, "p1_up_to", strictly=True)
        p1 = numbers(parameters, "p1", length=len(p1_up_to), strictly=True, above=0.0)
        return VennAbers(
            p1_up_to=p1_up_to,
            p1=p1,
            p0_from=p0_from,
            p0=numbers(parameters, "p0", length=len(p0_from), strictly=True),
        )


def _with_a_right_answer(n: list[float], right: list[float]) -> tuple[FloatArray, FloatArray]:
    """The isotonic fit at each score when one right answer is added there, as sum over weight.

    The fit is the slope of the greatest convex minorant of the points (rows so far, right so far).
    Adding a right answer before score i moves all points before it by (−1, −1); going on to the
    next score moves only one point more, and the corners of the minorant from there on are kept on
    a stack, the leftmost on top.  All numbers are whole, so that no rounding decides.

    Returns
    -------
    Weights and sums, shape (k,) each.
    """
    corners = _corners_from_the_right(n, right)
    weights, sums = np.empty(len(n)), np.empty(len(n))
    x, y = -1.0, -1.0
    for place, (rows, rows_right) in enumerate(zip(n, right, strict=True)):
        (left_x, left_y), (next_x, next_y) = corners[-1], corners[-2]
        weights[place], sums[place] = next_x - left_x, next_y - left_y
        x, y = x + rows, y + rows_right
        if (y - left_y) * (next_x - left_x) >= (next_y - left_y) * (x - left_x):
            continue
        corners.pop()
        while len(corners) > 1 and not _turns_left((x, y), corners[-1], corners[-2]):
            corners.pop()
        corners.append((x, y))
    return weights, sums


def _corners_from_the_right(n: list[float], right: list[float]) -> list[tuple[float, float]]:
    """Corners of the minorant of (−1, −1) and all points after it, the leftmost last."""
    xs, ys = np.cumsum(n).tolist(), np.cumsum(right).tolist()
    corners: list[tuple[float, float]] = []
    points = zip([-1.0, *xs], [-1.0, *ys], strict=True)
    for point in reversed([*points]):
        while len(corners) > 1 and not _turns_left(point, corners[-1], corners[-2]):
            corners.pop()
        corners.append(point)
    return corners


def _turns_left(
    one: tuple[float, float], two: tuple[float, float], three: tuple[float, float]
) -> bool:
    """Whether the way over three points bends upwards at the second."""
    along = (two[0] - one[0]) * (three[1] - two[1])
    return along > (two[1] - one[1]) * (three[0] - two[0])


FAMILY = VennAbersFamily()
