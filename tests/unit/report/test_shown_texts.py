from __future__ import annotations

from dataclasses import replace

from tests.support.controlled import unpaired, usual
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.report.shown_texts import (
    MOST_SHOWN,
    MOST_SUMMARIES,
    SAME,
    placebo_hints,
    single_turn_texts,
    supplied_answers,
)


def row(turn, condition, *, dialogue="d", method="m", failure=None, answer="Peru", **notes):
    return TurnRow(
        dialogue=dialogue,
        turn=turn,
        n_turns=200,
        condition=condition,
        target="answer",
        method=method,
        answer=answer,
        confidence=failure or Failure(stage="confidence", kind="unparsable", message="no number"),
        outcome=Outcome(correct=False, grader="match"),
        meta={f"control.{name}": text for name, text in notes.items()},
    )


def flagged(text):
    return Failure(stage="control", kind="summary_flagged", message="lost: Peru", raw=text)


def test_each_state_is_shown_once_however_many_methods_saw_it():
    table = TurnsTable.of(
        [
            *(row(2, "placebo", method=method, hint="Well.", pool="plain") for method in "ab"),
            row(3, "placebo", failure=flagged(None)),
            row(4, "placebo", hint=""),
            row(3, "joined", hint="not this one"),
        ]
    )
    found = placebo_hints(table)
    [entry] = found.entries
    assert found.total == 1
    assert (entry.dialogue, entry.turn, entry.text, entry.kind) == ("d", 2, "Well.", "plain")


def test_many_hints_are_thinned_evenly_and_the_total_is_told():
    table = TurnsTable.of([row(k, "placebo", hint=f"hint {k}") for k in range(1, 121)])
    found = placebo_hints(table)
    assert (len(found.entries), found.total) == (MOST_SHOWN, 120)
    assert [entry.turn for entry in found.entries] == list(range(1, 121, 4))


def test_summaries_that_the_guard_held_back_are_shown_as_such():
    table = TurnsTable.of(
        [
            row(1, "summary", text="fine"),
            row(2, "summary", text="kept", problems="lost"),
            row(3, "summary", failure=flagged("held"), problems="lost, new"),
            row(4, "summary", failure=flagged(None)),
            row(5, "joined", text="joined"),
            row(6, "summary", failure=flagged("\u200b \n")),
            row(7, "summary", text="\t"),
            row(8, "joined", failure=replace(flagged(None), kind=SAME), text="as the turn"),
        ]
    )
    found = single_turn_texts(table, "summary")
    assert [(one.text, one.problems, one.left_out) for one in found.entries] == [
        ("fine", "", False),
        ("kept", "lost", False),
        ("held", "lost, new", True),
    ]
    assert [one.text for one in single_turn_texts(table, "joined").entries] == ["joined"]


def test_sound_summaries_are_among_those_listed_however_many_are_flagged():
    bad = [row(k, "summary", text="bad", problems="lost") for k in range(1, 101)]
    good = [row(k, "summary", text="good") for k in range(101, 121)]
    found = single_turn_texts(TurnsTable.of([*bad, *good]), "summary")
    assert (len(found.entries), found.total) == (MOST_SUMMARIES, 120)
    assert [bool(one.problems) for one in found.entries] == [True] * 5 + [False] * 5
    few = single_turn_texts(TurnsTable.of([*bad[:2], *good]), "summary")
    assert [bool(one.problems) for one in few.entries] == [True] * 2 + [False] * 8


def test_supplied_answers_of_all_sources_and_ranks():
    table = TurnsTable.of(
        [
            row(1, "supplied:samples:1", source="samples", answer="Chad"),
            row(1, "supplied:samples:2", source="samples", answer="Mali"),
            row(1, "supplied:remaining:1", source="remaining", answer=None),
            row(2, "supplied:samples:1", source="samples", answer=" "),
        ]
    )
    found = supplied_answers(table)
    assert [(one.text, one.kind) for one in found.entries] == [
        ("Chad", "samples"),
        ("Mali", "samples"),
    ]
    assert found.total == 2


def test_totals_agree_with_the_effects():
    for data in (usual(), unpaired()):
        effects, rows = data.evaluation.controls, data.controlled
        shown = placebo_hints(rows).total
        assert shown == effects.placebo.n_tested - sum(effects.placebo.failures.values())
        assert supplied_answers(rows).total == sum(effects.supplied.n_supplied.values())
        for told in effects.formats:
            n_same = told.failures.get(SAME, 0)
            assert single_turn_texts(rows, told.condition).total == told.n_states - n_same
    assert usual().evaluation.controls.formats[0].failures[SAME]
    assert placebo_hints(TurnsTable(())).total == 0
