"""What the columns of a table of predictions are, told from its beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnsure.core.errors import InputError
from turnsure.experiment.score_columns import ScoreOptions
from turnsure.experiment.score_names import taken_columns
from turnsure.experiment.score_values import MISSING_WORDS
from turnsure.store.scores_file import RawColumns

ITEM_NAMES = ("id", "item_id", "question_id", "example_id", "item", "question")
"""Columns that say which single row it is, best first; other names of dialogues may repeat."""

COST_NAMES = ("cost", "price", "tokens", "calls", "latency", "latency_ms", "seconds")
"""Columns of numbers that say what a row cost."""

MOST_VALUES = 20
"""A column of text with more different values than this is no slice unless the user says so."""

_TURNS_TABLE = ("meta", "protocol", "failure_kind", "match_rule")
"""A file with all of these is a run's table of turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What columns are besides their roles.

    Attributes
    ----------
    item
        The column with ids of single rows, where there is one beside that of dialogues.
    rows_are_items
        Whether the dialogue's column says which single row it is, so that it may not repeat.
    slices
        Columns that may be slices.
    costs
        Columns of numbers that say what a row cost.
    is_turns_table
        Whether it is a run's table of turns, which has its slices in ``meta``.
    """

    item: str | None
    rows_are_items: bool
    slices: tuple[str, ...]
    costs: tuple[str, ...]
    is_turns_table: bool


def layout_of(raw: RawColumns, options: ScoreOptions, slices: Sequence[str] | None) -> Layout:
    """Tell from the first rows what each column is.

    Parameters
    ----------
    raw
        The first piece of the file, or all of it.
    options
        Which column is what, where the names do not say it.
    slices
        Columns to slice by; None to find them.

    Raises
    ------
    InputError
        A column is missing, or could be either of two.
    """
    named = options.named or {}
    taken = _taken(raw, options)
    plain = {name.strip().casefold().replace(" ", "_").replace("-", "_"): name
             for name in raw.columns}  # fmt: skip
    used = {name for names in taken.values() for name in names}
    items = [plain[name] for name in ITEM_NAMES if name in plain]
    is_item = "dialogue" not in named and taken["dialogue"][0] in items
    item = None if is_item else next((name for name in items if name not in used), None)
    is_turns_table = all(name in raw.columns for name in _TURNS_TABLE)
    if is_turns_table:
        protocols = set(raw.columns["protocol"])
        if len(protocols) > 1:
            raise InputError(
                f"rows of {len(protocols)} protocols stand in one table",
                file=raw.file,
                field="protocol",
                expected="scores of one protocol: under another they mean something else",
            )
    if slices is not None:
        chosen = tuple(name for name in dict.fromkeys(slices) if name in raw.columns)
    elif is_turns_table:
        chosen = ()
    else:
        free = [name for name in raw.columns if name not in used and name != item]
        chosen = tuple(name for name in free if _is_text(raw.columns[name]))
    found = (plain[name] for name in COST_NAMES if name in plain)
    return Layout(
        item=item,
        rows_are_items=is_item,
        slices=chosen,
        costs=tuple(name for name in found if name not in used),
        is_turns_table=is_turns_table,
    )


def _taken(raw: RawColumns, options: ScoreOptions) -> dict[str, tuple[str, ...]]:
    """The columns by role; here the option that names the scores has another name."""
    try:
        return taken_columns(raw, options.named or {}, options.confidence)
    except InputError as error:
        expected = (error.expected or "").replace("--confidence", "--score")
        raise InputError(
            error.problem, file=error.file, line=error.line, field=error.field, expected=expected
        ) from None


def _is_text(values: Sequence[object]) -> bool:
    """Whether a column may be one to slice by: few values, and not all of them numbers."""
    distinct = {str(value).strip() for value in values if value is not None}
    words = [word for word in distinct if word.casefold() not in MISSING_WORDS]
    return 0 < len(words) <= MOST_VALUES and not all(_is_number(word) for word in words)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
