"""Values of columns that are neither score nor label: names to slice by, and costs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from turnsure.experiment.score_values import MISSING_WORDS
from turnsure.numerics.arrays import FloatArray
from turnsure.store.scores_file import RawColumns, is_unicode


def amounts(raw: RawColumns, name: str) -> FloatArray:
    """Finite numbers from 0, NaN where missing."""
    found: list[float] = []
    for row, value in enumerate(raw.columns[name]):
        if value is None or str(value).strip().casefold() in MISSING_WORDS:
            found.append(math.nan)
            continue
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            found.append(-1.0)
        if not 0.0 <= found[-1] < math.inf:
            raise raw.error(row, name, f"it is {value!r}", expected="a number from 0, or NA")
    return np.array(found, dtype=np.float64)


def slice_names(values: Sequence[object]) -> list[str | None]:
    """Values of a slice as names; None for blanks and the words that mean missing."""
    known: dict[object, str | None] = {}
    found: list[str | None] = []
    for value in values:
        key = value if isinstance(value, str) else repr(value)
        if key not in known:
            text = "" if value is None else str(value).strip()
            if not is_unicode(text):
                text = text.encode("utf-8", "replace").decode()
            known[key] = None if text.casefold() in MISSING_WORDS else text
        found.append(known[key])
    return found


def meta_columns(raw: RawColumns) -> dict[str, list[str | None]]:
    """The strings that a turns table holds for slicing; not what controls note."""
    known: dict[str, dict[str, str]] = {}
    read: Callable[[str], dict[str, str]] = json.loads
    for text in raw.columns["meta"]:
        if text not in known:
            known[text] = {
                name: value for name, value in read(text).items() if not name.startswith("control.")
            }
    names = dict.fromkeys(name for one in known.values() for name in one)
    texts = cast("Sequence[str]", raw.columns["meta"])
    return {name: slice_names([known[text].get(name) for text in texts]) for name in names}
