"""Smoothing on [0, 1] with a Gaussian that is reflected at both ends, and its fixed point.

The reflected Gaussian is diagonal in cosines: K_σ(t, x) = 1 + 2 Σ_k exp(−(πkσ)²/2) cos πkt cos πkx.
Masses are shared out over the nodes of an even grid once; each smoothing is one Fourier transform.
"""

from __future__ import annotations

import math

import numpy as np

from turnsure.numerics.arrays import FloatArray, row_blocks

_COARSEST_GRID = 1 << 10
_FINEST_GRID = 1 << 20
_NODES_AT_ONCE = 1 << 18
_ROWS_AT_ONCE = 1 << 15
_TOLERANCE = 1e-10
_NEGLIGIBLE = 9.0
"""Frequencies beyond this many standard deviations are damped below the last bit of a double."""


class Smoother:
    """Finds the σ at which smoothed masses add up, in absolute value, to σ itself.

    Parameters
    ----------
    values
        Where the masses are, in [0, 1], shape (n,).
    error
        How far the result may be off, about.
    narrowest
        The grid is made fine enough for a σ of this size and no finer.
    """

    def __init__(self, values: FloatArray, *, error: float, narrowest: float) -> None:
        self._values = values
        self._error = error
        self._narrowest = narrowest

    def fixed_points(self, masses: FloatArray) -> FloatArray:
        """One σ a row of ``masses``, shape (m, n); Σ|mass| of a row is at most 1.

        The total falls from Σ|mass| to |Σ mass| as σ grows, so there is exactly one.
        """
        sigma = np.empty(len(masses))
        rows, n_steps = np.arange(len(masses)), self.steps_for(1.0)
        while rows.size:
            at_once = max(1, _NODES_AT_ONCE // n_steps)
            for start in range(0, len(rows), at_once):
                piece = rows[start : start + at_once]
                sigma[piece] = _fixed_points(self._on_grid(masses[piece], n_steps))
            wanted = np.array([self.steps_for(width) for width in sigma[rows].tolist()])
            rows, n_steps = rows[wanted > n_steps], int(wanted.max())
        return sigma

    def steps_for(self, sigma: float) -> int:
        """How many grid steps are enough for a fixed point of this size.

        Sharing a mass between two nodes h apart, and adding |·| over the nodes, each err by about
        h²/8σ when the total is σ.  A kernel narrower than four steps is not resolved at all.
        """
        width = max(sigma, self._narrowest)
        wanted = max(math.sqrt(0.25 / (self._error * width)), 4.0 / width)
        return min(max(1 << math.ceil(math.log2(wanted)), _COARSEST_GRID), _FINEST_GRID)

    def _on_grid(self, masses: FloatArray, n_steps: int) -> FloatArray:
        """Masses shared between the two nodes around them, shape (m, n_steps + 1).

        Totals and first moments are kept.
        """
        nodes = np.zeros((len(masses), n_steps + 1))
        # Adding up as many nodes as there are in a block should cost little beside the block.
        for block in row_blocks(len(self._values), max(_ROWS_AT_ONCE, 2 * n_steps)):
            share = self._values[block] * float(n_steps)
            left = share.astype(np.int32).astype(np.intp)
            np.minimum(left, n_steps - 1, out=left)
            share -= left
            for row, given in zip(nodes, masses[:, block], strict=True):
                to_right = given * share
                row[:-1] += np.bincount(left, given - to_right, n_steps)
                row[1:] += np.bincount(left, to_right, n_steps)
        return nodes


def _fixed_points(nodes: FloatArray) -> FloatArray:
    """The fixed point for each row of masses on a grid: regula falsi, Illinois variant.

    As total − σ falls at least as fast as σ rises, σ is no further off than total − σ.
    """
    low, high = np.abs(nodes.sum(axis=1)), np.abs(nodes).sum(axis=1)
    # What total − σ is at least at ``high``.
    at_low, at_high = high - low, low - high
    sigma, kept = low.copy(), np.zeros(len(low), dtype=np.int8)
    rows = np.flatnonzero(high - low > _TOLERANCE)
    spectrum = np.zeros_like(nodes)
    spectrum[rows] = np.fft.rfft(nodes[rows], n=2 * (len(nodes[0]) - 1), axis=1).real
    if rows.size:
        # Where smoothed masses have one sign, as when confidence is too high throughout, the total
        # is |Σ mass| itself: ``low`` is the answer, and halving down to it would take long.
        at_low[rows] = _smoothed_total(spectrum[rows], low[rows]) - low[rows]
        rows = rows[at_low[rows] > _TOLERANCE]
    while rows.size:
        share = at_low[rows] / (at_low[rows] - at_high[rows])
        guess = low[rows] + (high[rows] - low[rows]) * share
        excess = _smoothed_total(spectrum[rows], guess) - guess
        sigma[rows] = guess
        rising = excess > 0.0
        up, down = rows[rising], rows[~rising]
        low[up], at_low[up] = guess[rising], excess[rising]
        high[down], at_high[down] = guess[~rising], excess[~rising]
        # A bound that is kept twice running counts half, or it would hold up the other one.
        at_high[up[kept[up] > 0]] /= 2.0
        at_low[down[kept[down] < 0]] /= 2.0
        kept[up], kept[down] = 1, -1
        rows = rows[(np.abs(excess) > _TOLERANCE) & ((high - low)[rows] > _TOLERANCE)]
    return sigma


def _smoothed_total(spectrum: FloatArray, sigma: FloatArray) -> FloatArray:
    """∫ |smoothed masses| over [0, 1], by the trapezoid rule on the nodes."""
    n_steps: int = spectrum.shape[1] - 1
    narrowest = max(float(sigma.min()), 1.0 / n_steps)
    n_kept = min(n_steps, math.ceil(_NEGLIGIBLE / (math.pi * narrowest))) + 1
    decay = np.exp(-0.5 * np.square(np.pi * sigma[:, None] * np.arange(n_kept)))
    density = np.abs(np.fft.irfft(spectrum[:, :n_kept] * decay, n=2 * n_steps, axis=1))
    ends = 0.5 * (density[:, 0] + density[:, n_steps])
    return 2.0 * (density[:, 1:n_steps].sum(axis=1) + ends)
