"""The whole judgement of a file of predictions or of a run, and the files it is kept in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from turnsure import registry
from turnsure.calibration.fitting import fit
from turnsure.calibration.folds import out_of_fold
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.costs import Costs, Otherwise
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.core.calibrated import MapComparison
from turnsure.core.calibration import CalibrationEvaluation, ScoresCalibration
from turnsure.core.chosen import ThresholdChoice
from turnsure.core.errors import InputError, StoreError, UndefinedMetricError
from turnsure.core.results import Undefined
from turnsure.experiment.calibrating.choosing import choose
from turnsure.experiment.calibrating.evaluation import evaluate_scores
from turnsure.experiment.calibrating.maps import compare_maps
from turnsure.experiment.calibrating.predictions import Predictions
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.experiment.calibrating.signal_cost import signal_cost
from turnsure.experiment.run_folder import RUN_FORMAT, RunFolder
from turnsure.store.json_files import plain, write_json

CALIBRATION_KIND = "calibration"
"""What ``metrics.json`` of a folder says it is."""

_MAP_DRAWS = 3_000_000
"""Rows that resamples of the comparison of maps draw; it repeats every metric for every map."""

_LEAST_MAP_RESAMPLES = 200

_MOST_MAP_ROWS = 30_000
"""A sample of the dialogues with about so many rows is enough to tell maps apart."""

_DEFAULT_SETTINGS = CalibrationSettings()


def calibrate(
    predictions: Predictions,
    settings: CalibrationSettings = _DEFAULT_SETTINGS,
    *,
    costs: Costs | None = None,
    target: RiskTarget | None = None,
    otherwise: Otherwise = "escalate",
) -> CalibrationEvaluation:
    """Judge every method of every model.

    Parameters
    ----------
    predictions
        From :func:`turnsure.experiment.calibrating.predictions.read_predictions`.
    settings
        What decides the numbers.
    costs, target
        What a threshold is chosen by; none is chosen without either.
    otherwise
        What is done where one neither answers nor asks.

    Raises
    ------
    InputError
        No row has both a score and a label.
    """
    if not predictions.groups:
        raise InputError(
            "no row has both a score and a label",
            file=predictions.source,
            expected="one row or more with both",
        )
    groups: list[ScoresCalibration] = []
    for group in predictions.groups:
        judged = evaluate_scores(group, settings)
        maps = _maps(group.rows, settings)
        judged = replace(judged, maps=maps)
        if costs is not None or target is not None:
            name = maps.best if costs is not None and isinstance(maps, MapComparison) else None
            choice = _choice(group.rows, name, settings, costs, target, otherwise)
            judged = replace(judged, choice=choice, choice_map=name)
        groups.append(judged)
    return CalibrationEvaluation(
        source=predictions.source,
        taken=predictions.taken,
        settings=_plain_settings(settings, costs, target),
        n_rows=predictions.n_rows,
        groups=tuple(groups),
        empty=predictions.empty,
        cost=signal_cost(predictions, settings),
        notes=(*predictions.notes, *_notes(predictions, groups, settings)),
    )


def fitted_maps(
    predictions: Predictions, evaluation: CalibrationEvaluation
) -> list[dict[str, Any]]:
    """Every map that was compared, fitted on all rows; for use on dialogues that are not here.

    No number in the evaluation comes from these: there, each map judges dialogues that it was not
    fitted on.
    """
    found: list[dict[str, Any]] = []
    for group, judged in zip(predictions.groups, evaluation.groups, strict=True):
        if not isinstance(judged.maps, MapComparison):
            continue
        for one in judged.maps.maps:
            try:
                fitted = fit(one.name, group.rows).to_json()
            except UndefinedMetricError:
                continue
            found.append(
                {
                    "model": group.model,
                    "method": group.method,
                    "recommended": one.name == judged.maps.best,
                    "fitted_on": "all rows with score and label",
                    **fitted,
                }
            )
    return found


def write_calibration_folder(
    folder: Path, predictions: Predictions, evaluation: CalibrationEvaluation
) -> None:
    """Write ``metrics.json`` and ``maps.json``; the folder is made when missing.

    Raises
    ------
    InputError
        The path is a file.
    StoreError
        The folder is that of a run, whose numbers would be overwritten.
    """
    if RunFolder(folder).run_json.exists():
        raise StoreError(f"{folder} is the folder of a run; choose another one with -o")
    if folder.exists() and not folder.is_dir():
        raise InputError("this is no folder", file=folder, expected="a folder, or a new name")
    folder.mkdir(parents=True, exist_ok=True)
    body = {"format": RUN_FORMAT, "kind": CALIBRATION_KIND, **plain(evaluation)}
    write_json(RunFolder(folder).metrics, body)
    maps = {"format": RUN_FORMAT, "kind": "maps", "maps": fitted_maps(predictions, evaluation)}
    write_json(folder / "maps.json", maps)


def _maps(rows: LabelledScores, settings: CalibrationSettings) -> MapComparison | Undefined | None:
    if settings.maps == ():
        return None
    for name in settings.maps or ():
        if name not in registry.names("maps"):
            raise InputError(
                f"there is no map {name!r}",
                field="maps",
                expected=f"some of {', '.join(registry.names('maps'))}, or none",
            )
    judged = _sampled(rows, settings.seed)
    try:
        compared = compare_maps(
            judged,
            names=settings.maps,
            folds=settings.folds,
            seed=settings.seed,
            resamples=min(settings.resamples, max(_LEAST_MAP_RESAMPLES, _MAP_DRAWS // len(judged))),
            bins=settings.bins,
        )
        return replace(compared, n_rows_given=len(rows))
    except UndefinedMetricError as error:
        return Undefined(name="maps", reason=str(error), n_turns=len(rows))


def _sampled(rows: LabelledScores, seed: int) -> LabelledScores:
    """Whole dialogues drawn at random, where there are very many rows."""
    n = len(rows.groups)
    wanted = max(1, n * _MOST_MAP_ROWS // len(rows))
    if wanted >= n:
        return rows
    drawn = np.random.default_rng(seed).permutation(n)[:wanted]
    return rows.rows(np.isin(rows.group, drawn))


def _choice(
    rows: LabelledScores,
    name: str | None,
    settings: CalibrationSettings,
    costs: Costs | None,
    target: RiskTarget | None,
    otherwise: Otherwise,
) -> ThresholdChoice | Undefined:
    """On the probabilities of a map, each from a fit on other folds; else on the score."""
    try:
        probability = None
        if name is not None:
            probability = out_of_fold(name, rows, folds=settings.folds, seed=settings.seed)
        return choose(
            rows,
            probability=probability,
            costs=costs,
            target=target,
            otherwise=otherwise,
            seed=settings.seed,
        )
    except UndefinedMetricError as error:
        return Undefined(name="choice", reason=str(error), n_turns=len(rows))


def _plain_settings(
    settings: CalibrationSettings, costs: Costs | None, target: RiskTarget | None
) -> Mapping[str, Any]:
    given = {"costs": costs, "target": target}
    chosen = {name: plain(one) for name, one in given.items() if one is not None}
    return {**plain(settings), **chosen}


def _notes(
    predictions: Predictions, groups: list[ScoresCalibration], settings: CalibrationSettings
) -> list[str]:
    notes: list[str] = []
    data = predictions.taken.get("data")
    if data and data[0] in predictions.taken.get("slice", ()):
        notes.append(
            f"The data sets of {data[0]!r} are judged together and stand as slices; one id in two "
            "of them is two dialogues."
        )
    fewer = [one for one in groups if one.resamples < settings.resamples]
    if fewer:
        least = min(one.resamples for one in fewer)
        notes.append(
            f"There are so many rows that intervals are from {least:,} resamples instead of "
            f"{settings.resamples:,}."
        )
    return notes
