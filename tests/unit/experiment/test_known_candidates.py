"""Which candidate an answer names, and how sure the hints allow anyone to be of it."""

from __future__ import annotations

import pytest

from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.outcome import Outcome
from turnsure.core.turns import TurnRow
from turnsure.experiment.known_candidates import KnownCandidates

CANDIDATES = ("Chad", "Mali", "Peru", "Cuba")


def dialogue(name="d", **changes) -> Dialogue:
    fields = {
        "id": name,
        "task": "Name it.",
        "hints": (
            Hint(answer="It is small."),
            Hint(answer='Correction: "It is small." was wrong. It is large.', corrects=1),
            Hint(answer="It is old."),
        ),
        "gold": ("Chad", "Tchad"),
        "candidates": CANDIDATES,
        "remaining": ((1, 2), (0, 1, 3), (0,)),
        **changes,
    }
    return Dialogue(**fields)


OTHER = dialogue("other", gold=("Mali", "Republic of Mali"), remaining=((2,), (1, 2), (1,)))
OPEN = dialogue("open", candidates=(), remaining=())


def row(answer, correct, *, turn=1, name="d", target="answer"):
    outcome = (
        Outcome(correct=None, grader="match", reason="mentioned")
        if correct is None
        else Outcome(correct=correct, grader="match")
    )
    return TurnRow(
        dialogue=name, turn=turn, n_turns=3, condition="plain", target=target, method="m",
        answer=answer, outcome=outcome,
        confidence=Confidence(value=0.5, method="m", scale="probability", path="logprobs"),
    )  # fmt: skip


@pytest.fixture
def known():
    return KnownCandidates([dialogue(), OTHER, OPEN])


@pytest.mark.parametrize(
    ("answer", "correct", "named"),
    [
        ("Chad", True, "Chad"),
        ("Tchad", True, "Chad"),
        ("mali", False, "Mali"),
        ("Mali, Africa", False, "Mali"),
        ("The Republic of Mali", False, "Mali"),  # another dialogue of the world accepts it
        ("Mali or Peru", False, None),
        ("Chile", False, None),
    ],
)
def test_answers_name_candidates_as_graders_compare(known, answer, correct, named):
    assert known.can_tell(row(answer, correct))
    assert known.named(row(answer, correct)) == named


def test_a_name_of_another_world_names_nothing():
    apart = dialogue("apart", gold=("Lima", "Republic of Mali"), candidates=("Lima", "Rome"),
                     remaining=((0, 1), (0, 1), (0,)))  # fmt: skip
    known = KnownCandidates([dialogue(), apart])
    assert known.named(row("Republic of Mali", False)) is None


@pytest.mark.parametrize(
    ("answer", "ideals"),
    [("Chad", [0, 1 / 3, 1]), ("Mali", [1 / 2, 1 / 3, 0]), ("Peru", [1 / 2, 0, 0]),
     ("Chile", [0, 0, 0])],
)  # fmt: skip
def test_the_ideal_is_one_in_n_and_for_sufficiency_only_one_in_one(known, answer, ideals):
    rows = [row(answer, answer == "Chad", turn=turn) for turn in (1, 2, 3)]
    assert [known.ideal(one, "candidate") for one in rows] == ideals
    assert [known.ideal(one, "identified") for one in rows] == [one == 1 for one in ideals]


@pytest.mark.parametrize("answer", [None, "It may be Chad, or it may not."])
def test_of_an_answer_that_is_not_there_or_not_graded_nothing_is_known(known, answer):
    assert not known.can_tell(row(answer, None))
    assert known.ideal(row(answer, None), "candidate") is None


def test_the_ideal_of_what_fits():
    known = KnownCandidates([dialogue(remaining=((), (0, 1, 3), (0,)))])
    fitting = {
        kind: [known.ideal_of_fitting(("d", turn), kind) for turn in (1, 2, 3)]
        for kind in ("candidate", "identified")
    }
    assert fitting == {"candidate": [0.0, 1 / 3, 1.0], "identified": [0.0, 0.0, 1.0]}
    assert known.ideal(row("Mali", False), "candidate") == 0.0


def test_turns_that_are_known_identified_and_widened(known):
    assert set(known.dialogues) == {"d", "other"}
    assert len(known.turns()) == 6
    assert [turn for turn in known.turns() if known.is_identified(turn)] == [
        ("d", 3), ("other", 1), ("other", 3),
    ]  # fmt: skip
    assert known.widened() == [("d", 2), ("other", 2)]


def test_an_accepted_answer_that_is_no_candidate_has_no_ideal_above_nothing():
    known = KnownCandidates([dialogue(gold=("Chile",))])
    right = row("Chile", True, turn=3, target="gold")
    assert known.named(right) is None
    assert known.ideal(right, "candidate") == 0.0
