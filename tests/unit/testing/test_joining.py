"""Confidence beside findings: twists, first wrong turns, and early answers that become findings."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.conversations import card, flat, run_of, turn
from tests.support.suite_reports import flats, suite, sure, talk, verdict
from turnsure.core.conversation import Exchange
from turnsure.core.dialogue import Message
from turnsure.core.spec import RunSpec
from turnsure.core.suite import ScenarioResult
from turnsure.core.turns import TurnsTable
from turnsure.engine.counters import Counters
from turnsure.experiment.conversations.measuring import MeasuredRuns
from turnsure.scenarios.checking import check_transcript
from turnsure.scenarios.verdicts import verdict_of
from turnsure.store.turns_file import read_turns, write_turns
from turnsure.testing.joining import join, turn_rows, twist_turns, with_early_guesses

SPEC = RunSpec(methods=("p_sufficient",), resamples=50)


def measured(*runs):
    """Scores of runs, a value a turn."""
    scores = tuple([{"p_sufficient": sure(one)} for one in values] for values in runs)
    return MeasuredRuns(protocol="p", scores=scores, counters=Counters())


def found(result, *runs):
    return join(result, measured(*runs), SPEC, model="openai:x")


def test_a_twist_is_a_turn_at_which_a_rule_changes_or_goes():
    assert twist_turns(flats(), talk(flats())) == {3}
    gone = card(
        "  - {name: budget, expression: item.rent <= rules.max_rent}",
        reveals=(
            "  - {id: start, say: At most 25., sets: {max_rent: 25}}\n"
            "  - {id: off, say: Never mind., withdraws: [max_rent]}\n"
            "  - {id: back, say: At most 25 again., sets: {max_rent: 25}}\n"
        ),
    )
    assert twist_turns(gone, run_of(gone, turn(), turn(), turn())) == {2}
    unknown = Exchange(turn=1, user=Message(role="user", content="Hi."), reveals=("nothing",))
    assert twist_turns(gone, replace(run_of(gone), exchanges=(unknown,))) == frozenset()


def test_only_turns_up_to_the_first_wrong_one_of_decided_runs_are_judged():
    runs = [verdict("fail", 0, at=2), verdict("pass", 1), verdict("error", 2)]
    confidence = found(suite({"flats": runs}), (0.9, 0.2, 0.3), (0.9, 0.8, 0.7), (0.5, 0.5, 0.5))
    wrong = {}
    for one in confidence.turns:
        wrong.setdefault(one.run[1], []).append(one.is_wrong)
    assert wrong == {0: [False, True, None], 1: [False] * 3, 2: [None] * 3}
    assert [one.is_twist for one in confidence.turns][:3] == [False, False, True]
    assert confidence.methods[0].auroc.value == 1.0
    assert confidence.of("p_sufficient")["flats", 0] == {1: 0.9, 2: 0.2, 3: 0.3}


def test_copies_of_one_conversation_are_told():
    result = suite({"flats": [verdict("pass", place) for place in range(4)]})
    confidence = found(result, *[(0.9, 0.8, 0.7)] * 4)
    assert (confidence.n_runs, confidence.n_different) == (4, 1)


def test_the_rows_are_a_turns_table(tmp_path):
    runs = [verdict("fail", 0, at=2), verdict("pass", 1)]
    result = suite({"flats": runs})
    confidence = found(result, (0.9, 0.2, 0.3), (0.9, 0.8, 0.7))
    table = TurnsTable.of(turn_rows(result, confidence))
    write_turns(table, tmp_path / "turns.parquet", protocol="p")
    back, protocol = read_turns(tmp_path / "turns.parquet")
    assert protocol == "p"
    assert [one.outcome.correct for one in back.rows] == [True, False, None, True, True, True]
    assert [one.meta["twist"] for one in back.rows][:3] == ["no", "no", "yes"]
    assert {one.dialogue for one in back.rows} == {"flats/0", "flats/1"}


EARLY = "  - {name: early, check: {early_guessing: {confidence_below: 0.5}}}"


def early_suite(more=""):
    scenario = card(EARLY, more=more)
    run = run_of(scenario, turn(flat()), turn(flat("B")), turn(flat("C")))
    before = verdict_of(scenario, run, check_transcript(scenario, run))
    base = suite({"flats": [verdict("pass")]})
    result = ScenarioResult(scenario=scenario, transcripts=(run,), verdicts=(before,))
    return replace(base, scenarios=(result,))


@pytest.mark.parametrize(
    ("values", "kind", "at"),
    [((0.9, 0.8, 0.7), "pass", None), ((0.9, 0.4, 0.7), "fail", 2), ((0.1, 0.1, 0.1), "fail", 1)],
)
def test_a_check_that_waits_for_a_confidence_gets_it(values, kind, at):
    result = early_suite()
    assert result.verdicts[0].verdict == "inconclusive"
    [again] = with_early_guesses(result, found(result, values)).verdicts
    assert (again.verdict, again.first_failing_turn) == (kind, at)
    if kind == "fail":
        assert again.failure == "early_guessing"


def test_with_a_judge_nothing_passes_by_being_looked_at_again():
    result = early_suite('rubric: [{name: kind, ask: "Is it kind?"}]')
    [open_still] = with_early_guesses(result, found(result, (0.9, 0.9, 0.9))).verdicts
    assert open_still.verdict == "inconclusive"
    [failed] = with_early_guesses(result, found(result, (0.9, 0.1, 0.9))).verdicts
    assert failed.verdict == "fail"


def test_other_scenarios_stay_as_they_are():
    result = suite({"flats": [verdict("fail")]})
    assert with_early_guesses(result, found(result, (0.1, 0.1, 0.1))) == result


def test_the_card_of_this_file_is_one(tmp_path):
    path = Path(tmp_path) / "card.yaml"
    path.write_text(f"id: a\nreveals: [{{say: Hi.}}]\nchecks:\n{EARLY}\n")
    from turnsure.scenarios.cards import read_cards

    assert read_cards(path)[0].checks[0].options == {"confidence_below": 0.5}
