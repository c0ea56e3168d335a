"""The rows of the controls' tables, grouped as the page shows them."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.core.digest import SHORT
from turnsure.core.question_controls import ALL_SOURCES, ProtocolEffects, SuppliedEffects
from turnsure.core.results import MetricResult
from turnsure.core.tested import Found, Verdict
from turnsure.core.turn_controls import FormatEffects, PlaceboEffects
from turnsure.report.control_cells import ChangeCell, PairCell, change_cell, mean, pair_cell
from turnsure.report.readings import DIAGNOSES, TARGETS, format_name
from turnsure.report.readings_questions import judged_sources, source_name, sources
from turnsure.report.summary import METRICS, Cell, cell
from turnsure.report.text import count

VARIANT_METRICS = ("info_ece", "kendall_tau", "auroc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One method's line.

    Attributes
    ----------
    method
        Its name.
    before
        The mean that both changes start from, as text; empty where a cell has it.
    changes
        Changes with their tests.
    pairs
        Values under two conditions.
    auroc, behind
        Of answers, and how many turns and answers stand behind it.
    verdict, why
        None where no method is judged.
    """

    method: str
    before: str = ""
    changes: tuple[ChangeCell, ...] = ()
    pairs: tuple[PairCell, ...] = ()
    auroc: Cell | None = None
    behind: str = ""
    verdict: Verdict | None = None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Lines under a heading.

    ``remark`` and ``digest``, the short one of a protocol, stand beside it; ``accuracy`` holds the
    accuracies in the states of the lines, as text.
    """

    heading: str
    lines: tuple[Line, ...]
    remark: str = ""
    digest: str = ""
    accuracy: tuple[str, ...] = ()


def placebo_groups(effects: PlaceboEffects) -> tuple[Group, ...]:
    """A group for each target that was asked about; accuracy belongs to the own answer.

    The changes of a line are that on information, that on the placebo, and the separation.
    """
    accuracy = tuple(
        mean(value)
        for value in (
            effects.accuracy_before,
            effects.accuracy_information,
            effects.accuracy_placebo,
        )
    )
    groups = [
        Group(
            heading=name,
            lines=tuple(
                Line(
                    method=row.method,
                    before=mean(row.before),
                    changes=tuple(
                        change_cell(one) for one in (row.information, row.placebo, row.separation)
                    ),
                    verdict=row.verdict,
                    why=DIAGNOSES[row.diagnosis],
                )
                for row in effects.rows
                if row.target == target
            ),
            accuracy=accuracy if target == "answer" else (),
        )
        for target, name in TARGETS.items()
    ]
    return tuple(group for group in groups if group.lines)


def format_rows(effects: FormatEffects) -> Group:
    """Each method's confidence, InfoECE and τ over the turns and in the format."""
    return Group(
        heading=format_name(effects.condition),
        lines=tuple(
            Line(
                method=row.method,
                changes=(change_cell(row.confidence),),
                pairs=(pair_cell(row.info_ece, "percent"), pair_cell(row.kendall_tau, "percent")),
                verdict=row.verdict,
            )
            for row in effects.rows
        ),
    )


def supplied_groups(effects: SuppliedEffects) -> tuple[Group, ...]:
    """A group for each source, so that methods are compared on the same wrong answers."""
    return tuple(
        Group(
            heading=source_name(source),
            remark=_supply(effects, source),
            lines=tuple(
                Line(
                    method=row.method,
                    changes=(change_cell(row.gap),),
                    auroc=cell(row.auroc, "fraction"),
                    behind=_behind(row.auroc),
                    verdict=row.verdict,
                )
                for row in effects.rows
                if row.source == source
            ),
        )
        for source in sources(effects)
    )


def _behind(auroc: Found) -> str:
    """Turns, and the answers judged at them; empty for no value."""
    if not isinstance(auroc, MetricResult):
        return ""
    return f"{count(auroc.n_turns, 'turn')}, {auroc.details['n_answers']:,} answers"


def _supply(effects: SuppliedEffects, source: str) -> str:
    if source == ALL_SOURCES:
        n = sum(effects.n_supplied.get(judged, 0) for judged in judged_sources(effects))
        return count(n, "wrong answer")
    without = effects.n_turns_without.get(source)
    supplied = count(effects.n_supplied.get(source, 0), "wrong answer")
    return supplied if without is None else f"{supplied}; {count(without, 'turn')} without one"


def variant_groups(effects: ProtocolEffects) -> tuple[Group, ...]:
    """A group for each variant, with the digest of its protocol."""
    by_variant: dict[str, list[Line]] = {}
    for row in effects.rows:
        pairs = tuple(
            pair_cell(row.differences.get(metric), METRICS[metric].unit)
            for metric in VARIANT_METRICS
        )
        by_variant.setdefault(row.variant, []).append(Line(method=row.method, pairs=pairs))
    return tuple(
        Group(
            heading=variant,
            digest=effects.protocols[variant][:SHORT],
            lines=tuple(lines),
        )
        for variant, lines in by_variant.items()
    )
