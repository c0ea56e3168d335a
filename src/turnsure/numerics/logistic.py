"""Ridge-penalised logistic regression by Newton's method.  Pure.

Minimises Σᵢ log(1 + exp(−yᵢ zᵢ)) + (λ/2)‖w‖² with zᵢ = b + xᵢ·w and yᵢ = ±1; the intercept b is not
penalised.  The objective is strictly convex, so with both classes in the data there is one minimum
(Hastie, Tibshirani & Friedman 2009, sections 4.4.1 and 4.4.4; le Cessie & van Houwelingen 1992).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

MAX_STEPS = 100
"""Newton steps; a well-posed fit needs about ten."""

TOLERANCE = 1e-9
"""Largest entry of the gradient, divided by the number of rows, at which a fit has converged."""

_HALVINGS = 50
_SUFFICIENT = 1e-4
_ROUNDING = 1e-14


def fit_logistic(features: Floats, correct: Floats, *, penalty: float) -> Floats | None:
    """Intercept and weights.

    Parameters
    ----------
    features
        Shape (n, m), n ≥ 1, finite.
    correct
        Shape (n,), of 0 and 1.
    penalty
        λ, above 0.

    Returns
    -------
    numpy.ndarray or None
        Shape (m + 1,), the intercept first; None when there is no minimum, for want of one of the
        classes, or it was not reached.
    """
    import numpy as np

    if correct.min() == correct.max():
        return None
    n, m = features.shape
    design = np.column_stack([np.ones(n), features])
    sign = 2 * correct - 1
    ridge = np.full(m + 1, penalty)
    ridge[0] = 0.0

    def objective(weights: Floats) -> float:
        losses = np.logaddexp(0.0, -sign * (design @ weights))
        return float(losses.sum() + 0.5 * (ridge * weights**2).sum())

    weights = np.zeros(m + 1)
    value = objective(weights)
    for _ in range(MAX_STEPS):
        chance = probability(features, weights)
        gradient = design.T @ (chance - correct) + ridge * weights
        if np.abs(gradient).max() <= TOLERANCE * n:
            return weights
        curvature = (design * (chance * (1 - chance))[:, None]).T @ design + np.diag(ridge)
        try:
            step = np.linalg.solve(curvature, gradient)
        except np.linalg.LinAlgError:
            return None
        # A full step can overshoot where the curve is flat; halving it finds a lower point.  Near
        # the minimum, rounding hides the descent, and the full step is the right one.
        rounding = _ROUNDING * (1.0 + abs(value))
        slope, size = float(gradient @ step), 1.0
        for _ in range(_HALVINGS):
            candidate = weights - size * step
            lower = objective(candidate)
            if lower <= value - _SUFFICIENT * size * slope + rounding:
                break
            size /= 2
        else:
            return None
        weights, value = candidate, lower
    return None


def probability(features: Floats, weights: Floats) -> Floats:
    """1 / (1 + exp(−z)) for each row, shape (n,), without overflow."""
    import numpy as np

    # Summed row by row, so that a row's place among the others changes no rounding.
    z = weights[0] + (features * weights[1:]).sum(axis=1)
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, small) / (1.0 + small)
