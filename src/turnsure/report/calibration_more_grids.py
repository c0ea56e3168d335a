"""Slices, calibration maps and the cost of signals as tables of text."""

from __future__ import annotations

from turnsure.core.calibrated import MapComparison, MapEvidence
from turnsure.core.grid import Grid
from turnsure.core.results import Undefined
from turnsure.core.signal_cost import CostRow, SignalCost
from turnsure.core.slices import SliceRow, SliceTable
from turnsure.core.tested import Found
from turnsure.report.text import MISSING, p_value, score, signed
from turnsure.report.text_grid import gap_text, shown, text_grid, with_bounds


def slice_grid(table: SliceTable) -> Grid:
    """One slice."""
    return text_grid(
        f"slice {table.kind} {table.name}",
        {"column": f"By {table.name}", "turn": "By turn", "level": "By information level"}[
            table.kind
        ],
        (table.name,),
        (
            "n",
            "accuracy %",
            "mean score %",
            "gap",
            "Brier",
            "ECE %",
            "against the rest",
            "p (Holm)",
        ),
        [_slice_row(row) for row in table.rows],
    )


def map_grid(maps: MapComparison) -> Grid:
    """Every map beside the raw score, judged on dialogues that it was not fitted on."""
    names = {
        "log_loss": "log loss ↓",
        "brier": "Brier ↓",
        "smooth_ece": "smooth ECE % ↓",
        "auroc": "AUROC ↑",
    }
    rows = [("raw score", *(_of_map(maps.raw.get(name), name) for name in names), "", "")]
    for one in (*maps.maps, maps.chosen):
        name = one.name if one is not maps.chosen else "nested choice"
        rows.append((name, *(_of_map(one.metrics.get(key), key) for key in names), *_change(one)))
    of = "" if maps.n_rows == maps.n_rows_given else f" of {maps.n_rows_given:,}"
    return text_grid(
        "maps",
        f"Maps judged on held-out dialogues: {maps.n_rows:,}{of} rows, {maps.folds} folds, "
        f"{maps.resamples:,} resamples",
        ("Map",),
        (*names.values(), "log loss − raw", "p (Holm)"),
        rows,
    )


def _of_map(found: Found | None, name: str) -> str:
    return shown(found, "percent" if name == "smooth_ece" else "fraction", bounds=False)


def _change(one: MapEvidence) -> tuple[str, str]:
    changed = one.differences.get("log_loss")
    if changed is None or isinstance(changed.change, Undefined):
        return (MISSING, MISSING)
    change = changed.change
    return (
        with_bounds(signed(change.value, "fraction"), change.interval, "fraction"),
        p_value(changed.p_holm),
    )


def cost_grid(cost: SignalCost) -> Grid:
    """What each signal costs a turn, beside its errors at equal coverage."""
    coverages = list(cost.rows[0].risk) if cost.rows else []
    rows: list[tuple[str, ...]] = []
    for row in (*cost.rows, cost.answer):
        n = max(row.n_turns, 1)
        rows.append(
            (
                row.method if row is not cost.answer else "answer alone",
                f"{row.n_calls / n:.1f}",
                _tokens(row, row.prompt_tokens - row.cached_tokens),
                _tokens(row, row.completion_tokens),
                f"{row.seconds / n:.2f}",
                *(shown(row.risk.get(one), "percent") for one in coverages),
                shown(row.aurc, "fraction"),
            )
        )
    return text_grid(
        "cost",
        f"Cost of a signal, a turn, and error on the {cost.n_common:,} turns that all scored",
        ("Method",),
        (
            "calls",
            "prompt tokens",
            "completion tokens",
            "seconds",
            *(f"error at {score(one)} % coverage" for one in coverages),
            "AURC",
        ),
        rows,
    )


def _slice_row(row: SliceRow) -> tuple[str, ...]:
    if not row.claimed:
        return (row.value, f"{row.n:,}", "too few:", "no claim", *[""] * 5)
    difference = MISSING if row.difference is None else signed(row.difference, "percent")
    return (
        row.value,
        f"{row.n:,}",
        shown(row.accuracy, "percent"),
        shown(row.mean_confidence, "percent", bounds=False),
        gap_text(row.gap),
        shown(row.brier, "fraction"),
        shown(row.ece, "percent"),
        f"{difference} !" if row.flagged else difference,
        p_value(row.p_holm),
    )


def _tokens(row: CostRow, n: int) -> str:
    """Tokens a turn, at least where not every request was counted."""
    n_counted = row.n_calls - row.n_uncounted - row.n_unknown
    if row.n_calls and not n_counted:
        return MISSING
    at_least = "≥ " if n_counted < row.n_calls else ""
    return f"{at_least}{n / max(row.n_turns, 1):,.1f}"
