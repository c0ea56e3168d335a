"""What the columns of a table of scores mean."""

from __future__ import annotations

import dataclasses
import math
from types import SimpleNamespace

import pytest

from turnsure.core.errors import InputError
from turnsure.experiment.coded import MISSING, CodedColumn
from turnsure.experiment.score_columns import RowReader, ScoreOptions
from turnsure.experiment.score_names import ALIASES
from turnsure.store.scores_file import RawColumns


def raw(**columns):
    n = len(next(iter(columns.values())))
    return RawColumns(file="s.csv", columns=columns, lines=[*range(2, n + 2)], n=n)


def rows(options=None, **columns):
    """What is read, as plain values."""
    reader = RowReader(options or ScoreOptions())
    found = reader.read(raw(**columns))
    reader.finish()
    return SimpleNamespace(
        **{
            field.name: plain(field.name, getattr(found, field.name))
            for field in dataclasses.fields(found)
        }
    )


def plain(name, value):
    if name == "confidence":
        return {column: [None if v != v else v for v in x.tolist()] for column, x in value.items()}
    if name == "correct":
        return [None if v == MISSING else bool(v) for v in value.tolist()]
    if isinstance(value, CodedColumn):
        return [value.names[code] for code in value.codes.tolist()]
    return value.tolist() if hasattr(value, "tolist") else value


def test_obvious_names_are_understood_whatever_their_case():
    found = rows(LLM=["m"], QSet=["q"], **{"Question ID": ["7"]}, Score=["0.5"], Is_Correct=["yes"])
    assert found.taken == {
        "dialogue": ("Question ID",), "confidence": ("Score",), "correct": ("Is_Correct",),
        "model": ("LLM",), "data": ("QSet",),
    }  # fmt: skip
    assert (found.model, found.data, found.dialogue) == (["m"], ["q"], ["7"])
    assert found.confidence == {"Score": [0.5]}
    assert found.correct == [True]
    assert (found.turn, found.n_turns) == ([1], None)
    assert (found.condition, found.target) == (["plain"], ["answer"])


@pytest.mark.parametrize("role", ALIASES)
def test_a_name_that_was_given_wins(role):
    columns = {"id": ["1"], "score": [0.5], "correct": [1], "turn": [1], "n_turns": [3]}
    if role == "confidence":
        found = rows(ScoreOptions(confidence=("mine",)), **columns, mine=[0.2])
        assert found.confidence == {"mine": [0.2]}
    else:
        found = rows(ScoreOptions(named={role: "mine"}), **columns, mine=["1"])
    assert found.taken[role] == ("mine",)


def test_the_better_known_of_two_names_is_taken():
    assert rows(id=["a"], question_id=["b"], p=["x"], conf=[0.1], correct=[1]).dialogue == ["b"]


def test_columns_that_end_in_confidence_are_methods_when_none_is_called_so():
    found = rows(id=["a"], stated_confidence=["0.5"], token_confidence=["NA"], correct=["TRUE"])
    assert found.confidence == {"stated_confidence": [0.5], "token_confidence": [None]}
    one = rows(id=["a"], confidence=["0.5"], token_confidence=["NA"], correct=["TRUE"])
    assert one.taken["confidence"] == ("confidence",)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("TRUE", True), ("true", True), ("T", True), ("yes", True), ("1", True), ("1.0", True),
        (1, True), (1.0, True), (True, True), (" Yes ", True),
        ("FALSE", False), ("no", False), ("0", False), (0, False), (False, False),
        ("", None), ("NA", None), ("n/a", None), ("null", None), ("NaN", None), (None, None),
        (math.nan, None),
    ],
)  # fmt: skip
def test_outcomes(given, read):
    assert rows(id=["a"], score=[0.5], correct=[given]).correct == [read]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("0.25", 0.25), (0, 0.0), ("1", 1.0), ("1e-3", 0.001),
        ("", None), ("NA", None), ("nan", None), (None, None), (math.nan, None),
    ],
)  # fmt: skip
def test_confidences(given, read):
    assert rows(id=["a"], score=[given], correct=[1]).confidence == {"score": [read]}


def test_an_id_may_be_called_na():
    assert rows(id=["NA", 5], score=[0.1, 0.2], correct=[1, 1]).dialogue == ["NA", "5"]


def test_percent_is_read_when_it_is_said():
    percent = ScoreOptions(percent=True)
    found = rows(percent, id=["a", "b", "c"], score=["80", "5%", "NA"], correct=[1, 0, 1])
    assert found.confidence == {"score": [0.8, 0.05, None]}
    with pytest.raises(InputError, match="no value is above 1, though --percent"):
        rows(percent, id=["a"], score=["0.8"], correct=[1])


@pytest.mark.parametrize(
    ("column", "value", "says"),
    [
        ("score", "80", "line 3, field 'score': it is 80 (expected a fraction in [0, 1]; values "
                        "from 0 to 100 are read with --percent)"),
        ("score", "-0.1", "it is -0.1 (expected a fraction in [0, 1])"),
        ("score", "1.0000001", "it is 1.0000001 (expected"),
        ("score", "85%", "it is '85%' (expected a fraction in [0, 1], or NA; values such as 85% "
                         "are read with --percent)"),
        ("score", "0.9_5", "it is '0.9_5'"),
        ("score", 10**400, "it is 100000000000000000...0000000000000000000 (expected"),
        ("score", "inf", "it is inf"),
        ("score", "high", "it is 'high' (expected a fraction in [0, 1], or NA)"),
        ("score", True, "it is True"),
        ("correct", "2", "it is '2' (expected TRUE or FALSE, 1 or 0, or NA)"),
        ("correct", 0.5, "it is 0.5"),
        ("id", "", "it is nothing (expected a name)"),
        ("id", None, "it is nothing"),
        ("id", ["x"], "it is ['x']"),
        ("id", "b\0", r"it is 'b\x00' (expected a name)"),
        ("model", "\ud800", r"it is '\ud800' (expected a name)"),
        ("model", " ", "it is ' '"),
        ("turn", "0", "it is '0' (expected a whole number from 1"),
        ("turn", "1.5", "it is '1.5'"),
        ("turn", "", "it is nothing"),
        ("n_turns", "NA", "it is 'NA'"),
    ],
)  # fmt: skip
def test_a_bad_value_names_line_and_column(column, value, says):
    columns = {
        "id": ["a", "b"], "score": ["0.1", "0.2"], "correct": ["1", "0"], "model": ["m", "m"],
        "turn": ["1", "1"], "n_turns": ["2", "2"],
    }  # fmt: skip
    columns[column] = [columns[column][0], value]
    with pytest.raises(InputError) as caught:
        rows(**columns)
    assert says in str(caught.value)
    assert f"s.csv, line 3, field {column!r}" in str(caught.value)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(InputError, match=r"no column is known as 'correct' .*--correct COLUMN"):
        rows(id=["a"], score=[0.5])
    with pytest.raises(InputError, match="there is no column 'x'"):
        rows(ScoreOptions(confidence=("x",)), id=["a"], score=[0.5], correct=[1])


def test_a_column_is_not_taken_twice():
    with pytest.raises(InputError, match="column 'score' is taken for 'confidence' and for 'cor"):
        rows(ScoreOptions(named={"correct": "score"}), id=["a"], score=[1])


def test_of_two_columns_that_are_known_by_one_name_neither_is_taken():
    columns = {"id": ["a"], "Confidence": [0.1], "confidence": [0.9], "correct": [1]}
    with pytest.raises(
        InputError, match=r"'Confidence' and 'confidence' are both known as"
    ) as caught:
        rows(**columns)
    assert "or --confidence COLUMN" in str(caught.value)
    chosen = rows(ScoreOptions(confidence=("confidence",)), **columns)
    assert chosen.confidence == {"confidence": [0.9]}
    with pytest.raises(InputError, match=r"'target' and 'Target' .*expected one such column\)"):
        rows(id=["a"], score=[0.1], correct=[1], target=["answer"], Target=["gold"])


def test_columns_that_differ_in_spaces_are_both_methods():
    found = rows(id=["a"], correct=[1], **{"x confidence": [0.1], "x_confidence": [0.2]})
    assert found.confidence == {"x confidence": [0.1], "x_confidence": [0.2]}


def test_a_column_named_twice_counts_once():
    options = ScoreOptions(confidence=("score", "score"))
    assert rows(options, id=["a"], score=[0.1], correct=[1]).taken["confidence"] == ("score",)
