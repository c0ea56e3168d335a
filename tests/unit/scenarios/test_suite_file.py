"""A suite's folder, written and read back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.support.suites import SHORT, run_with, scenario
from turnsure.core.errors import InputError, StoreError
from turnsure.core.item_source import ItemSource
from turnsure.core.judged import JudgedItem, RubricJudgement
from turnsure.core.scenario import CheckSpec, Limits, Reveal, RubricItem
from turnsure.scenarios.suite_file import SuiteFolder, read_suite

FULL = scenario(
    reveals=(
        Reveal(id="a", turn=1, say="One.", facts=("One",), sets={"areas": ["Baner"]}),
        Reveal(id="b", say="Two.", withdraws=("areas",), rejects=("B1",)),
    ),
    answers={"floor": "any"},
    checks=(
        SHORT,
        replace(SHORT, name="long", expression="size(text) > 4", say="too short"),
        CheckSpec(
            name="said",
            kind="must_say",
            failure="missing_information",
            options={"values": ["later"]},
        ),
    ),
    fixtures={"flats": [{"id": "B1", "rent": 1.5}], "booked": []},
    tools={"find": {"table": "flats"}},
    items=(ItemSource(kind="tool_result", tool="find", path=("a", "b")),),
    limits=Limits(turns=5, seconds=9.0),
    rubric=(RubricItem(name="kind", ask="Was it kind?"),),
    meta={"city": "Pune"},
)


def book(messages, *, context):
    if context.replicate:
        context.fixtures["booked"].append("B1")
    return {"content": "hi é \u2028 \ud800", "items": [{"id": context.call("find")[0]["id"]}]}


def test_a_suite_comes_back_as_it_was(tmp_path):
    made = run_with(book, tmp_path, FULL)
    assert made.verdicts[0].findings
    assert read_suite(tmp_path) == made
    assert [one.state["booked"] for one in made.scenarios[0].transcripts] == [[], ["B1", "B1"]]


def test_what_the_judge_said_comes_back(tmp_path):
    made = run_with(book, tmp_path, FULL)
    item = JudgedItem(name="kind", ask="Was it kind?", answer="no", quote="hi é", turn=2)
    said = {
        0: RubricJudgement(problem="garbage", template="t", n_tries=3),
        1: RubricJudgement(items=(item, replace(item, name="more")), template="t", n_tries=1),
    }
    [result] = made.scenarios
    judged = replace(made, scenarios=(replace(result, judgements=said),))
    here = SuiteFolder(tmp_path)
    here.write(judged, started="2026-01-02", finished="2026-01-03")
    assert read_suite(tmp_path) == judged
    body = json.loads(here.suite_json.read_text(encoding="utf-8"))
    assert [one["replicate"] for one in body["judgements"]] == [0, 1]
    # A folder that was written before judgements were kept.
    del body["judgements"]
    here.suite_json.write_text(json.dumps(body), encoding="utf-8")
    assert read_suite(tmp_path) == made
    with pytest.raises(InputError, match="run 7 of 'flat' is judged"):
        replace(result, judgements={7: said[0]})


def test_unchanged_fixtures_are_not_written_with_every_run(tmp_path):
    run_with(book, tmp_path, FULL)
    ends = [
        json.loads(line)
        for line in (tmp_path / "transcripts.jsonl").read_text(encoding="utf-8").split("\n")
        if '"ending"' in line
    ]
    assert [("state" in one) for one in ends] == [False, True]


def test_a_line_is_a_turn(tmp_path):
    run_with(lambda messages: "ok", tmp_path)
    lines = (tmp_path / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    bodies = [json.loads(line) for line in lines]
    assert [one.get("turn") for one in bodies] == [1, 2, 3, None, 1, 2, 3, None]
    assert {one["replicate"] for one in bodies[:4]} == {0}


def test_equal_suites_have_equal_transcripts(tmp_path):
    for name in ("one", "other"):
        run_with(book, tmp_path / name, FULL, concurrency=3)
    one, other = ((tmp_path / name / "transcripts.jsonl") for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "no suite is here"),
        ("{", "cannot be read"),
        ("[]", "no suite.json of format 1"),
        ('{"format": 2, "kind": "test"}', "no suite.json of format 1"),
        ('{"format": 1, "kind": "build"}', "no suite.json of format 1"),
        ('{"format": 1, "kind": "test", "finished": null}', "not finished"),
        ('{"format": 1, "kind": "test", "finished": "x"}', "cannot be read"),
        ('{"format": 1, "kind": "test", "finished": "x", "scenarios": [{}]}', "cannot be read"),
    ],
)
def test_a_folder_without_a_finished_suite_is_one_clear_line(tmp_path, text, said):
    (tmp_path / "transcripts.jsonl").write_text("")
    if text is not None:
        (tmp_path / "suite.json").write_text(text)
    with pytest.raises(StoreError, match=said):
        read_suite(tmp_path)


def test_transcripts_that_are_damaged_or_missing_are_told(tmp_path):
    run_with(lambda messages: "ok", tmp_path)
    file = tmp_path / "transcripts.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    for text, said in (
        ("\n".join([*lines[:2], "{", *lines[3:]]), "line 3"),
        ("\n".join(lines[:-1]), "run 1 of 'flat' has no end"),
        ("\n".join(lines[:4]), "transcripts"),
        ("\n".join(lines[1:]), "line 3"),
    ):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(StoreError, match=said):
            read_suite(tmp_path)
    file.unlink()
    with pytest.raises(StoreError, match="cannot be read"):
        read_suite(tmp_path)
