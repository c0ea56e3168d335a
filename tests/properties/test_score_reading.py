"""Columns of scores read all at once are what reading them value by value gives, or its error."""

from __future__ import annotations

import math
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from turnsure.core.errors import InputError
from turnsure.experiment.coded import MISSING
from turnsure.experiment.score_columns import RowReader, ScoreOptions
from turnsure.experiment.score_groups import read_scores
from turnsure.experiment.score_rows import joined
from turnsure.experiment.score_values import (
    UnreadableError,
    name_of,
    number_of,
    outcome_of,
    position_of,
)
from turnsure.store.scores_file import RawColumns, read_blocks, write_columns

SETTINGS = settings(deadline=None, max_examples=60)

WORDS = [
    *(
        "",
        "NA",
        "nan",
        " NaN",
        "None",
        "n/a",
        "0.5",
        " 0.25 ",
        "1",
        "1.0",
        "0",
        "-0.0",
        "2",
        "1e-3",
    ),
    *(
        "0.9_5",
        "85%",
        "inf",
        "high",
        "TRUE",
        "f",
        "Yes",
        "x",
        " x ",
        "1.5",
        "-1",
        "\0",
        "10",
        "1e-3",
    ),
]
ODD = [None, True, False, 0, 1, 2, 0.0, -0.0, 1.0, 0.5, math.nan, math.inf, 10**400, ["x"], "0.5"]

columns = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
    st.lists(st.sampled_from(["0.5", "1", "NA", "1.0"]), min_size=1, max_size=6),
    st.lists(st.sampled_from(["1", "2", "10"]), min_size=1, max_size=6),
    st.lists(st.integers(-1, 3), min_size=1, max_size=6),
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 0.5, math.nan, 1.5]), min_size=1, max_size=6),
    st.lists(st.booleans() | st.none(), min_size=1, max_size=6),
    st.lists(st.sampled_from(ODD), min_size=1, max_size=6),
)
ROLES = {
    "dialogue": (name_of, lambda rows: texts(rows.dialogue)),
    "turn": (position_of, lambda rows: rows.turn.tolist()),
    "n_turns": (position_of, lambda rows: rows.n_turns.tolist()),
    "method": (name_of, lambda rows: texts(rows.method)),
    "correct": (outcome_of, lambda rows: [None if one == MISSING else one == 1
                                          for one in rows.correct.tolist()]),
    "confidence": (number_of, lambda rows: [None if math.isnan(one) else one
                                            for one in rows.confidence["confidence"].tolist()]),
}  # fmt: skip
KINDS = {"utf8": str, "int64": int, "float64": float, "bool": bool}


def texts(column):
    return [column.names[code] for code in column.codes.tolist()]


def table_with(role, values):
    n = len(values)
    table = {"dialogue": ["d"] * n, "confidence": [0.5] * n, "correct": [1] * n}
    return table | {role: values}


def one_by_one(role, values):
    """The values, or the number of the first row that is wrong."""
    read, found = ROLES[role][0], []
    for row, value in enumerate(values):
        try:
            one = read(value)
        except UnreadableError:
            return row
        found.append(one)
    if role == "confidence":
        for row, one in enumerate(found):
            if one is not None and not 0.0 <= one <= 1.0:
                return row
    return found


def value_or_error(compute):
    try:
        return compute(), None
    except InputError as error:
        return None, error


@SETTINGS
@given(st.sampled_from(sorted(ROLES)), columns)
@example("dialogue", [1, True])
@example("dialogue", [1, 1.0])
@example("correct", [-0.0])
@example("confidence", ["1_0"])
def test_a_text_table(role, values):
    table = table_with(role, values)
    lines = [10 + row for row in range(len(values))]
    raw = RawColumns(file=Path("s"), columns=table, lines=lines, n=len(values))
    expected = one_by_one(role, values)
    found, error = value_or_error(lambda: ROLES[role][1](RowReader(ScoreOptions()).read(raw)))
    if isinstance(expected, int):
        assert (error.field, error.line) == (role, 10 + expected)
    else:
        assert found == expected


@SETTINGS
@given(st.sampled_from(sorted(ROLES)), columns, st.integers(1, 4))
def test_a_parquet_table(role, values, n_rows):
    types = {type(value) for value in values} - {type(None)}
    kind = next((kind for kind, of in KINDS.items() if types <= {of}), None)
    assume(kind is not None and 10**400 not in values)
    others = {"dialogue": ("utf8", "d"), "confidence": ("float64", 0.5), "correct": ("bool", True)}
    table = {name: (of, [value] * len(values)) for name, (of, value) in others.items()}
    reader = RowReader(ScoreOptions())
    with written(table | {role: (kind, values)}) as path:
        pieces, error = value_or_error(
            lambda: [reader.read(raw) for raw in read_blocks(path, n_rows=n_rows)]
        )
    expected = one_by_one(role, values)
    if isinstance(expected, int):
        assert error.field == role
        assert error.problem.startswith(f"row {expected + 1}: it is ")
    else:
        assert ROLES[role][1](joined(pieces)) == expected


@contextmanager
def written(table):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "s.parquet"
        write_columns(path, table)
        yield path


rows = st.tuples(
    st.sampled_from("ab"), st.integers(1, 3), st.sampled_from("mn"), st.sampled_from("xy"),
    st.sampled_from(["answer", "gold", "other"]), st.sampled_from([0.0, 0.5, 1.0, None]),
    st.sampled_from([True, False, None]),
)  # fmt: skip
NAMES = {"dialogue": "utf8", "turn": "int64", "model": "utf8", "method": "utf8", "target": "utf8",
         "confidence": "float64", "correct": "bool"}  # fmt: skip


@SETTINGS
@given(st.lists(rows, min_size=1, max_size=12))
def test_rows_are_told_apart_and_grouped(given_rows):
    columns = dict(zip(NAMES, map(list, zip(*given_rows, strict=True)), strict=True))
    with written({name: (NAMES[name], values) for name, values in columns.items()}) as path:
        table, error = value_or_error(lambda: read_scores(path))
    counted = [row for row in given_rows if row[4] != "other"]
    keys = [row[:5] for row in counted]
    again = next((row for row in range(len(keys)) if keys[row] in keys[:row]), None)
    if again is not None:
        places = [row for row, one in enumerate(given_rows) if one[4] != "other"]
        second, first = places[again], places[keys.index(keys[again])]
        assert error.problem.startswith(f"row {second + 1}: turn {given_rows[second][1]} of ")
        assert error.problem.endswith(f" stands on row {first + 1} already")
        return
    order = list(dict.fromkeys((row[2], row[3]) for row in counted))
    assert [(group.model, group.method) for group in table.groups] == order
    for group in table.groups:
        for target, part in (("answer", group.own), ("gold", group.gold)):
            here = [row for row in counted if row[2:5] == (group.model, group.method, target)]
            longest = {
                name: max(row[1] for row in given_rows if (row[0], row[2]) == (name, group.model))
                for name in {row[0] for row in here}
            }
            assert part.dialogue.tolist() == [row[0] for row in here]
            assert part.turn.tolist() == [row[1] for row in here]
            assert part.n_turns.tolist() == [longest[row[0]] for row in here]
            assert part.confidence.tolist() == [row[5] for row in here]
            assert part.correct.tolist() == [row[6] for row in here]
    assert table.n_left_out == (
        {"other": len(given_rows) - len(counted)} if len(counted) < len(given_rows) else {}
    )


@SETTINGS
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 4), st.integers(1, 4)), min_size=1,
                max_size=8, unique_by=lambda row: row[:2]))  # fmt: skip
def test_lengths_that_the_file_says(given_rows):
    names, turns, lengths = map(list, zip(*given_rows, strict=True))
    known, wrong = {}, None
    for row, (name, turn, length) in enumerate(given_rows):
        if wrong is None and (turn > length or known.setdefault(name, length) != length):
            wrong = row
    n = len(names)
    table = {
        "dialogue": ("utf8", names),
        "turn": ("int64", turns),
        "n_turns": ("int64", lengths),
        "confidence": ("float64", [0.5] * n),
        "correct": ("bool", [True] * n),
    }
    with written(table) as path:
        found, error = value_or_error(lambda: read_scores(path))
    if wrong is not None:
        assert error.problem.startswith(f"row {wrong + 1}: it is {lengths[wrong]} for ")
    else:
        assert np.concatenate([group.own.n_turns for group in found.groups]).tolist() == lengths
