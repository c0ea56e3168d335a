"""Leaving out what is broken."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.check import check_files
from turnsure.dialogues.checking.finding import Finding, Place, Placed, Rules
from turnsure.dialogues.checking.mending import Dropped, mend
from turnsure.dialogues.checking.reading import CheckedFile

RULES = Rules()


def file(*dialogues: Dialogue, name: str = "f", findings: tuple[Finding, ...] = ()) -> CheckedFile:
    placed = tuple(
        Placed(dialogue=one, place=Place(file=name, line=line))
        for line, one in enumerate(dialogues, start=1)
    )
    return CheckedFile(name=name, dialogues=placed, findings=findings)


def dialogue(*hints: str | Hint, name="d", gold="Peru", **more) -> Dialogue:
    said = tuple(one if isinstance(one, Hint) else Hint(answer=one) for one in hints)
    return Dialogue(id=name, task="t", hints=said, gold=(gold,), **more)


def mended(*files: CheckedFile):
    result = mend(files, check_files(files, RULES), RULES)
    left = [file(*result.dialogues, name=files[0].name), *files[1:]]
    assert not [
        one
        for one in check_files(left, RULES)
        if one.is_error and one.place and one.place.file == files[0].name
    ]
    return result


def test_what_has_no_error_stays_as_it_is():
    given = dialogue("Red.", "Round.")
    assert mended(file(given)) == mend([file(given)], [], RULES)
    assert mended(file(given)).dialogues == (given,)
    assert mended(file(given)).dropped == ()


@pytest.mark.parametrize(
    ("hints", "turn", "kind", "left"),
    [
        (("It is Peru.", "Red.", "Round."), 1, "first_turn_names_answer", ("Red.", "Round.")),
        (("Red.", "It is Peru.", "Round."), 2, "answer_named", ("Red.", "Round.")),
        (("Red.", "Round.", "red"), 3, "hint_repeats", ("Red.", "Round.")),
        (("Red.", "…", "Round."), 2, "hint_empty", ("Red.", "Round.")),
    ],
)
def test_a_broken_hint_goes_alone(hints, turn, kind, left):
    result = mended(file(dialogue(*hints)))
    [kept] = result.dialogues
    assert tuple(hint.answer for hint in kept.hints) == left
    [gone] = result.dropped
    assert (gone.turn, gone.because, gone.dialogue) == (turn, (kind,), "d")
    assert hints[turn - 1] in str(gone.text) or kind == "hint_repeats"


def test_a_dialogue_goes_when_too_few_hints_are_left():
    result = mended(file(dialogue("Red.", "It is Peru.")))
    assert result.dialogues == ()
    [gone] = result.dropped
    assert (gone.turn, gone.remark) == (None, "fewer than 2 hints would be left")


def test_a_dialogue_goes_when_nobody_knows_which_hint_is_wrong():
    yes, no = (Hint(question="Is it red?", answer=answer) for answer in ("yes", "no"))
    result = mended(file(dialogue(yes, "Round.", no, "Tall."), dialogue("A.", "B.", name="e")))
    assert [one.id for one in result.dialogues] == ["e"]
    assert result.dropped[0].because == ("hints_contradict",)


def closed(*hints: str | Hint, remaining, gold="Peru") -> Dialogue:
    names = ("Peru", "Mali", "Laos", "Togo")
    return dialogue(*hints, gold=gold, candidates=names, remaining=remaining)


def test_a_hint_of_a_world_goes_only_if_later_candidates_stay_true():
    narrowing = closed("Red.", "Peru!", "Tall.", remaining=((0, 1, 2), (0, 1), (0,)))
    result = mended(file(narrowing))
    assert result.dialogues == ()
    assert result.dropped[0].remark == "later turns build on the hint"
    idle = closed("Red.", "Peru!", "Tall.", remaining=((0, 1), (0, 1), (0,)))
    [kept] = mended(file(idle)).dialogues
    assert kept.remaining == ((0, 1), (0,))
    last = closed("Red.", "Tall.", "Peru!", remaining=((0, 1, 2), (0, 1), (0,)))
    [kept] = mended(file(last)).dialogues
    assert kept.remaining == ((0, 1, 2), (0, 1))


def test_corrections_name_turns_so_that_no_hint_before_one_can_go():
    right = Hint(answer="Not red but blue.", corrects=1)
    given = dialogue("Red.", "It is Peru.", right, "Tall.")
    result = mended(file(given))
    assert result.dialogues == ()
    assert result.dropped[0].remark == "later turns build on the hint"


def test_copies_and_unreadable_lines_go():
    bad = Finding(
        kind="line_unreadable", evidence="x", dialogue=None, place=Place(file="f", line=9)
    )
    one, two = (dialogue("Red.", "Round.", name=name) for name in "ab")
    result = mended(file(one, two, findings=(bad,)))
    assert result.dialogues == (one,)
    assert [(gone.place.line, gone.because) for gone in result.dropped] == [
        (2, ("hints_twice",)),
        (9, ("line_unreadable",)),
    ]


def test_only_the_first_file_is_mended_and_what_others_hold_goes():
    one, two = (dialogue("Red.", "Round.", name=name) for name in "ab")
    other = dialogue("A.", "B.", name="c")
    result = mended(file(one, other), file(two, dialogue("Peru.", "X.", name="z"), name="g"))
    assert result.dialogues == (other,)
    assert [gone.dialogue for gone in result.dropped] == ["a"]


def test_dialogues_that_become_alike_are_left_out_in_the_end():
    one = dialogue("Red.", "Round.", name="a")
    two = dialogue("Red.", "It is Peru.", "Round.", name="b")
    result = mended(file(one, two))
    assert result.dialogues == (one,)
    assert [(gone.turn, gone.because) for gone in result.dropped if gone.dialogue == "b"] == [
        (None, ("hints_twice",)),
        (2, ("answer_named",)),
    ]


def test_more_can_be_left_out_of_what_is_left():
    given = file(*(dialogue(f"Red {k}.", f"Round {k}.", name=k, gold=f"G{k}") for k in "abc"))
    whole = mend([given], [], RULES)
    place = whole.kept[1].place
    guessed = Finding(kind="guessable", evidence="", dialogue="b", place=place)
    about_all = Finding(kind="answers_do_not_rise", evidence="", dialogue=None)
    left = whole.without([about_all, guessed])
    assert [one.id for one in left.dialogues] == ["a", "c"]
    assert left.dropped == (Dropped(place=place, dialogue="b", turn=None, because=("guessable",)),)
    assert whole.without([about_all]) == whole
