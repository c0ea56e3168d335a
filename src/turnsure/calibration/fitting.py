"""Fit a map of any family, with or without the level or turn, and read one back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

import numpy as np

from turnsure import registry
from turnsure.calibration.fitted import Feature, FittedMap, second_feature, turns_of
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.maps.base import CalibrationMap, Family
from turnsure.core.errors import InputError, UndefinedMetricError
from turnsure.numerics.binning import MAX_BINS, level_bins
from turnsure.numerics.inputs import choice, whole_number

DEFAULT_LEVELS = 4
LEAST_ROWS = 100
"""A bin of levels with fewer rows has no map of its own, unless told otherwise."""


def family(name: str) -> Family:
    """The family of a name in the registry.

    Raises
    ------
    InputError
        There is no such name.
    """
    return cast("Family", registry.load("maps", name))


def fit(
    name: str | Family,
    rows: LabelledScores,
    *,
    feature: Feature = "none",
    levels: int = DEFAULT_LEVELS,
    least: int = LEAST_ROWS,
) -> FittedMap:
    """Fit a map.

    Parameters
    ----------
    name
        Of a family in the registry, or a family with other settings.
    rows
        To fit on; with turns, unless ``feature`` is ``"none"``.
    feature
        See :data:`turnsure.calibration.fitted.Feature`.
    levels
        B, bins of levels of equal width, for ``"per_level"``.
    least
        Rows that a bin of levels needs for a map of its own.  A bin with fewer, or in which there
        is no fit, uses the map of all rows.

    Raises
    ------
    InputError
        There is no such family, it takes no such feature, or the rows have no turns.
    UndefinedMetricError
        There is no fit, because of one class only, for example.
    """
    choice(feature, "feature", get_args(Feature))
    chosen = family(name) if isinstance(name, str) else name
    term = None
    if feature in ("level", "turn"):
        term = second_feature(feature, rows.score, rows.turn, rows.n_turns)
    by_level: tuple[CalibrationMap | None, ...] = ()
    if feature == "per_level":
        by_level = _fit_by_level(
            chosen,
            rows,
            whole_number(levels, "levels", minimum=1, maximum=MAX_BINS),
            whole_number(least, "least", minimum=1),
        )
    return FittedMap(
        name=chosen.name,
        map=chosen.fit(rows.score, rows.correct, term),
        feature=feature,
        by_level=by_level,
        n_rows=len(rows),
        n_dialogues=len(rows.groups),
        fitted_on=frozenset(rows.groups),
    )


def restore(body: Mapping[str, Any], *, fitted_on: frozenset[Any] | None = None) -> FittedMap:
    """Read a map back; it gives the same probabilities to the last bit.

    Parameters
    ----------
    body
        From :meth:`FittedMap.to_json`.
    fitted_on
        Ids of the dialogues it was fitted on, where they are known.

    Raises
    ------
    InputError
        A field is missing or wrong; names it.
    """
    name, feature = _field(body, "name"), _field(body, "feature")
    choice(name, "name", registry.names("maps"))
    choice(feature, "feature", get_args(Feature))
    chosen = family(str(name))
    if feature in ("level", "turn") and not chosen.takes_level:
        raise InputError(f"{name} takes none", field="feature", expected="'none' or 'per_level'")
    main = _restored(chosen, _field(body, "parameters"), "parameters")
    if (main.parameters.get("level_weight") is not None) != (feature in ("level", "turn")):
        raise InputError(
            f"it does not fit the feature {feature!r}",
            field="parameters.level_weight",
            expected="a number for 'level' and 'turn', else null",
        )
    by_level: list[CalibrationMap | None] = []
    if feature == "per_level":
        given = _field(body, "by_level")
        if not isinstance(given, list) or not given:
            raise InputError("it is no list", field="by_level", expected="parameters by level")
        by_level = [
            None if own is None else _restored(chosen, own, f"by_level[{place}]")
            for place, own in enumerate(cast("list[object]", given))
        ]
    return FittedMap(
        name=chosen.name,
        map=main,
        feature=cast("Feature", feature),
        by_level=tuple(by_level),
        n_rows=whole_number(_field(body, "n_rows"), "n_rows", minimum=1),
        n_dialogues=whole_number(_field(body, "n_dialogues"), "n_dialogues", minimum=1),
        fitted_on=fitted_on,
    )


def _field(body: Mapping[str, Any], field: str) -> object:
    if field not in body:
        raise InputError("it is missing", field=field, expected="a field of a calibration map")
    return body[field]


def _restored(chosen: Family, parameters: object, field: str) -> CalibrationMap:
    if not isinstance(parameters, Mapping):
        raise InputError("it is no object", field=field, expected="the parameters of a map")
    try:
        return chosen.restore(cast("Mapping[str, Any]", parameters))
    except InputError as error:
        where = f"{field}.{error.field}"
        raise InputError(error.problem, field=where, expected=error.expected) from error


def _fit_by_level(
    chosen: Family, rows: LabelledScores, levels: int, least: int
) -> tuple[CalibrationMap | None, ...]:
    bins = level_bins(*turns_of(rows.score, rows.turn, rows.n_turns), levels)
    maps: list[CalibrationMap | None] = []
    for place in range(levels):
        here = bins == place
        own = None
        if np.count_nonzero(here) >= least:
            try:
                own = chosen.fit(rows.score[here], rows.correct[here])
            except UndefinedMetricError:
                own = None  # the map of all rows stands in, and is counted
        maps.append(own)
    return tuple(maps)
