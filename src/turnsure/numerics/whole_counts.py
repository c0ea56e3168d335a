"""What the part of a known number of trials says about all of them, however often one looks."""

from __future__ import annotations

import math
from collections.abc import Callable

_ROUNDING = 1e-9
"""A logarithm that is no further above the limit is at it, which is not enough to stay."""


def whole_count_bounds(passes: int, runs: int, total: int, level: float) -> tuple[int, int]:
    """Bounds for the passes among ``total`` exchangeable trials, after the first ``runs`` of them.

    The bounds form a confidence sequence: with probability at least ``level`` they hold the count
    of the whole after *every* number of runs, so that a rule may look at them as often as it likes
    and stop when it likes.  The trials are the whole, not a sample of a rate: with all of them
    seen, both bounds are the count.

    A count K stays when h(passes; total, K, runs) (runs + 1) > 1 − level, where h is the
    hypergeometric probability.  The left side is one over the prior–posterior ratio under a uniform
    prior on 0 … total, and 1/(runs + 1) the probability of any number of passes under that prior.

    Parameters
    ----------
    passes, runs, total
        0 <= passes <= runs <= total.
    level
        In (0, 1).

    Returns
    -------
    tuple
        The smallest and the largest count that stay, never outside of what is still possible:
        passes and passes + total − runs.

    References
    ----------
    Waudby-Smith, Ramdas: Confidence sequences for sampling without replacement. NeurIPS 2020,
    section 2.
    """
    least, most = passes, passes + total - runs
    limit = math.log1p(-level) + _log_choices(total, runs) - math.log(runs + 1)

    def stays(count: int) -> bool:
        ways = _log_choices(count, passes) + _log_choices(total - count, runs - passes)
        return ways > limit + _ROUNDING

    # The probability rises up to this count and falls beyond it.  This one always stays: over all
    # counts h is 1 / (runs + 1) on average.
    likeliest = min(most, max(least, (total + 1) * passes // max(runs, 1)))
    return _last(likeliest, least, stays), _last(likeliest, most, stays)


def _last(inside: int, end: int, stays: Callable[[int], bool]) -> int:
    """The last count that stays on the way from ``inside``, which does, to ``end``."""
    if stays(end):
        return end
    outside = end
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if stays(middle):
            inside = middle
        else:
            outside = middle
    return inside


def _log_choices(n: int, k: int) -> float:
    """Logarithm of C(n, k), for 0 <= k <= n."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
