"""What calibration maps are worth on dialogues that they have not seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.tested import Found, TestedChange


@dataclass(frozen=True, slots=True, kw_only=True)
class MapEvidence:
    """One map, judged on held-out dialogues.

    Attributes
    ----------
    name
        As in the registry.
    metrics
        Log loss, Brier, ECE, smooth ECE and AUROC of the held-out probabilities, by name; empty
        where there is no fit.
    differences
        The same minus that of the raw score at the same rows, by name.  The sign-flip test, with
        Holm's correction over the maps, stands with log loss; the others have an interval only.
    reason
        Why there is no fit; None where there is one.
    """

    name: str
    metrics: Mapping[str, Found]
    differences: Mapping[str, TestedChange]
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MapComparison:
    """Which map to use, if any.

    Attributes
    ----------
    n_rows, n_dialogues
        What the maps are judged on; each row by a map that was fitted on other dialogues.
    n_rows_given
        Rows given; more than ``n_rows`` where a sample of the dialogues was enough.
    feature
        What the maps knew besides the score.
    folds, seed, resamples, clip
        How; ``clip`` is that of log loss.
    raw
        Metrics of the raw score, by name.
    maps
        One a map, in the order of the registry.
    chosen
        The procedure "take the map with the lowest log loss in cross-validation", judged as a
        whole: the map that scores a fold was chosen without that fold.  Its figures are honest for
        the best map; those of the best map in ``maps`` are a little too good.
    chosen_names
        Which map scored each fold.
    best
        The map with the lowest held-out log loss, if ``chosen`` lowers log loss by test and
        interval; None when no map helps.
    verdict
        That, as a sentence.
    """

    n_rows: int
    n_dialogues: int
    n_rows_given: int
    feature: str
    folds: int
    seed: int
    resamples: int
    clip: float
    raw: Mapping[str, Found]
    maps: tuple[MapEvidence, ...]
    chosen: MapEvidence
    chosen_names: tuple[str, ...]
    best: str | None
    verdict: str
