"""Predictions as people have them: which column is what, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.support.run_folders import dialogues, made_up_rows, row, write_run
from turnsure.core.errors import InputError, StoreError
from turnsure.experiment.calibrating import predictions as module
from turnsure.experiment.calibrating.predictions import read_predictions
from turnsure.experiment.score_columns import ScoreOptions


def read(tmp_path, text, *, name="p.csv", slices=None, **options):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_predictions(path, ScoreOptions(**options), slices=slices)


def only(predictions):
    [group] = predictions.groups
    return group


def error_of(tmp_path, text, **options):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, **options)
    return caught.value


def test_id_score_and_correct_are_enough(tmp_path):
    found = read(tmp_path, "id,score,correct\na,0.9,1\nb,0.2,false\nc,1,TRUE\n")
    group = only(found)
    assert group.rows.score.tolist() == [0.9, 0.2, 1.0]
    assert group.rows.correct.tolist() == [True, False, True]
    assert len(group.rows.groups) == 3
    assert (group.model, group.method, found.n_rows) == (None, "score", 3)
    assert found.taken == {"dialogue": ("id",), "confidence": ("score",), "correct": ("correct",)}


def test_what_is_missing_is_counted_and_left_out(tmp_path):
    group = only(read(tmp_path, "id,score,correct\na,0.9,1\nb,,1\nc,0.5,NA\nd,nan,\n"))
    assert group.rows.score.tolist() == [0.9]
    assert (group.n_rows, group.n_no_score, group.n_no_label) == (4, 2, 2)


def test_a_score_that_is_never_there_is_said_with_the_counts(tmp_path):
    found = read(tmp_path, "id,score,correct,p_confidence\na,,1,1\nb,0.5,,1\n")
    assert found.groups == ()
    [empty] = found.empty
    assert "none of its 2 rows" in empty.reason
    assert "1 lack the score, 1 the label" in empty.reason


def test_columns_of_few_words_are_slices(tmp_path):
    text = "id,score,correct,language,n_hints,text,one\n" + "".join(
        f"{k},0.5,1,{'en' if k % 3 else 'de'},{k % 4},words {k},same\n" for k in range(30)
    )
    found = read(tmp_path, text)
    assert found.taken["slice"] == ("language",)
    column = only(found).slices["language"]
    assert column.names == ("de", "en")
    assert np.bincount(column.codes).tolist() == [10, 20]
    assert list(only(read(tmp_path, text, slices=("n_hints",))).slices) == ["n_hints"]
    assert only(read(tmp_path, text, slices=())).slices == {}
    assert error_of(tmp_path, text, slices=("tongue",)).field == "slice"


def test_a_data_set_is_a_slice_and_keeps_equal_ids_apart(tmp_path):
    found = read(tmp_path, "id,dataset,score,correct\na,x,0.5,1\na,y,0.5,0\nb,y,0.5,0\n")
    group = only(found)
    assert len(group.rows.groups) == 3
    assert found.taken["slice"] == ("dataset",)


def test_models_and_methods_are_never_pooled(tmp_path):
    text = "id,llm,method,score,correct\n" + "".join(
        f"{k},{llm},{method},0.5,1\n" for llm in ("m2", "m1") for method in "ab" for k in range(2)
    )
    names = [(one.model, one.method, len(one.rows)) for one in read(tmp_path, text).groups]
    assert names == [("m2", "a", 2), ("m2", "b", 2), ("m1", "a", 2), ("m1", "b", 2)]


def test_two_columns_of_scores_are_two_methods(tmp_path):
    text = "id,stated,token,correct\na,0.5,0.7,1\n"
    found = read(tmp_path, text, confidence=("stated", "token"))
    assert [one.method for one in found.groups] == ["stated", "token"]


def test_a_dialogue_column_beside_ids_says_what_belongs_together(tmp_path):
    group = only(read(tmp_path, "id,dialogue,score,correct\n1,a,0.5,1\n2,a,0.5,0\n3,b,0.1,0\n"))
    assert group.rows.group.tolist() == [0, 0, 1]
    assert group.rows.turn is None


def test_turns_make_dialogues_as_long_as_their_last_turn(tmp_path):
    group = only(read(tmp_path, "id,turn,score,correct\na,1,0.5,1\na,3,0.5,0\nb,1,0.1,0\n"))
    assert group.rows.turn.tolist() == [1, 3, 1]
    assert group.rows.n_turns.tolist() == [3, 3, 1]


@pytest.mark.parametrize(
    ("text", "line", "says", "expects"),
    [
        ("id,score,correct\na,0.5,1\nb,85,0\n", 3, "it is 85", "--percent"),
        ("id,score,correct\na,0.5,1\nb,-0.1,0\n", 3, "it is -0.1", "[0, 1]"),
        ("id,score,correct\na,high,1\n", 2, "'high'", "[0, 1]"),
        ("id,score,correct\na,0.5,right\n", 2, "'right'", "TRUE or FALSE"),
        ("id,score,correct\na,0.5,2\n", 2, "'2'", "TRUE or FALSE"),
        ("id,score,correct\na,0.5,1\nb,0.5,1\na,0.6,0\n", 4, "'a' is there already, in line 2",
         "--turn"),
        ("id,turn,score,correct\na,1,0.5,1\na,1,0.6,0\n", 3, "turn 1 of 'a'", "dialogue and turn"),
        ("id,dialogue,score,correct\n1,a,0.5,1\n1,a,0.5,0\n", 3, "'1' is there already", "an id"),
        ("id,turn,n_turns,score,correct\na,2,1,0.5,1\n", 2, "it is 1 for turn 2", "at least"),
        ("id,turn,n_turns,score,correct\na,1,3,0.5,1\na,2,2,0.5,1\n", 3, "it is 2", "the same"),
        ("id,correct\na,1\n", None, "no column is known as 'confidence'", "--score COLUMN"),
        ("id,score,correct\n", None, "the file holds no row", "one row"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_that_names_the_place(tmp_path, text, line, says, expects):
    error = error_of(tmp_path, text)
    assert error.line == line
    assert says in error.problem
    assert expects in (error.expected or "")


def test_what_a_row_cost_is_averaged_over_the_complete_rows(tmp_path):
    text = "id,score,correct,cost,latency\na,0.9,1,2,0.5\nb,0.2,0,4,\nc,,1,100,9\n"
    found = read(tmp_path, text)
    assert only(found).costs == {"cost": 3.0, "latency": 0.5}
    assert found.taken["cost"] == ("cost", "latency")
    for bad in ("-1", "much", "inf"):
        error = error_of(tmp_path, f"id,score,correct,cost\na,0.9,1,{bad}\n")
        assert (error.line, error.field) == (2, "cost")
        assert "a number from 0" in error.expected


def test_percent_is_read_when_it_is_said(tmp_path):
    group = only(read(tmp_path, "id,score,correct\na,85%,1\nb,1,0\n", percent=True))
    assert group.rows.score.tolist() == [0.85, 0.01]


def test_pieces_make_no_difference(tmp_path, monkeypatch):
    text = "id,dialogue,turn,score,correct,language\n" + "".join(
        f"{k},d{k // 3},{k % 3 + 1},{(k % 10) / 10},{k % 2},{'en' if k > 20 else 'de'}\n"
        for k in range(40)
    )
    whole = only(read(tmp_path, text))
    monkeypatch.setattr(module, "read_blocks", lambda path: module_read_blocks(path, n_rows=7))
    pieces = only(read(tmp_path, text))
    for name in ("score", "correct", "group", "turn", "n_turns"):
        assert getattr(pieces.rows, name).tolist() == getattr(whole.rows, name).tolist()
    assert pieces.slices["language"].codes.tolist() == whole.slices["language"].codes.tolist()


module_read_blocks = module.read_blocks


def test_the_order_of_the_rows_does_not_number_the_dialogues(tmp_path):
    lines = [f"q{k},0.{k},{k % 2}\n" for k in range(1, 9)]
    one = only(read(tmp_path, "id,score,correct\n" + "".join(lines))).rows
    other = only(read(tmp_path, "id,score,correct\n" + "".join(reversed(lines)))).rows
    assert other.score[::-1].tolist() == one.score.tolist()
    assert other.group[::-1].tolist() == one.group.tolist()


def test_a_run_gives_its_plain_turns_by_method(tmp_path):
    given = dialogues(4)
    rows = made_up_rows(given, {"p_true": 0.1, "vanilla_verb": 0.3}, right=0.8)
    rows.append(row(given[0], 1, "p_true", 0.3, True, condition="placebo"))
    run = write_run(tmp_path / "run", given, rows)
    found = read_predictions(run)
    assert [(one.method, len(one.rows)) for one in found.groups] == [
        ("p_true", 12), ("vanilla_verb", 12),
    ]  # fmt: skip
    assert found.groups[0].rows.n_turns.tolist() == [3] * 12
    assert found.run is not None
    assert "slice" not in found.taken
    assert set(found.notes) == {
        "24 rows with target 'gold' are left out.",
        "1 rows with another condition than 'plain' are left out.",
    }


def test_an_unfinished_run_and_an_empty_folder_are_refused(tmp_path):
    given = dialogues(2)
    run = write_run(tmp_path / "run", given, made_up_rows(given, {"a": 0.0}, right=0.5),
                    finished=None)  # fmt: skip
    with pytest.raises(StoreError, match="not finished"):
        read_predictions(run)
    with pytest.raises(StoreError, match="no run is here"):
        read_predictions(tmp_path)


def test_json_lines_with_a_meta_column_of_their_own_are_no_turns_table(tmp_path):
    lines = [json.dumps({"id": k, "score": 0.5, "correct": True, "meta": "x"}) for k in range(3)]
    group = only(read(tmp_path, "\n".join(lines), name="p.jsonl"))
    assert len(group.rows) == 3


def turns_csv(metas, protocols):
    head = "dialogue,turn,condition,target,method,confidence,correct,meta,protocol,failure_kind,"
    lines = [f"{head}match_rule"]
    for k, (meta, protocol) in enumerate(zip(metas, protocols, strict=True)):
        text = json.dumps(meta).replace('"', '""')
        lines.append(f'd{k},1,plain,answer,p_true,0.5,1,"{text}",{protocol},,exact')
    return "\n".join(lines) + "\n"


def test_what_the_meta_of_a_turns_table_says_is_a_slice(tmp_path):
    metas = [
        {"continent": "Asia", "control.hint": "x"},
        {"continent": "Europe"},
        {"language": "fi"},
        {"language": "se", "continent": "Asia"},
    ]
    group = only(read(tmp_path, turns_csv(metas, "pppp")))
    shown = {
        name: [None if code < 0 else one.names[code] for code in one.codes.tolist()]
        for name, one in group.slices.items()
    }
    assert shown == {
        "continent": ["Asia", "Europe", None, "Asia"],
        "language": [None, None, "fi", "se"],
    }


def test_rows_of_two_protocols_are_never_pooled(tmp_path):
    error = error_of(tmp_path, turns_csv([{}, {}], "pq"))
    assert error.field == "protocol"
    assert "rows of 2 protocols" in error.problem
