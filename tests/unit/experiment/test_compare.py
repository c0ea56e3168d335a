"""Runs side by side."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.support.run_folders import dialogues, made_up_rows, row, write_run
from turnsure import metrics
from turnsure.core.dialogue import Hint
from turnsure.core.errors import InputError, StoreError
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.turns import TurnsTable
from turnsure.experiment.compare import compare
from turnsure.experiment.score import EvaluationSettings, score, write_score_folder
from turnsure.experiment.score_groups import read_scores

FEW = EvaluationSettings(resamples=200)
GIVEN = dialogues(30)
METHODS = {"p_true": 0.4, "p_sufficient": 0.01}


@pytest.fixture
def run(tmp_path):
    def made(name, rows=None, *, given=GIVEN, right=0.4, seed=0, **options):
        rows = made_up_rows(given, METHODS, right=right, seed=seed) if rows is None else rows
        return write_run(tmp_path / name, given, rows, **options)

    return made


def compared(*folders, **options):
    return compare(folders, settings=FEW, **options)


def grids(comparison):
    return {grid.key: grid for grid in comparison.tables.grids}


def cell(grid, labels, place=0):
    [row] = [one for one in grid.rows if one.labels == labels]
    found = row.cells[place]
    assert found is not None
    return found


def test_one_run_is_its_own_numbers(run):
    rows = made_up_rows(GIVEN, METHODS, right=0.4)
    comparison = compared(run("a", rows))
    grid = grids(comparison)["grid"]
    assert [one.labels for one in grid.rows] == [
        ("Qwen2.5-0.5B", "Accuracy"), ("Qwen2.5-0.5B", "p_true"),
        ("Qwen2.5-0.5B", "p_sufficient"),
    ]  # fmt: skip
    assert [one.metric for one in grid.columns] == ["info_ece", "kendall_tau"]
    columns = TurnsTable.of(rows).select(target="answer", method="p_true").columns()
    assert cell(grid, ("Qwen2.5-0.5B", "p_true")).result == metrics.info_ece(
        columns.confidence, columns.correct, columns.turn, columns.n_turns,
        dialogue=columns.dialogue, resamples=200,
    )  # fmt: skip
    accuracy = cell(grid, ("Qwen2.5-0.5B", "Accuracy"))
    assert accuracy.metric == "accuracy"
    assert accuracy.result == metrics.accuracy(
        columns.correct, dialogue=columns.dialogue, resamples=200
    )
    assert grid.rows[0].cells[1] is None


def test_the_grid_is_models_by_methods_by_data(run):
    comparison = compared(
        run("a"), run("b", model="openai:Qwen2.5-7B", right=0.8), run("c", data="/x/guess.jsonl")
    )
    grid = grids(comparison)["grid"]
    names = [(column.group.partition(" ")[0], column.metric) for column in grid.columns]
    assert names == [
        ("countries", "info_ece"), ("countries", "kendall_tau"), ("guess", "info_ece"),
        ("guess", "kendall_tau"),
    ]  # fmt: skip
    assert len(grid.rows) == 6
    assert all(one is None for one in grid.rows[-1].cells[2:])  # the 7B model was not on guess


def test_only_what_is_better_than_all_others_beyond_chance_is_marked(run):
    far = grids(compared(run("far")))["grid"]
    assert cell(far, ("Qwen2.5-0.5B", "p_sufficient")).marked
    assert not cell(far, ("Qwen2.5-0.5B", "p_true")).marked
    rows = made_up_rows(GIVEN, {"p_true": 0.02, "p_sufficient": 0.01}, right=0.4)
    comparison = compared(run("near", rows))
    near = grids(comparison)["grid"]
    assert not any(one and one.marked for line in near.rows for one in line.cells)
    [note] = [one for one in comparison.tables.notes if one.startswith("Not separable")]
    assert "info_ece on countries" in note


def test_rounding_is_no_difference(run):
    """Both methods are off by 0.45 on average, in sums that round differently."""
    sure = {"a": (0.4, 0.5), "b": (0.6, 0.3)}
    given = dialogues(5, n_turns=2)
    rows = [
        row(one, turn, method, sure[method][turn - 1], False)
        for one in given for turn in (1, 2) for method in sure
    ]  # fmt: skip
    found = grids(compared(run("a", rows, given=given), names=("info_ece",)))
    difference = found["differences_methods"].rows[0].cells[0]
    assert -1e-12 < difference.result.interval.low <= difference.result.interval.high < 0.0
    assert not difference.marked
    assert not any(cell.marked for line in found["grid"].rows for cell in line.cells if cell)


def test_one_number_alone_is_no_best(run):
    rows = made_up_rows(GIVEN, {"p_true": 0.3}, right=0.4)
    comparison = compared(run("a", rows))
    assert not any(
        one and one.marked for line in grids(comparison)["grid"].rows for one in line.cells
    )
    assert not any("Not separable" in one for one in comparison.tables.notes)


def test_differences_between_methods_are_paired_and_marked(run):
    rows = made_up_rows(GIVEN, METHODS, right=0.4)
    grid = grids(compared(run("a", rows)))["differences_methods"]
    [line] = grid.rows
    assert line.labels[1:] == ("Qwen2.5-0.5B", "p_true → p_sufficient")
    table = TurnsTable.of(rows).select(target="answer")
    left, right = (table.select(method=name).columns() for name in ("p_true", "p_sufficient"))
    first, second = line.cells
    assert first is not None
    assert second is not None
    assert first.result == metrics.paired_metric_difference("info_ece", left, right, resamples=200)
    assert first.marked
    assert first.p_value is None  # no mean: signs of dialogues say nothing of it
    assert second.p_value is not None
    assert line.remarks == ("30", "90")


def test_the_sign_flip_test_of_tau_is_over_dialogues(run):
    given = dialogues(5, n_turns=2)
    rows = [
        row(one, turn, method, value, True)
        for one in given
        for method, values in (("down", (0.9, 0.1)), ("up", (0.1, 0.9)))
        for turn, value in enumerate(values, start=1)
    ]
    grid = grids(compared(run("a", rows, given=given), names=("kendall_tau",)))
    found = grid["differences_methods"].rows[0].cells[0]
    assert found is not None
    assert isinstance(found.result, MetricResult)
    assert found.result.value == 2.0
    # All five dialogues change by 2: 2 of the 2^5 sign patterns are as extreme.
    assert found.p_value == found.p_holm == 2 / 32


def test_holms_correction_is_over_the_tests_of_a_table(run):
    grid = grids(compared(run("a"), run("b", model="openai:Qwen2.5-7B", right=0.9, seed=1)))[
        "differences_sizes"
    ]
    cells = [one for line in grid.rows for one in line.cells if one is not None]
    expected = metrics.holm([one.p_value for one in cells])
    assert [one.p_holm for one in cells] == list(expected)
    assert sum(one is not None for one in expected) == 3  # accuracy, and τ of two methods


def test_sizes_of_a_family_are_compared_small_to_large_whatever_the_order(run):
    small, large = run("a"), run("b", model="openai:qwen2.5-7b", right=0.9, seed=1)
    for order in ((small, large), (large, small)):
        found = grids(compared(*order))
        assert "differences_models" not in found
        accuracy = found["differences_sizes"].rows[0]
        assert accuracy.labels[1:] == ("Qwen2.5 0.5B → 7B", "Accuracy")
        assert accuracy.cells[0] is not None
        result = accuracy.cells[0].result
        assert isinstance(result, MetricResult)
        assert result.value > 0.2
        assert result.details["left"] < result.details["right"]


def test_other_models_are_compared_without_a_size(run):
    found = grids(compared(run("a"), run("b", model="openai:Llama-3.1-8B")))
    assert "differences_sizes" not in found
    labels = [one.labels for one in found["differences_models"].rows]
    assert [one[1:] for one in labels] == [
        ("Qwen2.5-0.5B → Llama-3.1-8B", name) for name in ("Accuracy", "p_true", "p_sufficient")
    ]


def test_other_protocols_are_never_in_one_column_and_what_differs_is_listed(run):
    comparison = compared(run("a"), run("b", style="chat"))
    found = grids(comparison)
    first, second = dict.fromkeys(column.group for column in found["grid"].columns)
    assert {first.partition(" ")[0], second.partition(" ")[0]} == {"countries"}
    assert first != second
    for line in found["grid"].rows:
        assert line.labels[0] == "Qwen2.5-0.5B"
    [note] = [one for one in comparison.tables.notes if one.startswith("Protocols")]
    assert "differ in rendering.style (transcript / chat)." in note
    assert first.partition(" ")[2] in note
    assert len(found["differences_protocols"].rows) == 3
    assert "differences_models" not in found


def test_every_run_is_shown_with_the_digest_of_its_protocol(run):
    folder = run("a")
    [line] = grids(compared(folder))["runs"].rows
    digest = json.loads((folder / "run.json").read_text())["digest"]
    assert line.labels[0] == str(folder)
    assert line.labels[3] == digest[:12]
    assert line.labels[4] == "30"


def test_long_entries_are_shown_where_they_begin_to_differ(run, tmp_path):
    folders = [run("a"), run("b")]
    for place, folder in enumerate(folders):
        body = json.loads((folder / "run.json").read_text())
        body["protocol"]["answer"]["template"] = "x" * 200 + f"the end {place}"
        (folder / "run.json").write_text(json.dumps(body))
    [note] = [one for one in compared(*folders).tables.notes if one.startswith("Protocols")]
    assert "the end 0 / …" in note
    assert "the end 1" in note
    assert "x" * 60 not in note


def test_two_models_of_one_name_are_kept_apart(run):
    comparison = compared(
        run("a", fingerprint={"model": "m", "weights": "one"}),
        run("b", fingerprint={"model": "m", "weights": "two"}),
    )
    blocks = {line.labels[0] for line in grids(comparison)["grid"].rows}
    assert len(blocks) == 2
    assert all(one.startswith("Qwen2.5-0.5B (") for one in blocks)
    assert any("differ in weights (one / two)" in one for one in comparison.tables.notes)


def test_the_same_run_twice_under_two_names_is_told_apart_by_its_folder(run):
    one, other = run("a"), run("b", given=GIVEN[:20])
    blocks = {line.labels[0] for line in grids(compared(one, other))["grid"].rows}
    assert blocks == {f"Qwen2.5-0.5B in {one}", f"Qwen2.5-0.5B in {other}"}


def test_only_dialogues_with_equal_hints_and_gold_are_paired(run):
    changed = [
        replace(one, hints=(*one.hints[:2], Hint(answer="Another clue."))) if place < 10 else one
        for place, one in enumerate(GIVEN)
    ]
    changed[10] = replace(changed[10], gold=("Chile",))
    comparison = compared(run("a"), run("b", given=changed, model="openai:Llama-3.1-8B"))
    [accuracy, *_] = grids(comparison)["differences_models"].rows
    assert accuracy.remarks == ("19", "57")
    [note] = [one for one in comparison.tables.notes if one.startswith("Dialogues of countries")]
    assert "19 of 30 and 30 (11 more have one id but are not the same dialogue)" in note


def test_many_pairs_are_summed_up(run):
    folders = [run(f"r{n}", given=GIVEN[:n], model=f"openai:m{n}") for n in (10, 12, 14, 16)]
    comparison = compared(*folders, kinds=())
    [note] = [one for one in comparison.tables.notes if one.startswith("Dialogues of")]
    assert "from 10 to 14, by pair of runs" in note


def test_data_of_one_name_without_a_common_dialogue_are_refused(run):
    others = [replace(one, id=f"x{one.id}") for one in GIVEN]
    with pytest.raises(InputError, match=r"both on 'countries' but have no dialogue in common"):
        compared(run("a"), run("b", given=others))


def test_controls_are_left_out_and_told(run):
    rows = made_up_rows(GIVEN, METHODS, right=0.4)
    more = [row(one, 1, "p_true", 0.9, True, condition="placebo") for one in GIVEN]
    plain, mixed = compared(run("a", rows)), compared(run("b", [*rows, *more]))
    assert grids(plain)["grid"] == grids(mixed)["grid"]
    assert any("30 rows of controls are left out" in one for one in mixed.tables.notes)


def test_the_gold_answers_tau_is_read_from_the_gold_rows(run):
    rows = made_up_rows(GIVEN, METHODS, right=0.4)
    found = grids(compared(run("a", rows), names=("kendall_tau_gold",)))
    columns = TurnsTable.of(rows).select(target="gold", method="p_true").columns()
    expected = metrics.kendall_tau(columns.confidence, columns.dialogue, columns.turn)
    result = cell(found["grid"], ("Qwen2.5-0.5B", "p_true")).result
    assert isinstance(result, MetricResult)
    assert result.value == expected.value
    difference = found["differences_methods"].rows[0].cells[0]
    assert difference is not None
    assert isinstance(difference.result, MetricResult)


def test_a_method_that_scored_nothing_has_a_reason_and_no_best(run):
    rows = made_up_rows(GIVEN, {"p_true": 0.1}, right=0.4)
    rows += [row(one, 1, "p_sufficient", None, False) for one in GIVEN]
    found = grids(compared(run("a", rows)))
    assert isinstance(cell(found["grid"], ("Qwen2.5-0.5B", "p_sufficient")).result, Undefined)
    assert found["differences_methods"].rows[0].remarks == ("0", "0")


def test_methods_with_answers_of_their_own_have_no_common_accuracy(run):
    rows = [
        row(one, 1, method, 0.5, right)
        for one in GIVEN
        for method, right in (("x", True), ("y", False))
    ]
    comparison = compared(run("a", rows))
    assert [one.labels[1] for one in grids(comparison)["grid"].rows] == ["x", "y"]
    assert any("answers of their own" in one for one in comparison.tables.notes)


def test_accuracy_is_over_the_turns_of_all_methods(run):
    rows = [row(one, 1, "x", 0.5, True) for one in GIVEN[:20]]
    rows += [row(one, 1, "y", 0.5, False) for one in GIVEN[20:]]
    found = grids(compared(run("a", rows)))["grid"]
    result = cell(found, ("Qwen2.5-0.5B", "Accuracy")).result
    assert isinstance(result, MetricResult)
    assert (result.value, result.n_turns) == (pytest.approx(2 / 3), 30)


def test_folders_of_scores_are_compared_by_id(tmp_path):
    path = tmp_path / "s.csv"
    lines = [f"{model},q,{n},{(n % 7) / 7},{int(n % 5 > model_rank)}"
             for model_rank, model in enumerate(("m-1B", "m-7B")) for n in range(40)]  # fmt: skip
    path.write_text("\n".join(["llm,qset,id,score,correct", *lines]))
    table = read_scores(path)
    write_score_folder(tmp_path / "scores", table, score(table, FEW))
    comparison = compared(tmp_path / "scores", names=("ece",))
    found = grids(comparison)
    assert [one.labels for one in found["grid"].rows] == [
        ("m-1B", "Accuracy"), ("m-1B", "score"), ("m-7B", "Accuracy"), ("m-7B", "score"),
    ]  # fmt: skip
    assert found["grid"].columns[0].group == "q"
    assert found["differences_sizes"].rows[0].labels == ("q", "m 1B → 7B", "Accuracy")
    assert any("equal ids are taken to be equal" in one for one in comparison.tables.notes)


def test_columns_without_a_value_and_controls_are_no_methods(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(
        "llm,id,condition,a_confidence,b_confidence,correct\n"
        "m,1,plain,0.1,,0\nm,2,plain,0.7,,1\nm,1,placebo,0.5,0.5,1\nn,1,plain,0.2,0.3,0\n"
    )
    table = read_scores(path)
    write_score_folder(tmp_path / "scores", table, score(table, FEW))
    comparison = compared(tmp_path / "scores", names=("brier",), kinds=())
    assert [one.labels for one in grids(comparison)["grid"].rows] == [
        ("m", "Accuracy"), ("m", "a_confidence"),
        ("n", "Accuracy"), ("n", "a_confidence"), ("n", "b_confidence"),
    ]  # fmt: skip
    assert any("2 rows of controls are left out" in one for one in comparison.tables.notes)


def test_equal_ids_of_other_lengths_are_other_dialogues(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(
        "llm,id,turn,score,correct\nm,a,1,0.1,0\nm,a,2,0.2,1\nn,a,1,0.1,0\nm,b,1,0.5,1\nn,b,1,0.5,1\n"
    )
    table = read_scores(path)
    write_score_folder(tmp_path / "scores", table, score(table, FEW))
    comparison = compared(tmp_path / "scores")
    [accuracy, _] = grids(comparison)["differences_models"].rows
    assert accuracy.remarks == ("1", "1")
    assert any("1 of 2 and 2 (1 more have one id" in one for one in comparison.tables.notes)


def test_a_metric_or_kind_named_twice_counts_once(run):
    comparison = compared(
        run("a"), names=("info_ece", "brier", "info_ece"), kinds=("methods", "methods")
    )
    grid = grids(comparison)["grid"]
    assert [one.metric for one in grid.columns] == ["info_ece", "brier"]
    assert [one.key for one in comparison.tables.grids].count("differences_methods") == 1
    assert not any("no line for accuracy" in note for note in comparison.tables.notes)


def test_dialogues_in_common_are_told_by_data_with_one_explanation(run):
    folders = [
        run(f"{data}{place}", given=given, data=data, model=f"openai:m{place}")
        for data in ("one", "two")
        for place, given in enumerate((GIVEN, GIVEN[:20]))
    ]
    notes = [one for one in compared(*folders, kinds=()).tables.notes if "in common" in one]
    assert [one.partition(" in common: ")[0] for one in notes] == [
        "Dialogues of one", "Dialogues of two",
    ]  # fmt: skip
    assert [one.count("Differences are over these") for one in notes] == [0, 1]


def test_mistakes_are_one_line(run, tmp_path):
    good = run("good")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreError, match=r"no run is here \(there is no such folder\)"):
        compared(good, tmp_path / "nothing")
    with pytest.raises(StoreError, match=r"no run is here \(there is no run.json\)"):
        compared(good, tmp_path / "empty")
    with pytest.raises(StoreError, match=r"no run is here \(this is a file\)"):
        compared(good, good / "run.json")
    with pytest.raises(StoreError, match="is named twice"):
        compared(good, good)
    with pytest.raises(StoreError, match="this run is not finished"):
        compared(run("open", finished=None))
    with pytest.raises(InputError, match=r"'tau' is unknown .*kendall_tau"):
        compared(good, names=("tau",))
    with pytest.raises(InputError, match="no metric is named"):
        compared(good, names=())
    with pytest.raises(InputError, match="'size' is unknown"):
        compared(good, kinds=("size",))
    (good / "turns.parquet").unlink()
    with pytest.raises(StoreError, match="this run is not finished"):
        compared(good)


def test_the_tables_of_an_earlier_run_are_refused(run):
    folder = run("a")
    body = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**body, "digest": "other"}))
    with pytest.raises(StoreError, match="of an earlier run"):
        compared(folder)
