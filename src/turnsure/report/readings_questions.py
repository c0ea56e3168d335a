"""What the controls on questions found, in plain words: supplied answers and other protocols."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.question_controls import (
    ALL_SOURCES,
    Flip,
    ProtocolEffects,
    SuppliedEffects,
    SuppliedRow,
)
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.tested import TestedChange, clear_sign, is_within
from turnsure.report.sentences import (
    Sentence,
    behind_all,
    cannot_tell,
    compared,
    no_comparison,
    size,
    spread,
    within,
)
from turnsure.report.summary import METRICS
from turnsure.report.text import count, printable

FITTING = "candidates that still fit the hints"
"""The wrong answers by which no method is judged."""


def source_name(source: str) -> str:
    """What a source of wrong answers is called."""
    return "all judged sources" if source == ALL_SOURCES else source


def sources(effects: SuppliedEffects) -> tuple[str, ...]:
    """The sources with a row: those judged together first, then in the order of the run."""
    named = dict.fromkeys(
        [ALL_SOURCES, *effects.n_turns_without, *(row.source for row in effects.rows)]
    )
    present = {row.source for row in effects.rows}
    return tuple(source for source in named if source in present)


def judged_sources(effects: SuppliedEffects) -> tuple[str, ...]:
    """Those of :func:`sources` that have verdicts; the first of them stands for the others."""
    judged = {row.source for row in effects.rows if row.verdict is not None}
    return tuple(source for source in sources(effects) if source in judged)


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
        decided=_is_described(row.gap, tolerance) if row.verdict is None else row.verdict != "open",
    )


def _supplied_text(row: SuppliedRow, tolerance: float) -> str:
    gap = row.gap.change
    if isinstance(gap, Undefined):
        return no_comparison(gap)
    match row.verdict:
        case "passed":
            return f"gives the gold answer {size(gap)} more than wrong ones: it tells them apart."
        case "failed" if is_within(gap, tolerance):
            return (
                "gives wrong answers nearly the confidence of the gold one: they differ by "
                f"{within(gap, tolerance)}."
            )
        case "failed":
            return (
                f"gives wrong answers {size(gap)} more than the gold one: it prefers what is wrong."
            )
        case "open":
            return f"may or may not tell the gold answer from wrong ones: this {cannot_tell(gap)}"
        case None:
            return _described(row.gap, gap, tolerance)


def _described(tested: TestedChange, gap: MetricResult, tolerance: float) -> str:
    """How a gap that is not judged turned out."""
    if tested.rises or tested.falls:
        more = "more" if tested.rises else "less"
        return f"gives the gold answer {size(gap)} {more} than {FITTING}."
    if is_within(gap, tolerance):
        return (
            f"gives the gold answer nearly the confidence of {FITTING}: they differ by "
            f"{within(gap, tolerance)}."
        )
    return f"may or may not set the gold answer apart from {FITTING}: this {cannot_tell(gap)}"


def _is_described(tested: TestedChange, tolerance: float) -> bool:
    """Whether anything can be told of a gap that is not judged."""
    return tested.rises or tested.falls or is_within(tested.change, tolerance)


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
            f"both protocols cannot be told from these data "
            f"({spread([flip.n_turns for flip in some], 'turn')}).",
            decided=False,
        )
        for (variant, metric), some in others.items()
    ]


def _pair(flip: Flip) -> str:
    return f"{printable(flip.better)} and {printable(flip.worse)}"


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
