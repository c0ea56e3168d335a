"""Hints that say the same or the contrary."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.finding import Rules
from turnsure.dialogues.checking.repeats import find_empty_hints, find_repeats


def dialogue(*hints: str | tuple[str, str] | Hint) -> Dialogue:
    def made(one):
        if isinstance(one, Hint):
            return one
        return Hint(answer=one) if isinstance(one, str) else Hint(question=one[0], answer=one[1])

    return Dialogue(id="d", task="t", hints=tuple(map(made, hints)), gold=("x",))


def kinds(*hints) -> list[tuple[str, int | None]]:
    return [(one.kind, one.turn) for one in find_repeats(dialogue(*hints), Rules())]


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("It has a mane.", "It has a mane.", "hint_repeats"),
        ("It has a mane.", "it has a MANE", "hint_repeats"),
        (("Is it alive?", "yes"), ("Is it alive", "Yes."), "hint_repeats"),
        (("Is it alive?", "yes"), ("Is it alive?", "Yes, it is."), "hint_repeats"),
        (("Which continent?", "Asia"), ("Which continent?", "asia"), "hint_repeats"),
        (("Is it alive?", "yes"), ("Is it alive?", "No."), "hints_contradict"),
        (("Is it alive?", "true"), ("is it alive", "No, it is not."), "hints_contradict"),
        ("It has a long mane.", "It also has a very long mane!", "hint_nearly_repeats"),
        (
            ("Is it a wild animal?", "yes"),
            ("Would it be a wild animal?", "yes"),
            "hint_nearly_repeats",
        ),
        (
            ("Is it a wild animal?", "yes"),
            ("Would it be a wild animal?", "no"),
            "hints_may_contradict",
        ),
        (("Which continent?", "Asia"), ("Which continent?", "in Asia"), "hint_nearly_repeats"),
        (("Which continent?", "Asia"), ("Which continent?", "Europe"), "hints_may_contradict"),
        (("Is it wild?", "yes"), ("Is it wild?", "sometimes"), "hints_may_contradict"),
    ],
)
def test_pairs_that_are_found(first, second, kind):
    assert kinds(first, "Something else entirely.", second) == [(kind, 3)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Is it alive?", "yes"), ("Is it large?", "yes")),
        (("Is it alive?", "yes"), ("Is it not alive?", "no")),
        (("Is it over 5 kg?", "yes"), ("Is it over 50 kg?", "no")),
        (("Is it over 5 kg?", "yes"), ("Is it under 5 kg?", "no")),
        (("Was it before 1900?", "yes"), ("Was it after 1900?", "no")),
        (("Is it larger than a cat?", "yes"), ("Is it larger than a dog?", "no")),
        (("Is it found only in Africa?", "no"), ("Is it found in Africa?", "yes")),
        (("Does its name begin with A?", "no"), ("Does its name begin with I?", "no")),
        (("What else?", "It is red."), ("What else?", "It is round.")),
        ("It is red.", ("It is red.", "yes")),
        ("Dogs fear wolves there.", "Wolves fear dogs there."),
    ],
)
def test_pairs_that_say_different_things(first, second):
    assert kinds(first, second) == []


def test_a_hint_gives_one_finding_and_the_worst_of_it():
    asked = ("Is it a wild animal?", "yes")
    assert kinds(asked, ("Would it be a wild animal?", "yes"), asked) == [
        ("hint_nearly_repeats", 2),
        ("hint_repeats", 3),
    ]


def test_a_hint_that_is_put_right_is_not_contradicted():
    wrong, right = ("Is it alive?", "yes"), ("Is it alive?", "no")
    correction = Hint(question=right[0], answer=right[1], corrects=1)
    assert kinds(wrong, "Something.", correction) == []
    assert kinds(wrong, "Something.", correction, wrong) == [("hints_contradict", 4)]


def test_evidence_quotes_both_turns():
    [finding] = find_repeats(dialogue("It is red", "Other.", "It is red"), Rules())
    assert finding.evidence == "turn 1: It is red. turn 3: It is red."


def test_hints_of_punctuation_are_empty_and_numbers_are_not():
    found = list(find_empty_hints(dialogue("...", "7", ("Which?", "?"), "这部"), Rules()))
    assert [(one.kind, one.turn) for one in found] == [("hint_empty", 1), ("hint_empty", 3)]
