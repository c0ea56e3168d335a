"""McNemar's exact test: whether two conditions pass the same pairs, beyond chance."""

from __future__ import annotations

from turnsure.core.suite_counts import McNemarTest
from turnsure.numerics.binomial import binomial_tail
from turnsure.numerics.inputs import whole_number

_MOST_PAIRS = 1_000_000


def mcnemar_exact(
    *, only_left: int, only_right: int, both: int = 0, neither: int = 0
) -> McNemarTest:
    """Two-sided exact test that a pair is as likely to favour one side as the other.

    With m = b + c pairs that disagree, p is twice the smaller tail of Binomial(m, ½) at
    min(b, c), at most 1; with no pair that disagrees it is 1.

    Parameters
    ----------
    only_left, only_right
        b and c: pairs in which one side alone passed, each 0 or more.
    both, neither
        Pairs that agree, for the record.

    Raises
    ------
    InputError
        A count is no whole number, or negative.

    References
    ----------
    McNemar: Note on the sampling error of the difference between correlated proportions or
    percentages. Psychometrika 12 (1947).  The exact version: Fagerland, Lydersen, Laake: The
    McNemar test for binary matched-pairs data. BMC Medical Research Methodology 13 (2013),
    equation 3.
    """
    counts = {"only_left": only_left, "only_right": only_right, "both": both, "neither": neither}
    for field, value in counts.items():
        whole_number(value, field, minimum=0, maximum=_MOST_PAIRS)
    tail = binomial_tail(min(only_left, only_right), only_left + only_right, 0.5)
    return McNemarTest(
        p_value=min(1.0, 2.0 * tail),
        n_only_left=only_left,
        n_only_right=only_right,
        n_both=both,
        n_neither=neither,
    )
