"""``turnsure test`` on the bundled example, in this process."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.support.answering_server import AnsweringServer
from tests.unit.test_house_rules import HEAVY, modules_after
from turnsure.cli.build import NOTHING_KEPT
from turnsure.cli.drift import RECALIBRATE, STOP
from turnsure.cli.main import cli
from turnsure.cli.scenario import NOT_REPRODUCED
from turnsure.cli.suite_compare import WORSE
from turnsure.cli.test import FAILED, INCONCLUSIVE, UNDECIDED
from turnsure.core.errors import InputError, ProtocolMismatchError, StoreError

EXAMPLES = "turnsure.scenarios.examples"


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words, expect=0):
    """Call the command line; the exit code has to be the expected one."""
    with pytest.raises(SystemExit) as ended:
        cli.main([str(one) for one in words], standalone_mode=False)
    assert ended.value.code == expect


def try_out(assistant, *more, expect=0):
    name = assistant if ":" in assistant else f"{EXAMPLES}:{assistant}"
    run("test", "example:rental", "--assistant", name, "--resamples", 50, *more, expect=expect)


def refused(error, *words):
    with pytest.raises(error) as caught:
        cli.main([str(one) for one in words], standalone_mode=False)
    return caught.value


def test_asking_for_help_loads_nothing_heavy():
    loaded = modules_after(
        "from click.testing import CliRunner; from turnsure.cli.test import test; "
        "assert CliRunner().invoke(test, ['--help']).exit_code == 0"
    )
    assert not loaded & HEAVY
    assert not [name for name in loaded if name.startswith(("turnsure.scen", "turnsure.testing"))]


def test_the_exit_codes_are_different():
    codes = {FAILED, UNDECIDED, INCONCLUSIVE, WORSE, NOT_REPRODUCED}
    assert len(codes | {NOTHING_KEPT, RECALIBRATE, STOP, 0, 20, 130}) == 11
    assert min(codes) > 10


def test_the_right_one_passes(somewhere, capsys):
    try_out("right", "--runs", 3, "-o", "kept", "--junit", "junit.xml")
    shown = capsys.readouterr()
    assert "PASSED: 3 of 3 runs passed in 1 scenario." in shown.out
    assert "3/3 runs: pass 3" in shown.err
    assert {one.name for one in (somewhere / "kept").iterdir()} >= {
        "report.html", "suite.json", "transcripts.jsonl", "store.sqlite",
    }  # fmt: skip
    [suite] = ET.parse("junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")


def test_the_forgetful_one_fails_at_turn_three(capsys):
    try_out("forgetful", "--runs", 3, "--format", "json", expect=FAILED)
    body = json.loads(capsys.readouterr().out)
    [group] = body["failures"]
    assert (group["failure"], group["turn"], len(group["runs"])) == ("forgotten_constraint", 3, 3)
    assert body["folder"].startswith("runs/test-rental-")
    assert body["cost"]["n_conversations"] == 3


def test_the_flaky_one_passes_a_lower_bar(capsys):
    try_out("flaky", "--runs", 20, "-o", "flaky", "--format", "json", expect=FAILED)
    body = json.loads(capsys.readouterr().out)
    [one] = body["counts"]["scenarios"]
    bounds = one["rate"]["as_failures"]["interval"]
    assert bounds["low"] < 0.6 < bounds["high"]
    assert one["repeats"][0]["k"] == 3
    assert [group["turn"] for group in body["failures"]] == [3]
    # What was held is not held again.
    try_out("flaky", "--runs", 20, "-o", "flaky", "--fail-under", "0.3", "--format", "json")
    cost = json.loads(capsys.readouterr().out)["cost"]
    assert (cost["n_conversations"], cost["n_replayed"]) == (0, 20)


@pytest.mark.parametrize(
    ("body", "code", "says"),
    [
        ("raise RuntimeError('no luck')", UNDECIDED, "RuntimeError: no luck"),
        ("return 7", UNDECIDED, "its return value cannot be used"),
        ("return ''", UNDECIDED, "turn 1"),
        ("return 'I have nothing.'", FAILED, "the last message holds no shortlist"),
    ],
)
def test_a_broken_assistant_never_passes(body, code, says, somewhere, capsys, monkeypatch):
    name = f"bot_{abs(hash(body))}"
    (somewhere / f"{name}.py").write_text(f"def reply(messages):\n    {body}\n")
    monkeypatch.syspath_prepend(somewhere)
    try_out(f"{name}:reply", "--runs", 2, "--format", "markdown", expect=code)
    assert says in capsys.readouterr().out.replace("\\", "")


def test_a_rubric_without_a_judge_is_inconclusive(somewhere, capsys):
    (somewhere / "card.yaml").write_text(
        'id: kind\nreveals: [{say: Hi.}]\nrubric: [{name: kind, ask: "Is it kind?"}]\n'
        "fixtures: {listings: []}\n"
    )
    words = ["test", "card.yaml", "--assistant", f"{EXAMPLES}:right", "--runs", 2]
    run(*words, expect=INCONCLUSIVE)
    assert "the rubric of kind is open" in " ".join(capsys.readouterr().out.split())


def test_a_dry_run_asks_nothing(somewhere, capsys):
    cli.main(
        ["test", "example:rental", "--assistant", "none:at_all", "--runs", "7", "--dry-run"],
        standalone_mode=False,
    )
    assert "│ rental   │    7 │     5 │" in capsys.readouterr().out
    assert not list(somewhere.iterdir())


def test_users_judges_and_confidence_by_models(capsys):
    with AnsweringServer() as server:
        where = ["--base-url", server.base_url]
        more = ["--confidence", "p_true,p_sufficient", "--confidence-model", "openai:tiny"]
        try_out(
            "flaky", "--runs", 4, "-o", "sure", *where, *more, "--format", "json", expect=FAILED
        )
        body = json.loads(capsys.readouterr().out)
        assert [one["method"] for one in body["confidence"]["methods"]] == [
            "p_true", "p_sufficient",
        ]  # fmt: skip
        assert body["confidence"]["model"] == "tiny"
        assert body["confidence"]["cost"]["n_requests"] == 4 * 5 * 2
        asked = server.asked.total()
        try_out(
            "flaky", "--runs", 4, "-o", "sure", *where, *more, "--format", "json", expect=FAILED
        )
        assert server.asked.total() <= asked + 1  # the probe of what the server can do
        # This double cannot keep to a card, so the user is invalid: not a pass, not a fail.
        try_out(
            "openai:tiny", "--user", "openai:tiny", "--runs", 1, *where, "-o", "user",
            expect=UNDECIDED,
        )  # fmt: skip
    capsys.readouterr()
    cli.main(["score", "sure/turns.parquet", "--resamples", "50"], standalone_mode=False)
    assert "p_sufficient" in capsys.readouterr().out


def test_two_suites_are_compared(capsys):
    try_out("right", "--runs", 6, "-o", "a")
    try_out("forgetful", "--runs", 6, "-o", "b", expect=FAILED)
    capsys.readouterr()
    cli.main(["test", "compare", "a", "b", "--format", "json"], standalone_mode=False)
    body = json.loads(capsys.readouterr().out)
    assert body["kind"] == "test-comparison"
    assert body["difference"]["pairs"]["n_only_left"] == 6
    run("test", "compare", "a", "b", "--fail-if-worse", expect=WORSE)
    assert "A passes more often" in capsys.readouterr().out
    cli.main(["test", "compare", "b", "a", "--fail-if-worse"], standalone_mode=False)
    kept = Path("b/suite.json")
    cards = json.loads(kept.read_text())
    cards["scenarios"][0]["goal"] = "Something else."
    kept.write_text(json.dumps(cards))
    assert "--allow-different" in str(refused(ProtocolMismatchError, "test", "compare", "a", "b"))
    refused(StoreError, "test", "compare", "a", "none")


@pytest.mark.parametrize(
    ("more", "field"),
    [
        (["--k", "11"], "k"),
        (["--runs", "0"], "runs"),
        (["--fail-under", "0"], "fail-under"),
        (["--fail-under", "nan"], "fail-under"),
        (["--concurrency", "0"], "concurrency"),
        (["--assistant", "nonsense"], "assistant"),
        (["--user", "nonsense"], "model"),
        (["--judge", "openai:x"], "base_url"),
        (["--system", "x"], "system"),
        (["--confidence", ","], "confidence"),
        (["--confidence-model", "openai:x"], "confidence"),
    ],
)
def test_a_mistake_is_refused_before_anything_is_run(more, field, somewhere):
    words = ["test", "example:rental", "--assistant", f"{EXAMPLES}:right", *more]
    assert refused(InputError, *words).field == field
    assert not list(somewhere.rglob("report.html"))


def test_a_suite_s_report_is_drawn_again(somewhere, capsys):
    try_out("forgetful", "--runs", 2, "-o", "kept", expect=FAILED)
    before = (somewhere / "kept" / "report.html").read_bytes()
    capsys.readouterr()
    cli.main(["report", "kept", "-o", "again.html"], standalone_mode=False)
    shown = capsys.readouterr().out
    assert "FAILED: 0 of 2 runs passed" in shown
    assert "Report: again.html" in shown
    assert (somewhere / "again.html").read_bytes() == before
    for words in (("--charts", "svg"), ("--csv", "x.csv")):
        assert "a suite of tests" in str(refused(InputError, "report", "kept", *words))


def test_what_would_stop_the_report_is_refused_before_anything_is_asked(somewhere):
    (somewhere / "bot.py").write_text(
        "def reply(messages):\n    open('asked', 'w').close()\n    return 'ok'\n"
    )
    (somewhere / "file").write_text("")
    words = ("test", "example:rental", "--assistant", "bot:reply", "-o", "kept")
    assert refused(InputError, *words, "--seed", "-1").field == "seed"
    assert refused(InputError, *words, "--junit", "file/junit.xml").field == "junit"
    assert refused(InputError, *words[:-1], "file").field == "out"
    assert not (somewhere / "asked").exists()


def test_the_folder_of_the_junit_file_is_made(somewhere):
    try_out("right", "--runs", 1, "-o", "kept", "--junit", "new/folder/junit.xml")
    assert ET.parse(somewhere / "new/folder/junit.xml").getroot().tag == "testsuites"


def test_what_an_assistant_prints_does_not_stand_in_the_json(somewhere, capsys):
    (somewhere / "talker.py").write_text(
        "print('at import')\ndef reply(messages):\n    print('some noise')\n    return 'ok'\n"
    )
    (somewhere / "card.yaml").write_text(
        "id: a\nreveals: [{say: Hi.}]\n"
        "checks: [{name: short, scope: turn, expression: size(text) < 9}]\nruns: 1\n"
    )
    run("test", "card.yaml", "--assistant", "talker:reply", "-o", "kept", "--format", "json")
    printed = capsys.readouterr()
    assert json.loads(printed.out)["kind"] == "test-report"
    assert "some noise" in printed.err
    assert "at import" in printed.err
