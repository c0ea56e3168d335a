"""An unbiased share of passes when it was the passes themselves that ended the sampling."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def stopped_shares(
    looks: Sequence[int], may_stop: Callable[[int, int], bool]
) -> dict[tuple[int, int], float]:
    """The share to report at every point at which sampling can end.

    Who stops when the passes so far look decided stops at extreme shares, so passes / runs is
    biased outwards.  Given where the sampling ended, all ways to get there are equally likely, and
    the part of them that begins with a pass has the chance of a pass as its expectation, whatever
    that chance is.

    Parameters
    ----------
    looks
        Numbers of runs after which it may end, ascending, at least one; it ends at the last.
    may_stop
        Whether it ends with so many passes of so many runs; asked at earlier looks only.

    Returns
    -------
    dict
        (passes, runs) -> share, in [0, 1], for the points that can be reached.

    References
    ----------
    Girshick, Mosteller, Savage: Unbiased estimates for certain binomial sampling problems with
    applications. Annals of Mathematical Statistics 17 (1946).
    """
    shares: dict[tuple[int, int], float] = {}
    # By number of passes: ways to get there without having ended, and those that begin with a pass.
    ways, begun = {0: 1}, {0: 0}
    runs = 0
    for look in looks:
        more = look - runs
        now, now_begun = dict[int, int](), dict[int, int]()
        for passes, n_ways in ways.items():
            for new in range(more + 1):
                choices = math.comb(more, new)
                first = math.comb(more - 1, new - 1) if new else 0
                to = passes + new
                now[to] = now.get(to, 0) + n_ways * choices
                begin = begun[passes] * choices if runs else first
                now_begun[to] = now_begun.get(to, 0) + begin
        runs = look
        ends = {passes for passes in now if runs == looks[-1] or may_stop(passes, runs)}
        shares |= {(passes, runs): now_begun[passes] / now[passes] for passes in ends}
        ways = {passes: n for passes, n in now.items() if passes not in ends}
        begun = now_begun
    return shares
