"""What the controls on questions found, in plain words: supplied answers and other protocols."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.question_controls import (
    Flip,
    ProtocolEffects,
    SuppliedEffects,
    SuppliedRow,
)
from turnsure.core.results import MetricResult, Undefined
from turnsure.report.sentences import (
    METRICS,
    Sentence,
    behind_all,
    cannot_tell,
    caveat,
    clear_sign,
    compared,
    no_comparison,
    size,
    within,
)
from turnsure.report.text import count, printable

ALL = "all"
"""The row over all sources."""


def source_name(source: str) -> str:
    """What a source of wrong answers is called."""
    return "all sources" if source == ALL else source


def sources(effects: SuppliedEffects) -> tuple[str, ...]:
    """The sources with a row: all together first, then in the order of the run."""
    named = dict.fromkeys([ALL, *effects.n_turns_without, *(row.source for row in effects.rows)])
    present = {row.source for row in effects.rows}
    return tuple(source for source in named if source in present)


def supplied_sentences(effects: SuppliedEffects) -> tuple[Sentence, ...]:
    """A sentence for each source and method."""
    return tuple(
        supplied_sentence(row, effects.tolerance)
        for source in sources(effects)
        for row in effects.rows
        if row.source == source
    )


def supplied_sentence(row: SuppliedRow, tolerance: float) -> Sentence:
    """Whether one method tells the gold answer from wrong ones of one source.

    Parameters
    ----------
    row
        What was found.
    tolerance
        The gap that counts as nearly the same confidence.
    """
    return Sentence(
        subject=row.method,
        aside=source_name(row.source),
        text=_supplied_text(row, tolerance),
        decided=row.verdict != "open",
    )


def _supplied_text(row: SuppliedRow, tolerance: float) -> str:
    gap = row.gap.change
    if isinstance(gap, Undefined):
        return no_comparison(gap)
    if row.verdict == "passed":
        return (
            f"gives the gold answer {size(gap)} more than wrong ones{caveat(row.gap)}: it tells "
            "them apart."
        )
    if row.verdict == "open":
        return f"may or may not tell the gold answer from wrong ones: this {cannot_tell(gap)}"
    if clear_sign(gap) < 0 and not _is_near(gap, tolerance):
        return (
            f"gives wrong answers {size(gap)} more than the gold one{caveat(row.gap)}: it prefers "
            "what is wrong."
        )
    return (
        f"gives wrong answers nearly the confidence of the gold one: they differ by "
        f"{within(gap, tolerance)}."
    )


def _is_near(gap: MetricResult, tolerance: float) -> bool:
    """Whether even the largest preference for wrong answers is too small to count."""
    return gap.interval is not None and gap.interval.low > -tolerance


def flips_headline(effects: ProtocolEffects) -> str:
    """How many pairs of methods change places."""
    if not effects.n_pairs:
        return "There is no pair of methods whose order could change."
    n_beyond = sum(flip.beyond_chance for flip in effects.flips)
    return (
        f"Two methods change places in {len(effects.flips):,} of "
        f"{count(effects.n_pairs, 'comparison')} (pairs of methods, by metric and variant), beyond "
        f"chance in {n_beyond:,}."
    )


def flip_sentences(flips: Sequence[Flip]) -> list[Sentence]:
    """Methods that change places; which is better is only said where it is beyond chance.

    A sentence for each such flip, and one for all others of a variant and a metric.
    """
    sentences = [
        Sentence(
            subject=flip.better,
            aside=flip.variant,
            text=f"is better than {printable(flip.worse)} in {METRICS[flip.metric].heading} under "
            "the run's own protocol and worse under this variant, both beyond chance.",
        )
        for flip in flips
        if flip.beyond_chance
    ]
    others: dict[tuple[str, str], list[Flip]] = {}
    for flip in flips:
        if not flip.beyond_chance:
            others.setdefault((flip.variant, flip.metric), []).append(flip)
    return sentences + [
        Sentence(
            subject=variant,
            aside=METRICS[metric].heading,
            text=f"lets {'; '.join(map(_pair, some))} change places, but which is better under "
            f"both protocols cannot be told from these data ({_turns(some)}).",
            decided=False,
        )
        for (variant, metric), some in others.items()
    ]


def _pair(flip: Flip) -> str:
    return f"{printable(flip.better)} and {printable(flip.worse)}"


def _turns(flips: Sequence[Flip]) -> str:
    """On how many turns, or between how many."""
    least, most = min(flip.n_turns for flip in flips), max(flip.n_turns for flip in flips)
    return count(least, "turn") if least == most else f"{least:,} to {count(most, 'turn')}"


def protocol_sentences(effects: ProtocolEffects) -> tuple[Sentence, ...]:
    """Flips, clear differences, and how many differences are open."""
    differences = [
        (row, metric, found) for row in effects.rows for metric, found in row.differences.items()
    ]
    flips = flip_sentences(effects.flips)
    sentences = [flip for flip in flips if flip.decided]
    defined = [
        (row, metric, found)
        for row, metric, found in differences
        if isinstance(found, MetricResult)
    ]
    sentences += [
        Sentence(
            subject=row.method,
            aside=row.variant,
            text=f"{compared(metric, found)} than under the run's own protocol.",
        )
        for row, metric, found in defined
        if clear_sign(found)
    ]
    sentences += [flip for flip in flips if not flip.decided]
    unclear = [found for _, _, found in defined if not clear_sign(found)]
    if unclear:
        sentences.append(_unclear(unclear, len(differences)))
    if n_undefined := len(differences) - len(defined):
        sentences.append(
            Sentence(
                subject=f"{n_undefined:,} of {count(len(differences), 'difference')}",
                text=f"{'is' if n_undefined == 1 else 'are'} not defined; point at a dash for the "
                "reason.",
                decided=False,
            )
        )
    return tuple(sentences)


def _unclear(found: Sequence[MetricResult], n_all: int) -> Sentence:
    return Sentence(
        subject=f"{len(found):,} of {count(n_all, 'difference')}",
        text="may be none: whether the variant moves the value cannot be told from these data "
        f"({behind_all(found)}).",
        decided=False,
    )
