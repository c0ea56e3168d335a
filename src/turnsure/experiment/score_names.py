"""Which column of a table of scores stands for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turnsure.core.errors import InputError
from turnsure.store.scores_file import RawColumns

ALIASES: Mapping[str, tuple[str, ...]] = {
    "dialogue": (
        *("dialogue", "dialogue_id", "dialog", "dialog_id", "conversation", "conversation_id"),
        *("question_id", "item_id", "example_id", "question", "item", "id"),
    ),
    "turn": ("turn", "turn_number"),
    "n_turns": ("n_turns", "num_turns"),
    "confidence": ("confidence", "score", "conf", "probability", "prob"),
    "correct": ("correct", "is_correct", "correctness", "outcome"),
    "method": ("method", "estimator"),
    "model": ("model", "model_name", "model_id", "llm"),
    "data": ("data", "dataset", "data_set", "qset", "question_set", "benchmark"),
    "target": ("target",),
    "condition": ("condition",),
}
"""Names that a column may have, best first; case, spaces and hyphens do not matter."""

NAMED_ROLES = ("dialogue", "turn", "confidence", "correct", "method", "model", "data")
"""Roles for which the user may name a column."""

_SUFFIX = "confidence"


def taken_columns(
    raw: RawColumns, named: Mapping[str, str], confidence: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Role to the columns taken for it, in the order of :data:`ALIASES`.

    Parameters
    ----------
    raw
        The table.
    named
        Role to column, as the user said; wins over the names.
    confidence
        Columns with confidences, as the user said; empty to find them by name.

    Raises
    ------
    InputError
        A column is missing, could be either of two, or stands for two things.
    """
    taken: dict[str, tuple[str, ...]] = {}
    for role in ALIASES:
        said = confidence if role == "confidence" else [named[role]] if role in named else ()
        for name in said:
            if name not in raw.columns:
                raise InputError(
                    f"there is no column {name!r}",
                    file=raw.file,
                    field=role,
                    expected=f"one of {', '.join(raw.columns)}",
                )
        chosen = tuple(dict.fromkeys(said)) or _found(raw, role)
        if chosen:
            taken[role] = chosen
    for role in ("dialogue", "confidence", "correct"):
        if role not in taken:
            raise InputError(
                f"no column is known as {role!r} among {', '.join(raw.columns)}",
                file=raw.file,
                field=role,
                expected=f"one called {', '.join(ALIASES[role])}, or --{role} COLUMN",
            )
    _refuse_shared(raw, taken)
    return taken


def _found(raw: RawColumns, role: str) -> tuple[str, ...]:
    """The columns that are known by their names: one, but for confidences."""
    plain = {
        name: name.strip().casefold().replace(" ", "_").replace("-", "_") for name in raw.columns
    }
    for alias in ALIASES[role]:
        found = tuple(name for name, known in plain.items() if known == alias)
        if len(found) > 1:
            way = f" or --{role} COLUMN" if role in NAMED_ROLES else ""
            raise InputError(
                f"columns {found[0]!r} and {found[1]!r} are both known as {alias!r}",
                file=raw.file,
                field=role,
                expected=f"one such column{way}",
            )
        if found:
            return found
    if role != "confidence":
        return ()
    return tuple(name for name, known in plain.items() if known.endswith(_SUFFIX))


def _refuse_shared(raw: RawColumns, taken: Mapping[str, tuple[str, ...]]) -> None:
    role_of: dict[str, str] = {}
    for role, names in taken.items():
        for name in names:
            if name in role_of:
                raise InputError(
                    f"column {name!r} is taken for {role_of[name]!r} and for {role!r}",
                    file=raw.file,
                    field=role,
                    expected="a column for one thing",
                )
            role_of[name] = role
