"""The numbers about scores as tables of text, the same for terminal, Markdown and page."""

from __future__ import annotations

from turnsure.core.calibrated import MapComparison
from turnsure.core.calibration import CalibrationEvaluation, ScoresCalibration
from turnsure.core.grid import Grid
from turnsure.core.results import Undefined
from turnsure.core.tested import Found
from turnsure.report.calibration_more_grids import map_grid, slice_grid
from turnsure.report.calibration_sentences import BASELINES
from turnsure.report.text import MISSING, Unit, interval, number, score, signed
from turnsure.report.text_grid import gap_text, shown, text_grid, with_bounds

VERDICTS = {"passed": "better", "failed": "worse", "open": "open"}


def overview(evaluation: CalibrationEvaluation) -> Grid:
    """One line a method of a model."""
    return text_grid(
        "overview",
        "At a glance",
        ("Score",),
        (
            "n",
            "accuracy %",
            "mean score %",
            "gap",
            "Brier",
            "base rate",
            "smooth ECE %",
            "AUROC",
            "AURC",
        ),
        [
            (
                judged.name,
                f"{judged.n_scored:,}",
                shown(judged.accuracy, "percent", bounds=False),
                shown(judged.mean_confidence, "percent", bounds=False),
                gap_text(judged.gap, bounds=False),
                shown(judged.brier, "fraction", bounds=False),
                number(judged.baselines[0].brier, "fraction") if judged.baselines else MISSING,
                shown(judged.smooth_ece, "percent", bounds=False),
                shown(judged.auroc, "fraction", bounds=False),
                shown(judged.aurc, "fraction", bounds=False),
            )
            for judged in evaluation.groups
        ],
    )


def group_grids(judged: ScoresCalibration) -> dict[str, Grid]:
    """Every table about one score, by its key, in the order in which they are read."""
    grids = [_worth(judged), _baselines(judged), _decompositions(judged), _errors(judged)]
    grids += [_reliability(judged), _thresholds(judged)]
    if judged.granularity.is_coarse:
        grids.append(_buckets(judged))
    grids += [slice_grid(table) for table in judged.slices]
    if isinstance(judged.maps, MapComparison):
        grids.append(map_grid(judged.maps))
    return {grid.key: grid for grid in grids}


def _worth(judged: ScoresCalibration) -> Grid:
    lines: list[tuple[str, Found, Unit, str]] = [
        ("Accuracy, %", judged.accuracy, "percent", "↑"),
        ("Mean score, %", judged.mean_confidence, "percent", ""),
        ("Brier", judged.brier, "fraction", "↓"),
        ("Log loss", judged.log_loss, "fraction", "↓"),
        ("Smooth ECE, %", judged.smooth_ece, "percent", "↓"),
        ("AUROC", judged.auroc, "fraction", "↑"),
        ("Average precision", judged.average_precision, "fraction", "↑"),
        ("AURC", judged.aurc, "fraction", "↓"),
    ]
    rows = [
        (name, shown(found, unit, bounds=False), _bounds(found, unit), better)
        for name, found, unit, better in lines
    ]
    rows.insert(2, ("Accuracy − score, points", gap_text(judged.gap, bounds=False),
                    _bounds(judged.gap, "percent"), ""))  # fmt: skip
    rows += [
        (f"Mean {name} of a row", f"{mean:,.4g}", MISSING, "↓")
        for name, mean in judged.costs.items()
    ]
    return text_grid(
        "worth", "What the score is worth", ("Quantity",), ("value", "interval", "better"), rows
    )


def _bounds(found: Found, unit: Unit) -> str:
    if isinstance(found, Undefined) or found.interval is None:
        return MISSING
    return interval(found.interval, unit)


def _baselines(judged: ScoresCalibration) -> Grid:
    return text_grid(
        "baselines",
        "Brier score against what costs nothing, on the same rows",
        ("Baseline",),
        ("its Brier", "score − baseline", "the score is"),
        [
            (
                BASELINES[one.name],
                number(one.brier, "fraction"),
                with_bounds(
                    signed(one.difference.value, "fraction"), one.difference.interval, "fraction"
                ),
                VERDICTS[one.verdict],
            )
            for one in judged.baselines
        ],
    )


def _decompositions(judged: ScoresCalibration) -> Grid:
    names = {"value": "distinct scores", "bins": "bins", "isotonic": "isotonic fit"}
    return text_grid(
        "decomposition",
        "Brier = reliability − resolution + uncertainty + what is left within groups",
        ("By",),
        ("reliability ↓", "resolution ↑", "uncertainty", "within"),
        [
            (
                names[one.by],
                number(one.reliability, "fraction"),
                number(one.resolution, "fraction"),
                number(one.uncertainty, "fraction"),
                number(one.within_group, "fraction"),
            )
            for one in judged.decompositions
        ],
    )


def _errors(judged: ScoresCalibration) -> Grid:
    by_binning: dict[str, list[str]] = {}
    headings: dict[str, None] = {}
    for one in judged.errors:
        if isinstance(one, Undefined):
            continue
        norm = str(one.definition["norm"]).replace("l", "L")
        debiased = ", debiased" if one.definition["debias"] else ""
        headings[f"{norm}{debiased} %"] = None
        line = f"equal {one.definition['binning']}, {one.definition['bins']} bins"
        by_binning.setdefault(line, []).append(shown(one, "percent"))
    return text_grid(
        "errors",
        "Calibration error, every variant",
        ("Bins",),
        list(headings),
        [(line, *values) for line, values in by_binning.items()],
    )


def _reliability(judged: ScoresCalibration) -> Grid:
    return text_grid(
        "reliability",
        "Reliability",
        ("Score, %",),
        ("n", "mean score %", "accuracy %", "gap"),
        [
            (
                f"{score(one.lower)}–{score(one.upper)}",
                f"{one.n:,}",
                MISSING if one.mean_confidence is None else number(one.mean_confidence, "percent"),
                MISSING
                if one.accuracy is None
                else with_bounds(number(one.accuracy, "percent"), one.accuracy_interval, "percent"),
                MISSING if one.gap is None else signed(one.gap, "percent"),
            )
            for one in judged.reliability.bins
        ],
    )


def _thresholds(judged: ScoresCalibration) -> Grid:
    return text_grid(
        "thresholds",
        "If only scores from a threshold on are answered",
        ("Threshold, %",),
        ("answered", "coverage %", "accuracy of the answered %"),
        [
            (
                score(one.threshold),
                f"{one.n_accepted:,}",
                with_bounds(number(one.coverage, "percent"), one.coverage_interval, "percent"),
                MISSING
                if one.accuracy is None
                else with_bounds(number(one.accuracy, "percent"), one.accuracy_interval, "percent"),
            )
            for one in judged.thresholds
        ],
    )


def _buckets(judged: ScoresCalibration) -> Grid:
    return text_grid(
        "values",
        "Score by score: these are buckets",
        ("Score, %",),
        ("n", "right", "accuracy %", "gap"),
        [
            (
                f"{100.0 * one.score:.6g}",
                f"{one.n:,}",
                f"{one.n_right:,}",
                with_bounds(number(one.accuracy, "percent"), one.accuracy_interval, "percent"),
                signed(one.gap, "percent"),
            )
            for one in judged.granularity.buckets
        ],
    )
