import json

import pytest

from tests.support.watched import gate, write_scores
from turnsure.cli.drift import RECALIBRATE, STOP
from turnsure.cli.main import cli
from turnsure.core.errors import InputError, LeakageError


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return gate(tmp_path_factory.mktemp("gate"))


def drift(file, *arguments):
    words = ["drift", "--gate", file, *arguments, "--resamples", 50]
    with pytest.raises(SystemExit) as ended:
        cli.main([str(one) for one in words], standalone_mode=False)
    return ended.value.code


def test_the_exit_code_is_the_verdict(file, tmp_path, capsys):
    held = write_scores(tmp_path / "held.csv")
    worse = write_scores(tmp_path / "worse.csv", drop=0.2)
    assert drift(file, held) == 0
    assert "OK  gate" in capsys.readouterr().out
    assert drift(file, worse) == RECALIBRATE
    assert "RECALIBRATE  gate" in capsys.readouterr().out
    assert drift(file, worse, "--target-error", 0.05) == STOP
    assert "STOP  gate" in capsys.readouterr().out
    assert len({0, RECALIBRATE, STOP, 20, 21}) == 5


def test_the_formats_say_the_same(file, tmp_path, capsys):
    path = write_scores(tmp_path / "new.csv", drop=0.2, drop_on={"en": 0.0, "de": 0.1})
    assert drift(file, path, "--format", "json", "--stream", "--target-error", 0.1) == STOP
    body = json.loads(capsys.readouterr().out)
    assert (body["kind"], body["verdict"], body["stream"]) == ("drift", "stop", True)
    assert drift(file, path, "--format", "markdown", "--stream", "--target-error", 0.1) == STOP
    text = capsys.readouterr().out
    assert text.startswith("## Drift: stop\n")
    for reason in body["reasons"]:
        assert f"- {reason}\n" in text
    for words in ("| slope 1 and intercept 0 |", "| answers wrong ≤ 0.1 |", "language en", "index"):
        assert words in text


def test_a_table_without_labels_or_line_is_drawn(file, tmp_path, capsys):
    assert drift(file, write_scores(tmp_path / "bare.csv", 30, labels=False)) == 0
    assert "no labels" in " ".join(capsys.readouterr().out.split())
    path = tmp_path / "right.csv"
    path.write_text("id,score,correct\n" + "".join(f"n{k},0.97,1\n" for k in range(9)))
    assert drift(file, path, "--format", "markdown") == 0
    text = capsys.readouterr().out
    assert "all 9 answers are right" in text
    assert "The labels at hand are too few to notice any drop." not in text
    path.write_text("id,score,correct\na,0.8,1\nb,0.6,0\n")
    assert drift(file, path, "--format", "markdown") == 0
    text = capsys.readouterr().out
    assert "The labels at hand are too few to notice any drop." in text
    assert text.count("recalibration line") <= 1


def test_columns_are_named_and_slices_left_out(file, tmp_path, capsys):
    path = tmp_path / "new.csv"
    rows = "".join(f"c{k // 2},{k % 2 + 1},{50 + k},{'yes' if k % 4 else 'no'},s{k % 2}\n"
                   for k in range(40))  # fmt: skip
    path.write_text("call,step,sure,fine,shop\n" + rows)
    named = ("--dialogue", "call", "--turn", "step", "--score", "sure", "--correct", "fine")
    drift(file, path, *named, "--percent", "--slice", "none", "--format", "json")
    body = json.loads(capsys.readouterr().out)
    assert body["labels"]["n"] == 40
    assert body["labels"]["n_dialogues"] == 20
    assert {one["name"] for one in body["labels"]["slices"]} <= {"turn"}


def test_what_is_wrong_is_an_error_and_no_verdict(file, tmp_path):
    same = write_scores(tmp_path / "evidence.csv", 5)
    words = ["drift", "--gate", str(file), str(same)]
    with pytest.raises(LeakageError):
        cli.main(words, standalone_mode=False)
    for extra, field in ((["--alpha", "2"], "alpha"), (["--drop", "0"], "drop")):
        with pytest.raises(InputError) as caught:
            cli.main([*words, *extra], standalone_mode=False)
        assert caught.value.field == field
    broken = tmp_path / "gate.json"
    broken.write_text(file.read_text()[:-40])
    with pytest.raises(InputError, match="cut short"):
        cli.main(["drift", "--gate", str(broken), str(same)], standalone_mode=False)
