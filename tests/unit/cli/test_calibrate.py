"""``turnsure calibrate`` as a user calls it."""

from __future__ import annotations

import json
import random

import pytest
from click.testing import CliRunner

from tests.support.html_page import Page
from tests.support.run_folders import dialogues, made_up_rows, write_run
from turnsure.cli.calibrate import calibrate
from turnsure.core.errors import InputError, StoreError


@pytest.fixture(scope="module")
def predictions(tmp_path_factory):
    rng = random.Random(1)
    path = tmp_path_factory.mktemp("calibrate") / "predictions.csv"
    lines = ["id,score,correct,language"]
    for k in range(300):
        score = rng.choice([0.5, 0.7, 0.8, 0.9])
        language = rng.choices(["en", "<b>", "fi"], [60, 38, 2])[0]
        lines.append(f"q{k},{score},{int(rng.random() < 0.9 * score)},{language}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


FAST = ("--resamples", "50")


def called(*arguments):
    return CliRunner().invoke(
        calibrate, [str(one) for one in (*arguments, *FAST)], catch_exceptions=False
    )


def refused(*arguments):
    with pytest.raises((InputError, StoreError)) as caught:
        called(*arguments)
    return caught.value


def test_the_terminal_says_what_was_found_before_the_tables(predictions):
    result = called(predictions, "--maps", "none", "--options", 4)
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    assert (
        "Columns taken as dialogue: id; confidence: score; correct: correct; slice: language"
        in (result.stderr)
    )
    assert words.index("300 rows with score and label") < words.index("What the score is worth")
    for part in (
        "treat it as 4 buckets",
        "a uniform guess that knows its odds",
        "If only scores from a threshold on are answered",
        "too few: no claim",
        "AURC",
    ):
        assert part in words


def test_json_has_every_number_with_its_n(predictions):
    result = called(predictions, "--format", "json", "--maps", "platt", "--folds", 3)
    body = json.loads(result.stdout)
    [group] = body["groups"]
    assert body["format"] == 1
    assert group["n_scored"] == group["brier"]["n_turns"] == 300
    assert [one["name"] for one in group["maps"]["maps"]] == ["platt"]
    assert group["choice"] is None
    assert body["settings"]["resamples"] == 50


def test_a_folder_has_page_numbers_maps_and_tables(predictions, tmp_path):
    out = tmp_path / "new" / "out"
    called(predictions, "-o", out, "--maps", "platt,isotonic", "--folds", 3,
           "--target-error", 0.3)  # fmt: skip
    assert {one.name for one in out.iterdir()} == {
        "metrics.json", "maps.json", "report.html", "tables.md",
    }  # fmt: skip
    assert json.loads((out / "metrics.json").read_text())["kind"] == "calibration"
    maps = json.loads((out / "maps.json").read_text())["maps"]
    assert [one["name"] for one in maps] == ["platt", "isotonic"]
    assert {one["n_rows"] for one in maps} == {300}
    assert all("all rows" in one["fitted_on"] for one in maps)
    html = (out / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    assert page.unbalanced == []
    assert "script" not in page.names
    assert "b" not in page.names  # the slice is called <b>
    assert len(page.of("svg")) == 3
    assert len(set(page.values("id"))) == len(page.values("id"))
    assert "By language" in page.text
    assert (out / "tables.md").read_text(encoding="utf-8").startswith("## `score`")


def test_a_target_and_costs_choose_a_threshold(predictions):
    for said in (("--target-error", 0.45), ("--cost-wrong", 5, "--cost-review", 1)):
        [group] = json.loads(
            called(predictions, "--format", "json", "--maps", "none", *said).stdout
        )["groups"]
        assert group["choice"]["rule"]["answer_at"] is not None
        assert group["choice"]["rule"]["otherwise"] == "escalate"
    words = " ".join(called(predictions, "--maps", "none", "--target-error", 0.01).stdout.split())
    assert "This assumes:" in words
    assert "No threshold meets this target with these data" in words


@pytest.mark.parametrize("content", ["id,score,correct\na,0.9,1\nb,0.8,0\nc,0.7,1\n"])
def test_three_rows_have_numbers_and_no_claims(tmp_path, content):
    path = tmp_path / "three.csv"
    path.write_text(content, encoding="utf-8")
    words = " ".join(called(path, "--target-error", 0.1).stdout.split())
    assert "With 3 dialogues nothing can be claimed" in words
    assert "Calibration maps cannot be compared" in words
    assert "Scores do not clearly tell right from wrong" in words


def test_costs_are_weighed_on_the_map_that_helps_and_a_target_on_the_score(tmp_path):
    rng = random.Random(2)
    path = tmp_path / "sure.csv"
    lines = [f"q{k},{rng.choice([0.8, 0.99])},{int(rng.random() < 0.5)}\n" for k in range(200)]
    path.write_text("id,score,correct\n" + "".join(lines), encoding="utf-8")
    for said, name in (
        (("--cost-wrong", 5, "--cost-review", 1), "platt"),
        (("--target-error", 0.6), None),
    ):
        arguments = (path, "--maps", "platt", "--folds", 3, "--format", "json", *said)
        [group] = json.loads(called(*arguments).stdout)["groups"]
        assert group["maps"]["best"] == "platt"
        assert group["choice_map"] == name


def test_maps_of_very_many_rows_are_told_apart_on_a_sample(predictions, monkeypatch):
    monkeypatch.setattr("turnsure.experiment.calibrating.calibrate._MOST_MAP_ROWS", 120)
    arguments = (predictions, "--maps", "platt", "--folds", 3)
    [group] = json.loads(called(*arguments, "--format", "json").stdout)["groups"]
    assert (group["maps"]["n_rows"], group["maps"]["n_rows_given"]) == (120, 300)
    assert group["n_scored"] == 300
    assert "120 of 300 rows, 3 folds" in called(*arguments).stdout


def test_a_single_value_is_drawn_without_complaints(tmp_path, capfd):
    path = tmp_path / "one.csv"
    path.write_text(
        "id,score,correct,cost\n" + "".join(f"q{k},0.7,{k % 2},3\n" for k in range(40)),
        encoding="utf-8",
    )
    result = called(path, "--maps", "none", "-o", tmp_path / "out")
    assert "takes a single value" in " ".join(result.stdout.split())
    assert "Mean cost of a row" in result.stdout
    assert capfd.readouterr() == ("", "")


def test_one_class_is_told_and_the_rest_is_printed(tmp_path):
    path = tmp_path / "right.csv"
    path.write_text(
        "id,score,correct\n" + "".join(f"q{k},0.{k % 9 + 1},1\n" for k in range(40)),
        encoding="utf-8",
    )
    words = " ".join(called(path).stdout.split())
    assert "all 40 answers are right" in words
    assert "Brier score" in words


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        (("--confidence", 0.9), "confidence"),
        (("--cost-review", 1), "cost-wrong"),
        (("--target-error", 2), "error"),
        (("--bins", 0), "bins"),
        (("--min-n", 1), "min-n"),
        (("--options", 1), "options"),
        (("--folds", 1), "folds"),
        (("--maps", "magic"), "maps"),
        (("--slice", "tongue"), "slice"),
        (("--score", "tongue"), "confidence"),
    ],
)
def test_odd_settings_are_refused(predictions, arguments, field):
    assert refused(predictions, *arguments).field == field


def test_nothing_is_written_over_a_run_or_a_file(predictions, tmp_path):
    given = dialogues(3)
    run = write_run(tmp_path / "run", given, made_up_rows(given, {"p_true": 0.1}, right=0.8))
    assert "is the folder of a run" in str(refused(predictions, "-o", run, "--maps", "none"))
    assert "this is no folder" in str(refused(predictions, "-o", predictions, "--maps", "none"))


def test_a_run_is_judged_by_method_and_turn(tmp_path):
    given = dialogues(30)
    rows = made_up_rows(given, {"p_true": 0.1, "vanilla_verb": 0.3}, right=0.8)
    run = write_run(tmp_path / "run", given, rows)
    result = called(run, "--maps", "none")
    words = " ".join(result.stdout.split())
    assert "90 rows with score and label of 30 dialogues" in words
    assert "By turn" in words
    assert "What the signals cost is not known: there is no store.sqlite" in words
