"""Smoothing on [0, 1] with a Gaussian that is reflected at both ends, and its fixed point.

The reflected Gaussian is diagonal in cosines: K_σ(t, x) = 1 + 2 Σ_k exp(−(πkσ)²/2) cos πkt cos πkx.
Masses are shared out over the nodes of an even grid once; each smoothing is one Fourier transform.
"""

from __future__ import annotations

import math

import numpy as np

from turnsure.numerics.arrays import FloatArray, IntArray

_SMALLEST_GRID = 1 << 10
_LARGEST_GRID = 1 << 20
_TOLERANCE = 1e-10


def grid_for(sigma: float, error: float, narrowest: float = 1e-9) -> int:
    """How many grid steps make a smoothed total right to about ``error`` at the fixed point.

    Sharing a mass between two nodes h apart, and adding |·| over the nodes, each err by about
    h²/8σ when the total is σ.  A kernel narrower than four steps is not resolved at all.
    Below ``narrowest`` the grid grows no finer.
    """
    width = max(sigma, narrowest)
    wanted = max(math.sqrt(0.25 / (error * width)), 4.0 / width)
    return min(max(1 << math.ceil(math.log2(wanted)), _SMALLEST_GRID), _LARGEST_GRID)


def neighbours(values: FloatArray, n_steps: int) -> tuple[IntArray, FloatArray]:
    """The node to the left of each value in [0, 1], and the share of the node to the right."""
    place = values * n_steps
    left = np.minimum(place.astype(np.intp), n_steps - 1)
    return left, place - left


def spread(left: IntArray, share: FloatArray, masses: FloatArray, n_steps: int) -> FloatArray:
    """Masses on the ``n_steps + 1`` nodes; totals and first moments are kept."""
    to_right = masses * share
    nodes = np.zeros(n_steps + 1)
    nodes[:-1] = np.bincount(left, masses - to_right, n_steps)
    nodes[1:] += np.bincount(left, to_right, n_steps)
    return nodes


def smoothing_fixed_point(nodes: FloatArray) -> FloatArray:
    """The σ at which the smoothed masses add up, in absolute value, to σ.

    Parameters
    ----------
    nodes
        Masses on the nodes of an even grid over [0, 1], shape (m, n_nodes), each row adding up to
        at most 1 in absolute value.

    Returns
    -------
    Shape (m,).  The total falls as σ grows, from Σ|mass| to |Σ mass|, so the solution is unique,
    lies between them, and is no further away than total − σ (regula falsi, Illinois variant).
    """
    n_steps = nodes.shape[1] - 1
    low, high = np.abs(nodes.sum(axis=1)), np.abs(nodes).sum(axis=1)
    # What total − σ can be at most at ``low`` and at least at ``high``.
    at_low, at_high = high - low, low - high
    sigma, kept = low.copy(), np.zeros(len(low), dtype=np.int8)
    rows = np.flatnonzero(high - low > _TOLERANCE)
    spectrum = np.zeros((len(nodes), n_steps + 1))
    spectrum[rows] = np.fft.rfft(nodes[rows], n=2 * n_steps, axis=1).real
    while rows.size:
        guess = low[rows] + (high - low)[rows] * (at_low / (at_low - at_high))[rows]
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
    n_steps = spectrum.shape[1] - 1
    decay: FloatArray = np.exp(-0.5 * np.square(np.pi * sigma[:, None] * np.arange(n_steps + 1)))
    density = np.abs(np.fft.irfft(spectrum * decay, axis=1))
    ends = 0.5 * (density[:, 0] + density[:, n_steps])
    return 2.0 * (density[:, 1:n_steps].sum(axis=1) + ends)
