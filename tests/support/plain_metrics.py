"""The definitions of the metrics, one row at a time, in exact fractions.

Slow and plain on purpose: what the fast versions are checked against.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

Row = tuple[Fraction, int]


def rows_of(confidence: Sequence[float], correct: Sequence[int]) -> list[Row]:
    return [(Fraction(c), y) for c, y in zip(confidence, correct, strict=True)]


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def width_bin(confidence: float, bins: int) -> int:
    """The last bin whose lower edge, the double nearest to k/B, is not above the confidence."""
    return max(k for k in range(bins) if confidence >= k / bins)


def mass_bins(values: Sequence[float | Fraction], bins: int) -> list[int]:
    n = len(values)
    return [(bins * sum(other <= value for other in values) - 1) // n for value in values]


def level_bin(turn: int, n_turns: int, bins: int) -> int:
    """The bin (k/B, (k+1)/B] that holds turn/n_turns."""
    [place] = [
        k
        for k in range(bins)
        if Fraction(k, bins) < Fraction(turn, n_turns) <= Fraction(k + 1, bins)
    ]
    return place


def grouped(rows: Sequence[Row], groups: Sequence[object]) -> list[list[Row]]:
    by_group: dict[object, list[Row]] = {}
    for row, group in zip(rows, groups, strict=True):
        by_group.setdefault(group, []).append(row)
    return list(by_group.values())


def gap(rows: Sequence[Row]) -> Fraction:
    return mean([Fraction(y) for _, y in rows]) - mean([c for c, _ in rows])


def info_ece(rows: Sequence[Row], bins: Sequence[int]) -> Fraction:
    return mean([abs(gap(group)) for group in grouped(rows, bins)])


def ece_l1(rows: Sequence[Row], bins: Sequence[int]) -> Fraction:
    return sum((abs(gap(g)) * len(g) for g in grouped(rows, bins)), Fraction(0)) / len(rows)


def ece_max(rows: Sequence[Row], bins: Sequence[int]) -> Fraction:
    return max(abs(gap(group)) for group in grouped(rows, bins))


def squared_ece_l2(rows: Sequence[Row], bins: Sequence[int], *, debias: bool) -> Fraction:
    total = Fraction(0)
    for group in grouped(rows, bins):
        square = gap(group) ** 2
        if debias and len(group) > 1:
            accuracy = mean([Fraction(y) for _, y in group])
            square -= accuracy * (1 - accuracy) / (len(group) - 1)
        total += square * len(group)
    return max(total / len(rows), Fraction(0))


def brier(rows: Sequence[Row]) -> Fraction:
    return mean([(c - y) ** 2 for c, y in rows])


def between_groups(rows: Sequence[Row], groups: Sequence[object]) -> tuple[Fraction, Fraction]:
    """Murphy's reliability and resolution."""
    base = mean([Fraction(y) for _, y in rows])
    reliability, resolution = Fraction(0), Fraction(0)
    for group in grouped(rows, groups):
        accuracy = mean([Fraction(y) for _, y in group])
        reliability += len(group) * gap(group) ** 2
        resolution += len(group) * (accuracy - base) ** 2
    return reliability / len(rows), resolution / len(rows)


def isotonic_fit(rows: Sequence[Row]) -> list[Fraction]:
    """Fitted values by the max–min formula: max over a ≤ i of min over b ≥ i of mean(a..b)."""
    values = sorted({c for c, _ in rows})

    def fitted(at: Fraction) -> Fraction:
        return max(
            min(
                mean([Fraction(y) for c, y in rows if low <= c <= high])
                for high in values
                if high >= at
            )
            for low in values
            if low <= at
        )

    return [fitted(c) for c, _ in rows]


def auroc(rows: Sequence[Row]) -> Fraction:
    right = [c for c, y in rows if y]
    wrong = [c for c, y in rows if not y]
    pairs = [Fraction(2 * (r > w) + (r == w), 2) for r in right for w in wrong]
    return mean(pairs)


def average_precision(rows: Sequence[Row]) -> Fraction:
    n_right = sum(y for _, y in rows)
    total, found = Fraction(0), 0
    for threshold in sorted({c for c, _ in rows}, reverse=True):
        accepted = [y for c, y in rows if c >= threshold]
        total += Fraction(sum(accepted) - found, n_right) * Fraction(sum(accepted), len(accepted))
        found = sum(accepted)
    return total


def aurc(rows: Sequence[Row]) -> Fraction:
    """Mean over k of the expected error of the k surest, the cut tie group in random order."""
    risks: list[Fraction] = []
    for k in range(1, len(rows) + 1):
        cut = sorted((c for c, _ in rows), reverse=True)[k - 1]
        surer = [1 - y for c, y in rows if c > cut]
        tied = [Fraction(1 - y) for c, y in rows if c == cut]
        risks.append((sum(surer) + mean(tied) * (k - len(surer))) / k)
    return mean(risks)


def kendall(confidences: Sequence[float]) -> Fraction:
    """τ-a of confidences in the order of their turns."""
    pairs = list(combinations(confidences, 2))
    return Fraction(sum((b > a) - (b < a) for a, b in pairs), len(pairs))


def at_least_one(passes: int, runs: int, k: int) -> Fraction:
    choices = list(combinations([True] * passes + [False] * (runs - passes), k))
    return Fraction(sum(any(choice) for choice in choices), len(choices))


def all_of_them(passes: int, runs: int, k: int) -> Fraction:
    choices = list(combinations([True] * passes + [False] * (runs - passes), k))
    return Fraction(sum(all(choice) for choice in choices), len(choices))
