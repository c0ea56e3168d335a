"""Which calibration map to use, judged on dialogues that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from turnsure import metrics, registry
from turnsure.calibration.fitting import DEFAULT_LEVELS, LEAST_ROWS, Feature, family, fit
from turnsure.calibration.folds import DEFAULT_FOLDS, fold_of_rows
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.maps import identity
from turnsure.core.calibrated import MapComparison, MapEvidence
from turnsure.core.results import MetricResult
from turnsure.core.tested import TestedChange
from turnsure.experiment.calibrating.cross_fits import CrossFits, Fitting, cross_fits, split
from turnsure.experiment.calibrating.judging import (
    TESTED,
    Judged,
    Judging,
    differences,
    judged,
    judging,
    log_losses,
)
from turnsure.metrics.proper_scores import LOG_LOSS_CLIP
from turnsure.numerics.arrays import FloatArray, IntArray
from turnsure.numerics.folds import dealt_folds
from turnsure.numerics.inputs import whole_number

MOST_ROWS = 80_000
"""More rows than this are not needed to tell maps apart; a sample of the dialogues is judged."""

RAW = identity.NAME
"""The raw score competes too: it is what a map must beat."""

_LEAST_FOLDS = 3


def compare_maps(
    rows: LabelledScores,
    *,
    names: Sequence[str] | None = None,
    folds: int = DEFAULT_FOLDS,
    seed: int = 0,
    resamples: int = 2000,
    feature: Feature = "none",
    levels: int = DEFAULT_LEVELS,
    least: int = LEAST_ROWS,
    bins: int = 10,
    clip: float = LOG_LOSS_CLIP,
) -> MapComparison:
    """Compare maps by nested cross-validation over dialogues.

    Dialogues are dealt into folds.  Each fold's rows are mapped by fits on the other folds, and the
    metrics of these probabilities stand beside those of the raw score at the same rows.  Choosing a
    map is judged too: for every fold the map is taken that has the lowest log loss on the other
    folds, in a cross-validation among them.

    Parameters
    ----------
    rows
        Scores with outcomes, with their dialogues.
    names
        Maps, of the registry; all that take the feature when None.
    folds
        From 3.
    seed
        Of folds, resamples and sign flips.
    resamples
        Of the bootstrap over dialogues, fewer where there are very many dialogues.
    feature, levels, least
        As for :func:`turnsure.calibration.fitting.fit`.
    bins
        Of ECE, of equal width.
    clip
        Of log loss.

    Raises
    ------
    InputError
        There is no such map, it takes no such feature, or a setting is out of range.
    UndefinedMetricError
        There are fewer dialogues than folds.
    """
    whole_number(folds, "folds", minimum=_LEAST_FOLDS)
    n_given = len(rows)
    rows = _sample(rows, seed)
    fold = fold_of_rows(rows, folds=folds, seed=seed)
    judge = judging(rows, resamples=resamples, seed=seed, bins=bins, clip=clip)
    splits, losses = split(rows, fold), partial(log_losses, judge=judge)

    raw_fits = cross_fits(RAW, _fitting(RAW, "none"), splits, losses)
    fits = [
        cross_fits(name, _fitting(name, feature, levels, least), splits, losses)
        for name in _names(names, feature)
    ]
    raw = judged(rows.score, judge)
    maps = _with_correction([_evidence(one, raw, judge) for one in fits])
    chosen_names, probability = _choose(fold, [raw_fits, *fits])
    of_chosen = judged(probability, judge)
    chosen = MapEvidence(
        name="chosen",
        metrics=of_chosen.metrics,
        differences=differences(raw, of_chosen, judge),
    )
    lowest = _lowest(raw, maps)
    change = chosen.differences[TESTED]
    best = lowest if lowest != RAW and change.falls else None
    return MapComparison(
        n_rows=len(rows),
        n_dialogues=judge.clusters.n,
        n_rows_given=n_given,
        feature=feature,
        folds=folds,
        seed=seed,
        resamples=judge.clusters.resamples,
        clip=clip,
        raw=raw.metrics,
        maps=maps,
        chosen=chosen,
        chosen_names=chosen_names,
        best=best,
        verdict=_verdict(best, lowest, change, judge.clusters.n),
    )


def _names(names: Sequence[str] | None, feature: Feature) -> list[str]:
    """Maps to compare with the raw score, each once."""
    needs_level = feature in ("level", "turn")
    if names is None:
        names = [
            name for name in registry.names("maps") if family(name).takes_level or not needs_level
        ]
    return [name for name in dict.fromkeys(names) if name != RAW]


def _sample(rows: LabelledScores, seed: int) -> LabelledScores:
    """All rows, or those of some dialogues, drawn by the hash of seed and id."""
    parts = min(-(-len(rows) // MOST_ROWS), len(rows.groups))
    if parts == 1:
        return rows
    return rows.rows(dealt_folds(rows.groups, folds=parts, seed=seed)[rows.group] == 0)


def _fitting(
    name: str, feature: Feature, levels: int = DEFAULT_LEVELS, least: int = LEAST_ROWS
) -> Fitting:
    return lambda rows: fit(name, rows, feature=feature, levels=levels, least=least).on


def _evidence(fits: CrossFits, raw: Judged, judge: Judging) -> MapEvidence:
    if fits.reason is not None:
        return MapEvidence(name=fits.name, metrics={}, differences={}, reason=fits.reason)
    found = judged(fits.held_out, judge)
    return MapEvidence(
        name=fits.name, metrics=found.metrics, differences=differences(raw, found, judge)
    )


def _with_correction(maps: Sequence[MapEvidence]) -> tuple[MapEvidence, ...]:
    """Holm's correction of the test over the maps that were fitted."""
    adjusted = metrics.holm(
        [one.differences[TESTED].p_value if one.reason is None else None for one in maps]
    )
    return tuple(
        one
        if p is None
        else replace(
            one, differences={**one.differences, TESTED: replace(one.differences[TESTED], p_holm=p)}
        )
        for one, p in zip(maps, adjusted, strict=True)
    )


def _choose(fold: IntArray, fits: Sequence[CrossFits]) -> tuple[tuple[str, ...], FloatArray]:
    """For each fold the map with the lowest loss on the others, and the rows' probabilities."""
    names: list[str] = []
    probability = np.empty(len(fold))
    for place in range(int(fold.max()) + 1):
        able = [
            (loss, order)
            for order, one in enumerate(fits)
            if one.reasons[place] is None and (loss := one.inner_loss[place]) is not None
        ]
        _, order = min(able)
        names.append(fits[order].name)
        probability[fold == place] = fits[order].held_out[fold == place]
    return tuple(names), probability


def _lowest(raw: Judged, maps: Sequence[MapEvidence]) -> str:
    """The name with the lowest held-out log loss; of equal ones the first, the raw score first."""
    losses = [(RAW, raw.metrics[TESTED])]
    losses += [(one.name, one.metrics[TESTED]) for one in maps if one.reason is None]
    values = [(name, loss.value) for name, loss in losses if isinstance(loss, MetricResult)]
    return min(values, key=lambda pair: pair[1])[0]


def _verdict(best: str | None, lowest: str, change: TestedChange, n_dialogues: int) -> str:
    found = change.change
    if not isinstance(found, MetricResult) or found.interval is None:
        return "No map is recommended: there is a single dialogue, so nothing can be tested."
    low, high = found.interval.low, found.interval.high
    tested = (
        f"{_signed(found.value)} [{_signed(low)}, {_signed(high)}], sign-flip "
        f"p = {change.p_value:.2g}, {n_dialogues:,} dialogues"
    )
    losses = f"from {found.details['raw']:.3f} to {found.details['map']:.3f} ({tested})"
    if best is not None:
        return f"{best} helps: choosing a map lowers held-out log loss {losses}."
    if lowest == RAW:
        return (
            f"No map helps: the raw score has the lowest held-out log loss; against it: {tested}."
        )
    return f"No map clearly helps: choosing one takes held-out log loss {losses}."


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")
