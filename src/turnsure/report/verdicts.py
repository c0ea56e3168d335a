"""Which method passed which control: for the box on the page and the table in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsure.core.controls import ControlEffects
from turnsure.core.tested import Verdict
from turnsure.report.readings import DIAGNOSES, TARGETS, format_name
from turnsure.report.readings_questions import judged_sources, source_name

PLACEBO, FORMAT, SUPPLIED, PROTOCOLS = (
    "control-placebo",
    "control-formats",
    "control-supplied",
    "control-protocols",
)
"""Anchors of the chapters."""

MARKS: dict[Verdict, str] = {"passed": "✓", "failed": "✗", "open": "?"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One verdict on one method.

    Attributes
    ----------
    method
        Whom it is about.
    control, part
        Which control, and which part of it, for example ``"placebo"`` and ``"own answer"``.
    anchor
        Where the page tells more.
    verdict
        What came out.
    why
        A few words more; empty where the verdict says it all.
    main
        Whether a short table shows it.
    """

    method: str
    control: str
    part: str
    anchor: str
    verdict: Verdict
    why: str = ""
    main: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What one method passed and failed, and what is open."""

    method: str
    passed: tuple[Judged, ...]
    failed: tuple[Judged, ...]
    open: tuple[Judged, ...]


def judged(effects: ControlEffects) -> tuple[Judged, ...]:
    """Every verdict, control by control; of wrong answers the first is the main one."""
    found: list[Judged] = []
    if effects.placebo is not None:
        found += [
            Judged(
                method=row.method,
                control="placebo",
                part=TARGETS[row.target],
                anchor=PLACEBO,
                verdict=row.verdict,
                why=DIAGNOSES[row.diagnosis],
            )
            for row in effects.placebo.rows
        ]
    for told in effects.formats:
        found += [
            Judged(
                method=row.method,
                control="single turn",
                part=format_name(told.condition),
                anchor=FORMAT,
                verdict=row.verdict,
            )
            for row in told.rows
        ]
    if effects.supplied is not None:
        named = judged_sources(effects.supplied)
        found += [
            Judged(
                method=row.method,
                control="supplied",
                part=source_name(row.source),
                anchor=SUPPLIED,
                verdict=row.verdict,
                main=source == named[0],
            )
            for source in named
            for row in effects.supplied.rows
            if row.source == source and row.verdict is not None
        ]
    return tuple(found)


def standings(verdicts: Sequence[Judged]) -> tuple[Standing, ...]:
    """The verdicts by method, in order of first appearance."""
    methods = dict.fromkeys(one.method for one in verdicts)
    return tuple(
        Standing(
            method=method,
            passed=_of(verdicts, method, "passed"),
            failed=_of(verdicts, method, "failed"),
            open=_of(verdicts, method, "open"),
        )
        for method in methods
    )


def _of(verdicts: Sequence[Judged], method: str, verdict: Verdict) -> tuple[Judged, ...]:
    return tuple(one for one in verdicts if one.method == method and one.verdict == verdict)
