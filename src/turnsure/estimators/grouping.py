"""Which of several texts belong together.  Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence


def connected(n: int, linked: Callable[[int, int], bool]) -> list[list[int]]:
    """Connected components of the graph over 0 … n − 1 whose edges ``linked`` tells.

    Two items belong together when a chain of links leads from one to the other, so the result is
    transitive even where ``linked`` is not.

    Parameters
    ----------
    n
        0 or more.
    linked
        Symmetric; called with the smaller number first.

    Returns
    -------
    list
        Components in the order of their smallest member, each in ascending order.
    """
    components: list[list[int]] = []
    for item in range(n):
        whole, apart = [item], list[list[int]]()
        for component in components:
            if any(linked(member, item) for member in component):
                whole += component
            else:
                apart.append(component)
        components = sorted([*apart, sorted(whole)])
    return components


def cosine(left: Sequence[float], right: Sequence[float]) -> float | None:
    """Cosine of the angle between two vectors, in [−1, 1].

    None when they differ in length, or one of them has no direction.
    """
    norms = math.hypot(*left) * math.hypot(*right)
    if len(left) != len(right) or norms == 0 or not math.isfinite(norms):
        return None
    product = math.fsum(one * other for one, other in zip(left, right, strict=True))
    return max(-1.0, min(1.0, product / norms))
