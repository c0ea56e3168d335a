"""What the candidates of a closed world say of each method's confidence, in plain words."""

from __future__ import annotations

from dataclasses import replace

from turnsure.core.closed_world import ClosedWorld, CorrectionRow, IdealRow, IdentificationRow
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.tested import Found, clear_sign, is_within
from turnsure.report.readings import TARGETS
from turnsure.report.sentences import (
    Sentence,
    cannot_tell,
    moved,
    no_comparison,
    size,
    within,
)
from turnsure.report.text import MISSING, count, interval, number

_CHANCE = 0.5
"""AUROC of a confidence that knows nothing."""

_NEAR_CHANCE = 0.05
"""An AUROC surely closer to chance than this counts as chance."""


def counts(world: ClosedWorld) -> str:
    """What is behind the chapter, and what is left out of it."""
    parts = [
        f"One candidate remains at {world.n_identified:,} of {count(world.n_turns, 'turn')} of "
        f"{count(world.n_dialogues, 'dialogue')}."
    ]
    if world.n_without:
        are = "is" if world.n_without == 1 else "are"
        parts.append(
            f"{count(world.n_without, 'dialogue')} without candidates {are} left out here."
        )
    if world.n_unnamed:
        parts.append(
            f"At {count(world.n_unnamed, 'turn')} the answer names no candidate: its ideal is 0."
        )
    if world.n_ungraded:
        parts.append(
            f"At {count(world.n_ungraded, 'turn')} there is no answer that could be graded, and so "
            "no ideal."
        )
    return " ".join(parts)


def ideal_sentences(world: ClosedWorld) -> tuple[Sentence, ...]:
    """How close each method keeps to the ideal, and on which side of it."""
    return tuple(
        Sentence(
            subject=row.method,
            aside=TARGETS[row.target],
            text=_ideal_text(row, world.tolerance),
            decided=_keeps(row, world.tolerance) or _leans(row, world.tolerance) is not None,
        )
        for row in world.ideals
    )


def _keeps(row: IdealRow, tolerance: float) -> bool:
    return is_within(row.distance, tolerance)


def _leans(row: IdealRow, tolerance: float) -> int | None:
    """1 or −1 for surer or less sure than the ideal, 0 for neither, None where it is open."""
    if is_within(row.bias, tolerance):
        return 0
    return clear_sign(row.bias) or None


def _ideal_text(row: IdealRow, tolerance: float) -> str:
    distance, bias = row.distance, row.bias
    if isinstance(distance, Undefined):
        return no_comparison(distance)
    if isinstance(bias, Undefined):
        return no_comparison(bias)
    if _keeps(row, tolerance):
        return f"keeps to the ideal: on average they differ by {within(distance, tolerance)}."
    match _leans(row, tolerance):
        case None:
            return (
                "may be surer or less sure than the hints justify: which of them "
                f"{cannot_tell(bias)}"
            )
        case 0:
            return (
                f"is {size(distance)} from the ideal on average, above it as much as below: the "
                f"mean differs by {within(bias, tolerance)}."
            )
        case side:
            return (
                f"is {size(distance)} from the ideal on average, and all in all {size(bias)} "
                f"{'above' if side > 0 else 'below'} it: it is "
                f"{'surer' if side > 0 else 'less sure'} than the hints justify."
            )


def identification_sentences(world: ClosedWorld) -> tuple[Sentence, ...]:
    """Whether each method tells turns at which one candidate remains from the others."""
    return tuple(
        Sentence(
            subject=row.method,
            aside=TARGETS[row.target],
            text=_identification_text(row),
            decided=clear_sign(_above_chance(row)) != 0
            or is_within(_above_chance(row), _NEAR_CHANCE),
        )
        for row in world.identification
    )


def _above_chance(row: IdentificationRow) -> Found:
    """AUROC less that of a confidence which knows nothing, and so its interval."""
    found = row.metrics["auroc"]
    if isinstance(found, Undefined) or found.interval is None:
        return found
    low, high = found.interval.low - _CHANCE, found.interval.high - _CHANCE
    return replace(
        found, value=found.value - _CHANCE, interval=replace(found.interval, low=low, high=high)
    )


def _identification_text(row: IdentificationRow) -> str:
    found, above = row.metrics["auroc"], _above_chance(row)
    if isinstance(found, Undefined):
        return no_comparison(found)
    shown = "" if found.interval is None else f" {interval(found.interval, 'fraction')}"
    area = f"AUROC {number(found.value, 'fraction')}{shown}"
    side = clear_sign(above)
    if is_within(above, _NEAR_CHANCE):
        text = f"is about the same where one candidate remains and where several do: {area}"
    elif side:
        higher = "higher" if side > 0 else "lower"
        text = f"is {higher} where one candidate remains than where several do: {area}"
    else:
        return f"may or may not tell whether the answer is identified: this {cannot_tell(found)}"
    calibration = row.metrics["info_ece"]
    if row.ideal == "identified" and isinstance(calibration, MetricResult):
        text += f"; as a probability of that it is {size(calibration)} off (InfoECE)"
    return f"{text}."


def correction_sentences(world: ClosedWorld) -> tuple[Sentence, ...]:
    """What each method's confidence does when a correction widens the candidates."""
    return tuple(
        Sentence(
            subject=row.method,
            aside=TARGETS["answer"],
            text=_correction_text(row, world.tolerance),
            decided=row.verdict != "open",
        )
        for row in world.corrections
    )


def _correction_text(row: CorrectionRow, tolerance: float) -> str:
    change, ideal = row.change.change, row.ideal
    if isinstance(change, Undefined):
        return no_comparison(change)
    if isinstance(ideal, Undefined):
        return no_comparison(ideal)
    due = f"the ideal {_course(ideal)}"
    match row.verdict:
        case "passed":
            return (
                f"{moved(change)} when a correction widened the candidates, {fell(row.falling)}; "
                f"{due}."
            )
        case "failed" if is_within(change, tolerance):
            return (
                "does not fall when a correction widens the candidates: it moves by "
                f"{within(change, tolerance)}, and {due}."
            )
        case "failed":
            return (
                f"{moved(change)} when a correction widened the candidates: it should not; {due}."
            )
        case "open" if is_within(change, tolerance):
            return f"moves by {within(change, tolerance)} at corrections, and {due}."
        case "open":
            return (
                "may or may not fall when a correction widens the candidates: this "
                f"{cannot_tell(change)}"
            )


def fell(falling: Found) -> str:
    """At how many corrections a confidence fell: ``at 10 of 12 corrections``."""
    if isinstance(falling, Undefined):
        return MISSING
    return f"at {falling.details['n_fell']:,} of {count(falling.n_turns, 'correction')}"


def _course(ideal: MetricResult) -> str:
    """``falls by 13.1 points``, or ``stays where it is``."""
    points = number(abs(ideal.value), "percent")
    if not points.strip("0."):
        return "stays where it is"
    return f"{'falls' if ideal.value < 0.0 else 'rises'} by {points} points"
