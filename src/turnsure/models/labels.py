"""From a list of top tokens to a distribution over labels.  Pure, shared by all back-ends."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

from turnsure.core.errors import MalformedResponse
from turnsure.core.generation import LabelReading

N_OUTSIDE = 5
"""How many tokens that belong to no label a reading keeps."""

_ROUNDING = 1e-6
# Tokenisers write the space in front of a word as "▁" or "Ġ" when tokens are not decoded.
_SPACES = r"[\s▁Ġ]*"
_OPENING = r"""["'`“”‘’«»(\[{<*]*"""
_CLOSING = r"""["'`“”‘’«»)\]}>*.:]*"""


def read_labels(labels: Sequence[str], top: Sequence[tuple[str, float]]) -> LabelReading:
    """Sum the probabilities of each label's token variants.

    A token is a variant of label "A" when nothing but A is left after taking away leading spaces,
    opening quotes, brackets or asterisks, and closing ones with full stop or colon: ``A``,
    ``" A"``, ``**A**``, ``(A).`` and ``▁A:`` are; ``a``, ``AB`` and ``A country`` are not.

    Parameters
    ----------
    labels
        Different texts.  A token that fits two of them belongs to the longer one.
    top
        The most probable first tokens with their natural log-probabilities, in any order.

    Returns
    -------
    LabelReading
        Probabilities that are not renormalised.  A label without a variant in the list gets the
        smallest listed probability, an upper bound, and is named in ``truncated``.

    Raises
    ------
    MalformedResponse
        The list is empty, or a log-probability is not a number or above 0.
    """
    if not top:
        raise MalformedResponse("the list of top tokens is empty")
    listed = [(token, _probability(token, logprob)) for token, logprob in top]
    patterns = [
        (label, re.compile(f"{_SPACES}{_OPENING}{re.escape(label)}{_CLOSING}"))
        for label in sorted(labels, key=len, reverse=True)
    ]
    found: defaultdict[str, float] = defaultdict(float)
    outside: defaultdict[str, float] = defaultdict(float)
    variants: defaultdict[str, float] = defaultdict(float)
    for token, probability in listed:
        owner = next((label for label, form in patterns if form.fullmatch(token)), None)
        if owner is None:
            outside[token] += probability
        else:
            found[owner] += probability
            variants[token] += probability
    bound = min(probability for _, probability in listed)
    likeliest = sorted(outside.items(), key=lambda item: -item[1])[:N_OUTSIDE]
    return LabelReading(
        mass={label: found.get(label, bound) for label in labels},
        truncated=tuple(label for label in labels if label not in found),
        n_top=len(listed),
        outside=dict(likeliest),
        variants=dict(variants),
    )


def _probability(token: str, logprob: float) -> float:
    if math.isnan(logprob) or logprob > _ROUNDING:
        raise MalformedResponse(
            f"token {token!r} has the log-probability {logprob}, expected 0 or less"
        )
    return min(1.0, math.exp(logprob))
