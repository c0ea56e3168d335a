"""The page of a suite: complete, balanced, and safe whatever was said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.html_page import Page
from tests.support.suite_reports import NO_SCORE, report, suite, sure, verdict
from turnsure.core.conversation import Slip
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.judged import JudgedItem, RubricJudgement
from turnsure.core.spec import RunSpec
from turnsure.core.suite import ScenarioResult
from turnsure.core.suite_confidence import AskingCost, JudgedTurn, SuiteConfidence
from turnsure.experiment.conversations.joining import joined
from turnsure.report import suite_transcripts
from turnsure.report.suite_page import render_suite, write_suite_page

RUNS = [verdict("fail"), verdict("pass", 1), verdict("error", 2, reason="it hangs")]
NASTY = "<script>alert(1)</script>\x00\ud800 & \u202e"


def confidence(n_runs=3):
    turns = [
        JudgedTurn(
            run=("flats", place), turn=turn, is_twist=turn == 3, shows=True,
            is_wrong=place == 0 and turn == 3,
            scores={"p_sufficient": NO_SCORE if turn == 1 else sure(0.2 * turn)},
        )
        for place in range(n_runs)
        for turn in (1, 2, 3)
    ]  # fmt: skip
    return SuiteConfidence(
        model="openai:x",
        protocol="p",
        turns=tuple(turns),
        methods=joined(turns, ("p_sufficient",), RunSpec(resamples=50)),
        n_runs=n_runs,
        n_different=1,
        cost=AskingCost(
            n_requests=9, n_from_store=3, n_failed=0, n_retries=1, prompt_tokens=70,
            completion_tokens=6, n_uncounted=0, seconds=1.5,
        ),
    )  # fmt: skip


@pytest.fixture(scope="module")
def page():
    return Page(render_suite(report({"flats": RUNS}, confidence=confidence())))


def test_it_stands_alone(page):
    assert not page.unbalanced
    assert not page.names & {"script", "link", "img", "iframe"}
    assert not [one for one in page.values("href") if not one.startswith("#")]
    [policy] = page.of("meta", **{"http-equiv": "Content-Security-Policy"})
    assert "default-src 'none'" in policy["content"]


def test_the_verdict_comes_first(page):
    assert page.text.index("FAILED: 1 of 3 runs passed; not all of flats.") < page.text.index(
        "Scenarios"
    )


def test_every_mark_leads_to_its_conversation(page):
    places = set(page.values("id"))
    links = {one[1:] for one in page.values("href")}
    assert links <= places
    assert {"run-1", "run-2", "run-3"} <= links
    assert [one["class"] for one in page.of("a", class_="cell fail")] == ["cell fail"]


def test_a_conversation_shows_what_held_and_what_broke(page):
    for words in (
        "Hi.", "Here you are.", "max_rent", "since turn 3, before: 25",
        "pets withdrawn at turn 2", "X turned down at turn 2", "too dear", "forgotten constraint",
        '"rent": 30', "raise: max_rent = 28", "60 %", "none (unparsable)", "it hangs",
    ):  # fmt: skip
        assert words in page.text, words


def test_counts_cost_and_confidence_are_there(page):
    words = " ".join(page.text.split())
    for said in (
        "Runs that say nothing either way",
        "confidence 9 3 1 0 70 6 1.5",
        "p_sufficient",
        "3 runs hold 1 different conversations",
        "assistant 6 0 0 0 — —",
    ):
        assert said in words, said


def test_what_the_judge_said_stands_below_its_conversation():
    base = suite({"flats": [verdict("fail"), verdict("inconclusive", 1), verdict("pass", 2)]})
    [each] = base.scenarios
    item = JudgedItem(name="kind", ask="Was it kind?", answer="no", quote="Go away.", turn=2)
    judgements = {
        0: RubricJudgement(
            items=(
                item,
                JudgedItem(name="clear", ask="Was it clear?", answer="cannot_tell"),
                replace(item, name="short", answer="cannot_tell", problem="it has no evidence"),
            ),
            template="t",
            n_tries=1,
        ),
        1: RubricJudgement(problem="the reply is no JSON", template="t", n_tries=3),
    }
    given = report({"flats": list(each.verdicts)})
    judged = replace(each, judgements=judgements)
    shown = Page(render_suite(replace(given, result=replace(base, scenarios=(judged,)))))
    words = " ".join(shown.text.split())
    assert words.count("What the judge said") == 2
    for said in (
        "no kind Was it kind? turn 2 Go away.",
        "cannot tell clear Was it clear? no quote",
        "cannot tell short Was it kind? it has no evidence",
        "Nothing that counts: the reply is no JSON.",
    ):
        assert said in words, said


def hostile():
    """A report in which everything that a person, a model or a tool can say is a script."""
    base = suite({"flats": [verdict("fail", reason=NASTY)]})
    [each] = base.scenarios
    [run] = each.transcripts
    said = replace(
        run.exchanges[0],
        user=Message(role="user", content=NASTY),
        replies=(
            Message(
                role="assistant", content="",
                tool_calls=(ToolCall(id="1", name=NASTY, arguments=NASTY),),
            ),
            Message(role="tool", content=NASTY, tool_call_id="1"),
            Message(role="assistant", content=NASTY),
        ),
        items=({"id": NASTY},),
        note=NASTY,
        slips=(Slip(guard="empty", evidence=NASTY, text=NASTY),),
    )  # fmt: skip
    said_so = ScenarioResult(
        scenario=replace(each.scenario, id=NASTY),
        transcripts=(
            replace(run, scenario=NASTY, exchanges=(said, *run.exchanges[1:]), problem=NASTY),
        ),
        verdicts=(replace(each.verdicts[0], scenario=NASTY),),
        judgements={
            0: RubricJudgement(
                items=(
                    JudgedItem(name=NASTY, ask=NASTY, answer="no", quote=NASTY, turn=1),
                    JudgedItem(name="x", ask=NASTY, answer="cannot_tell", problem=NASTY),
                ),
                template="t",
                n_tries=1,
            )
        },
    )
    given = report({"flats": [verdict("fail", reason=NASTY)]})
    return replace(
        given,
        result=replace(
            given.result,
            scenarios=(said_so,),
            assistant={"name": NASTY},
            user={"name": NASTY, "user": "simulated"},
        ),
        ledgers={},
    )


def test_whatever_was_said_stays_text():
    html = render_suite(hostile())
    page = Page(html)
    assert "script" not in page.names
    assert not page.unbalanced
    assert "\x00" not in html
    assert page.text.count("<script>alert(1)</script>") >= 10


def test_a_page_holds_no_more_than_it_can_show(monkeypatch):
    monkeypatch.setattr(suite_transcripts, "MOST_SHOWN", 2)
    runs = [verdict("pass", 0), verdict("pass", 1), verdict("pass", 2), verdict("fail", 3)]
    page = Page(render_suite(report({"flats": runs})))
    assert [one["id"] for one in page.of("div", class_="body")] == ["run-1", "run-4"]
    assert "2 more that passed are in transcripts.jsonl" in page.text
    assert {one[1:] for one in page.values("href")} <= set(page.values("id"))


def test_a_suite_without_a_fault_has_no_empty_chapters():
    page = Page(render_suite(report({"flats": [verdict("pass")]}, of_suite={"cost": None})))
    assert "What broke first" not in page.text
    assert "PASSED: 1 of 1 run passed in 1 scenario." in page.text
    assert not {"failures", "undecided", "confidence", "cost"} & set(page.values("id"))


def test_it_is_written_whole(tmp_path):
    given = report({"flats": RUNS})
    path = write_suite_page(given, tmp_path / "report.html")
    assert path.read_text(encoding="utf-8") == render_suite(given)
    assert [one.name for one in tmp_path.iterdir()] == ["report.html"]
