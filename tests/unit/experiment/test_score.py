"""Scores that were made elsewhere: groups, numbers, common turns, folders."""

from __future__ import annotations

import json

import pytest

from tests.support.run_folders import dialogues, made_up_rows, row, write_run
from turnsure.core.errors import InputError, StoreError
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnsTable
from turnsure.experiment.evaluate import evaluate
from turnsure.experiment.score import EvaluationSettings, score, write_score_folder
from turnsure.experiment.score_groups import read_scores
from turnsure.experiment.score_tables import score_tables

FEW = EvaluationSettings(resamples=50)


@pytest.fixture
def scored(tmp_path):
    def of(text):
        path = tmp_path / "s.csv"
        path.write_text(text)
        return score(read_scores(path), FEW)

    return of


def value(result) -> float:
    assert isinstance(result, MetricResult)
    return result.value


def test_numbers_by_hand(scored):
    evaluation = scored("id,turn,confidence,correct\na,1,0.2,0\na,2,0.8,1\nb,1,0.6,1\nb,2,0.6,1\n")
    [group] = evaluation.groups
    # Level 1/2: mean confidence 0.4, accuracy 0.5; level 1: 0.7 and 1.
    assert value(group.metrics["info_ece"]) == pytest.approx((0.1 + 0.3) / 2)
    assert value(group.metrics["kendall_tau"]) == 0.5  # 1 for a, 0 for b
    assert value(group.metrics["brier"]) == pytest.approx((0.04 + 0.04 + 0.16 + 0.16) / 4)
    assert value(group.metrics["auroc"]) == 1.0
    assert value(group.accuracy) == 0.75
    assert group.accuracy.interval is not None
    assert (group.accuracy.n_turns, group.accuracy.n_dialogues) == (4, 2)
    assert len(group.sensitivity) == 6
    assert evaluation.common == ()


def test_a_runs_own_table_gets_the_runs_own_numbers(tmp_path):
    given = dialogues(6)
    rows = made_up_rows(given, {"p_true": 0.2, "p_sufficient": 0.0}, right=0.7)
    rows[0] = row(given[0], 1, "p_true", None, rows[0].outcome.correct)
    rows.append(row(given[0], 1, "p_true", 0.1, False, target="other"))
    folder = write_run(tmp_path / "run", given, rows)
    table = read_scores(folder / "turns.parquet")
    evaluation = score(table, FEW)
    whole = evaluate(TurnsTable.of(rows), RunSpec(resamples=50), protocol="p")
    assert [group.method for group in evaluation.groups] == ["p_true", "p_sufficient"]
    for group, method in zip(evaluation.groups, whole.methods, strict=True):
        assert group.metrics == method.metrics
        assert group.sensitivity == method.sensitivity
        assert (group.n_rows, group.n_scored) == (method.n_rows, method.n_scored)
        assert group.accuracy == whole.accuracy
    assert "1 rows with target 'other' are left out." in evaluation.notes


def test_without_turns_every_row_is_turn_1_of_1(scored):
    evaluation = scored("id,confidence,correct\na,0.2,0\nb,0.9,1\nc,0.7,0\n")
    [group] = evaluation.groups
    tau = group.metrics["kendall_tau"]
    assert isinstance(tau, Undefined)
    assert "two turns" in tau.reason
    assert value(group.metrics["info_ece"]) == pytest.approx(abs(1 / 3 - 0.6))
    assert group.sensitivity == ()
    assert "every row is turn 1 of 1" in evaluation.notes[0]


def test_a_dialogue_is_as_long_as_its_largest_turn_unless_the_file_says_more(scored):
    text = "id,turn,{}confidence,correct\na,1,{}0.2,0\na,3,{}0.8,1\nb,1,{}0.5,1\n"
    [without] = scored(text.format("", "", "", "")).groups
    [given] = scored(text.format("n_turns,", "3,", "3,", "1,")).groups
    assert without.metrics == given.metrics
    [longer] = scored(text.format("n_turns,", "6,", "6,", "1,")).groups
    assert longer.metrics["info_ece"] != given.metrics["info_ece"]


def test_models_data_and_methods_are_groups_of_their_own(scored):
    evaluation = scored(
        "llm,dataset,method,id,confidence,correct\n"
        "m,q,x,1,0.5,1\nm,q,y,1,0.5,1\nm,r,x,1,0.5,1\nn,q,x,1,0.5,0\n"
    )
    assert [(one.model, one.data, one.method) for one in evaluation.groups] == [
        ("m", "q", "x"), ("m", "q", "y"), ("m", "r", "x"), ("n", "q", "x"),
    ]  # fmt: skip


def test_failures_are_counted_and_never_numbers(scored):
    [group] = scored("id,confidence,correct\na,0.2,0\nb,NA,1\nc,0.7,\nd,0.9,1\n").groups
    brier = group.metrics["brier"]
    assert isinstance(brier, MetricResult)
    assert (brier.n_turns, brier.n_failed) == (2, 2)
    assert (group.n_rows, group.n_scored) == (4, 2)
    assert value(group.accuracy) == pytest.approx(2 / 3)


def test_several_columns_are_methods_and_are_also_compared_on_common_turns(scored):
    evaluation = scored(
        "id,stated_confidence,token_confidence,correct\n"
        "a,0.2,0.1,0\nb,0.9,0.8,1\nc,0.7,NA,0\nd,NA,0.6,1\n"
    )
    assert [(one.method, one.n_scored) for one in evaluation.groups] == [
        ("stated_confidence", 3), ("token_confidence", 3),
    ]  # fmt: skip
    assert [(one.method, one.n_rows, one.n_scored) for one in evaluation.common] == [
        ("stated_confidence", 2, 2), ("token_confidence", 2, 2),
    ]  # fmt: skip
    assert value(evaluation.common[0].metrics["brier"]) == pytest.approx((0.04 + 0.01) / 2)
    assert value(evaluation.common[1].metrics["brier"]) == pytest.approx((0.01 + 0.04) / 2)
    assert any("do not cover the same turns" in note for note in evaluation.notes)


def test_equal_coverage_needs_no_second_table_and_an_empty_method_does_not_forbid_one(scored):
    equal = scored("id,s_confidence,t_confidence,correct\na,0.2,0.1,0\nb,NA,NA,1\n")
    assert equal.common == ()
    empty = scored("id,s_confidence,t_confidence,u_confidence,correct\na,0.2,0.1,,0\nb,0.3,,,1\n")
    assert [one.method for one in empty.common] == ["s_confidence", "t_confidence"]
    assert any(note.startswith("u_confidence: nothing scored in 1 of 1") for note in empty.notes)


def test_methods_without_a_common_turn_are_told(scored):
    evaluation = scored("id,s_confidence,t_confidence,correct\na,0.2,,0\nb,,0.4,1\n")
    assert evaluation.common == ()
    assert any("no turn in common" in note for note in evaluation.notes)


def test_a_method_column_and_several_confidences_are_named_together(scored):
    evaluation = scored("id,method,a_confidence,b_confidence,correct\n1,x,0.1,0.2,1\n")
    assert [one.method for one in evaluation.groups] == ["x: a_confidence", "x: b_confidence"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,turn,score,correct\na,1,0.1,0\na,2,0.1,0\na,1,0.2,1\n",
         "line 4, field 'turn': turn 1 of 'a' stands on line 2 already"),
        ("id,score,correct\na,0.1,0\na,0.2,1\n", "which column is the turn is said by --turn"),
        ("id,turn,n_turns,score,correct\na,2,1,0.1,0\n",
         "line 2, field 'n_turns': it is 1 for turn 2 of 'a' (expected at least the turn)"),
        ("id,turn,n_turns,score,correct\na,1,2,0.1,0\na,2,3,0.1,0\n",
         "line 3, field 'n_turns': it is 3 for turn 2 of 'a' (expected 2, as in the dialogue's"),
    ],
)  # fmt: skip
def test_rows_that_contradict_one_another_are_refused(scored, text, says):
    with pytest.raises(InputError) as caught:
        scored(text)
    assert says in str(caught.value)


def test_equal_ids_in_other_data_models_and_methods_are_no_doubles(scored):
    evaluation = scored("id,llm,qset,method,score,correct\n1,m,q,x,0.1,0\n1,m,r,x,0.1,0\n"
                        "1,n,q,x,0.1,0\n1,m,q,y,0.1,0\n")  # fmt: skip
    assert len(evaluation.groups) == 4


def test_odd_settings_are_refused():
    with pytest.raises(InputError, match="resamples is 0"):
        EvaluationSettings(resamples=0)


def test_a_folder_can_be_read_back(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(
        "id,turn,llm,s_confidence,t_confidence,correct\n"
        "a,1,m,0.2,0.1,0\na,2,m,0.9,NA,1\nb,1,m,0.7,0.3,\n"
    )
    table = read_scores(path)
    folder = tmp_path / "out" / "folder"
    write_score_folder(folder, table, score(table, FEW))
    again = read_scores(folder / "scores.parquet")
    assert score(again, FEW).groups == score(table, FEW).groups
    body = json.loads((folder / "metrics.json").read_text())
    assert (body["format"], body["kind"]) == (1, "scores")
    assert body["groups"][0]["metrics"]["brier"]["n_turns"] == 2


def test_a_runs_folder_is_not_written_over(tmp_path):
    given = dialogues(2)
    folder = write_run(tmp_path / "run", given, made_up_rows(given, {"p_true": 0.1}, right=0.5))
    table = read_scores(folder / "turns.parquet")
    with pytest.raises(StoreError, match="is the folder of a run"):
        write_score_folder(folder, table, score(table, FEW))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="this is no folder"):
        write_score_folder(tmp_path / "file", table, score(table, FEW))


def test_the_table_names_only_what_differs_and_puts_methods_side_by_side(scored):
    tables = score_tables(
        scored(
            "llm,qset,id,s_confidence,t_confidence,correct\n"
            "m,q,1,0.5,0.4,1\nn,q,1,0.5,0.4,1\nm,r,1,0.5,,1\n"
        )
    )
    [grid] = tables.grids
    assert grid.headings == ("Data", "Model", "Method")
    assert [one.labels for one in grid.rows] == [
        ("q", "m", "s_confidence"), ("q", "m", "t_confidence"), ("q", "n", "s_confidence"),
        ("q", "n", "t_confidence"), ("r", "m", "s_confidence"),
    ]  # fmt: skip
    assert [one.metric for one in grid.columns] == [
        "accuracy", "info_ece", "kendall_tau", "ece", "smooth_ece", "brier", "auroc",
    ]  # fmt: skip
    assert grid.rows[-1].remarks == ("1",)


def test_a_table_of_turns_also_shows_how_info_ece_moves_with_its_bins(scored):
    tables = score_tables(scored("id,turn,score,correct\na,1,0.2,0\na,2,0.9,1\n"))
    assert [grid.key for grid in tables.grids] == ["scores", "sensitivity"]
    assert [column.group for column in tables.grids[1].columns] == [
        "5 bins, equal width", "10 bins, equal width", "20 bins, equal width",
        "5 bins, equal mass", "10 bins, equal mass", "20 bins, equal mass",
    ]  # fmt: skip


def test_a_table_on_which_nothing_is_scored_is_an_error(scored):
    with pytest.raises(InputError, match="no row has both a confidence and an outcome"):
        score_tables(scored("id,score,correct\na,NA,1\nb,0.5,NA\n"))
