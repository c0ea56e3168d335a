"""A script, and when it does not fit."""

from __future__ import annotations

import pytest

from tests.support.flows import drive
from tests.support.suites import exchange, run_of, scenario
from turnsure.core.scenario import Reveal
from turnsure.scenarios.seams import Said, Stopped
from turnsure.scenarios.users.questions import last_question, unanswered
from turnsure.scenarios.users.scripted import ScriptedUser


def said_after(*exchanges, given=None):
    given = given or scenario()
    flow = ScriptedUser().next(given, exchanges, run=run_of(given))
    turn, asked = drive(flow, lambda request: pytest.fail("a script asks nobody"))
    assert asked == []
    return turn


def test_it_says_the_reveals_in_order_and_stops():
    done = []
    for number, reveal in enumerate(scenario().reveals, start=1):
        assert said_after(*done) == Said(text=reveal.say, reveals=(reveal.id,))
        done.append(exchange(number, reveal.say, "Fine."))
    assert said_after(*done) == Stopped(ending="script_end")
    assert ScriptedUser().is_over(scenario(), done)
    assert not ScriptedUser().is_over(scenario(), done[:-1])


def test_reveals_of_one_turn_are_one_message_and_a_gap_is_filled():
    reveals = (
        Reveal(id="a", turn=1, say="One."),
        Reveal(id="b", turn=1, say="Two."),
        Reveal(id="c", turn=3, say="Three."),
    )
    given = scenario(reveals=reveals)
    assert said_after(given=given) == Said(text="One.\nTwo.", reveals=("a", "b"))
    filler = said_after(exchange(1, "One.\nTwo.", "Fine."), given=given)
    assert (filler.text, filler.reveals) == (ScriptedUser().filler, ())


def test_a_question_that_the_script_does_not_answer_is_noted_with_the_cards_answer():
    given = scenario(answers={"furnished": "does not mind"})
    turn = said_after(exchange(1, "Hi", "Sure. Shall it be furnished?"), given=given)
    assert turn.text == "I can pay 25,000 rupees."
    assert "'Shall it be furnished?', which the script does not answer" in turn.note
    assert "furnished: does not mind" in turn.note


@pytest.mark.parametrize(
    "reply",
    [
        "I found three flats.",
        "Furnished? I would say so. Here they are.",
        "What is your budget?",
        "How much can you pay?",
        "How much do you want to spend?",
        "Can I help you with anything else?",
        "Does that sound good?",
        "Is rupees fine?",
    ],
)
def test_no_note_where_nothing_is_asked_or_the_next_line_answers(reply):
    assert said_after(exchange(1, "Hi", reply)).note is None


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("", None),
        ("Baner it is.", None),
        ("Which floor?", "Which floor?"),
        ("Fine! Which floor do you want?\n", "Which floor do you want?"),
        ("Which floor? I can do all.", None),
        ("Is there anything else?", None),
        ("???", None),
    ],
)
def test_the_last_sentence_counts(text, question):
    assert last_question(text) == question


def test_a_question_without_content_wants_nothing():
    assert unanswered("And you?", "I have a dog.", {}) is None
