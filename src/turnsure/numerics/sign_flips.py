"""How large a sum gets when the signs of its terms are drawn at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from turnsure.numerics.arrays import FloatArray

_BLOCK_NUMBERS = 1 << 17
_TIE = 1e-10
"""Sums this close, as a share of the sum of all sizes, are the same: rounding keeps them apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlips:
    """How many of the sign patterns looked at give a sum at least as large in size.

    Attributes
    ----------
    n_reaching, n_patterns
        Those, and all that were looked at.
    exact
        Whether these are all patterns there are.
    """

    n_reaching: int
    n_patterns: int
    exact: bool


def flip_signs(values: FloatArray, *, draws: int, seed: int) -> SignFlips:
    """Compare |Σ values| with |Σ ± values| over all sign patterns, or over ``draws`` random ones.

    Parameters
    ----------
    values
        Shape (n,).  A zero is the same with either sign, so patterns are those of the m others;
        this leaves every share of patterns as it is.
    draws
        At least 1.  All 2^m patterns are looked at when they are no more than this.
    seed
        Of the random patterns.
    """
    values = values[values != 0.0]
    enough = abs(float(values.sum())) - _TIE * float(np.abs(values).sum())
    if len(values) < draws.bit_length():
        sums = np.zeros(1)
        for value in values.tolist():
            sums = np.concatenate((sums + value, sums - value))
        return SignFlips(n_reaching=_reaching(sums, enough), n_patterns=len(sums), exact=True)

    tables = _byte_tables(values)
    places = np.arange(len(tables))
    random = np.random.default_rng(seed)
    step = max(1, _BLOCK_NUMBERS // len(tables))
    n_reaching = 0
    for start in range(0, draws, step):
        shape = (min(step, draws - start), len(tables))
        signs = random.integers(0, 256, shape, dtype=np.uint8)
        n_reaching += _reaching(tables[places, signs].sum(axis=1), enough)
    return SignFlips(n_reaching=n_reaching, n_patterns=draws, exact=False)


def _reaching(sums: FloatArray, enough: float) -> int:
    return int(np.count_nonzero(np.abs(sums) >= enough))


def _byte_tables(values: FloatArray) -> FloatArray:
    """Signed sums of eight values at a time by the byte that holds their signs, shape (k, 256).

    A random byte then settles eight signs with one look-up.
    """
    padded = np.zeros(-(-len(values) // 8) * 8)
    padded[: len(values)] = values
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, np.newaxis], axis=1)
    return padded.reshape(-1, 8) @ (2.0 * bits.T - 1.0)
