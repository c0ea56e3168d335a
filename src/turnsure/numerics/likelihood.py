"""Logistic regression by plain maximum likelihood, where there is a maximum.

Minimises Σᵢ nᵢ log(1 + exp(zᵢ)) − rᵢ zᵢ with zᵢ = Σⱼ wⱼ xⱼᵢ: of nᵢ rows with the features xᵢ, rᵢ
are right.  An intercept is a feature that is 1 everywhere.  The minimum is unique when no feature
is a combination of the others, and exists when no plane keeps the right answers on one side and the
wrong ones on the other (Albert & Anderson: On the existence of maximum likelihood estimates in
logistic regression models. Biometrika 71, 1984).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from turnsure.numerics.arrays import FloatArray

_MOST_STEPS = 300
_LEAST_SHARE = 2.0**-60
_SUFFICIENT = 1e-4
_ROUNDING = 1e-14
_FLAT = 1e-13
"""Least curvature as a share of the greatest, or of 1, below which a direction counts as flat.

Where some rows are separated and others tied, each step of Newton's method adds about 1 to z and
divides the curvature by e, without end.
"""
_ALL_RIGHT = 0.69
"""A row on the wrong side of z = 0 alone costs ln 2; with less in all, the rows are separated."""

_SMALL = 1e-6
"""Steps smaller than this share of the weights only refine; rounding hides their descent."""

_EPSILON = 2.0**-52


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMaximum:
    """Why there is no unique maximum.

    Attributes
    ----------
    reason
        ``"collinear"``: the features cannot be told apart.  ``"separated"``: the likelihood rises
        without end along some direction.
    """

    reason: Literal["collinear", "separated"]


def sigmoid(z: FloatArray) -> FloatArray:
    """1 / (1 + exp(−z)), without overflow."""
    small = np.exp(-np.abs(z))
    return np.where(z >= 0.0, 1.0, small) / (1.0 + small)


def maximise_likelihood(
    features: FloatArray, n: FloatArray, right: FloatArray
) -> FloatArray | NoMaximum:
    """Weights of the features, as exact as rounding allows.

    Parameters
    ----------
    features
        Shape (m, k), finite.
    n
        Positive, shape (k,).
    right
        In [0, n], shape (k,); need not be whole.

    Returns
    -------
    numpy.ndarray or NoMaximum
        Shape (m,).
    """
    scale = np.sqrt((n * np.square(features)).sum(axis=1) / n.sum())
    if (scale == 0.0).any():
        return NoMaximum(reason="collinear")
    columns = features / scale[:, np.newaxis]
    weights = np.zeros(len(columns))
    value = _loss(columns, n, right, weights)
    previous = np.inf
    for place in range(_MOST_STEPS):
        gradient, curvature = gradient_and_curvature(columns, n, right, weights)
        least, most = np.linalg.eigvalsh(curvature)[[0, -1]].tolist()
        if value < _ALL_RIGHT or least <= _FLAT * max(most, 1.0):
            return NoMaximum(reason="separated" if place else "collinear")
        step = np.linalg.solve(curvature, gradient)
        size = float(np.abs(step).max())
        reach = 1.0 + float(np.abs(weights).max())
        if size <= _SMALL * reach:
            # Steps shrink with the square until rounding stops them.
            if size >= 0.5 * previous:
                return weights / scale
            weights = weights - step
            if size <= _EPSILON * reach:
                return weights / scale
            previous = size
            continue
        # A full step can overshoot where the curve is flat; halving it finds a lower point.
        slope, share = float(gradient @ step), 1.0
        enough = value + _ROUNDING * (1.0 + abs(value))
        lower = _loss(columns, n, right, weights - step)
        while lower > enough - _SUFFICIENT * share * slope and share > _LEAST_SHARE:
            share /= 2.0
            lower = _loss(columns, n, right, weights - share * step)
        weights, value = weights - share * step, lower
    return NoMaximum(reason="separated")


def gradient_and_curvature(
    features: FloatArray, n: FloatArray, right: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """First and second derivatives of the loss, shapes (m,) and (m, m)."""
    z = combined(features, weights)
    small = np.exp(-np.abs(z))
    chance = np.where(z >= 0.0, 1.0, small) / (1.0 + small)
    spread = n * small / np.square(1.0 + small)
    excess = n * chance - right
    gradient = (features * excess).sum(axis=1)
    curvature = np.array([(features * (row * spread)).sum(axis=1) for row in features])
    return gradient, curvature


def combined(features: FloatArray, weights: FloatArray) -> FloatArray:
    """Σⱼ wⱼ xⱼ, added feature by feature so that a row's place changes no rounding."""
    z = weights[0] * features[0]
    for weight, row in zip(weights[1:], features[1:], strict=True):
        z = z + weight * row
    return z


def _loss(features: FloatArray, n: FloatArray, right: FloatArray, weights: FloatArray) -> float:
    z = combined(features, weights)
    return float((n * np.logaddexp(0.0, z) - right * z).sum())
