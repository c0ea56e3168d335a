"""Answers, candidates, lengths and characters."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.answers import find_bad_answers
from turnsure.dialogues.checking.candidates import find_candidate_faults
from turnsure.dialogues.checking.characters import find_odd_characters
from turnsure.dialogues.checking.finding import ERRORS, WARNINGS, Rules
from turnsure.dialogues.checking.shape import find_odd_lengths
from turnsure.grading.normalise import normal

RULES = Rules(normalise=normal)


def dialogue(n: int = 3, *, gold=("Peru",), **more) -> Dialogue:
    hints = more.pop("hints", tuple(Hint(answer=f"Clue {turn}.") for turn in range(1, n + 1)))
    return Dialogue(**{"id": "d", "task": "t", "hints": hints, "gold": gold, **more})


def found(check, of: Dialogue) -> list[tuple[str, int | None, str | None]]:
    return [(one.kind, one.turn, one.field) for one in check(of, RULES)]


def test_a_kind_is_an_error_or_a_warning():
    assert not set(ERRORS) & set(WARNINGS)


@pytest.mark.parametrize(
    ("gold", "kind", "field"),
    [
        (["?!"], "answer_matches_nothing", "gold[0]"),
        (["--", "“”"], "answer_matches_nothing", "gold[0]"),
        (["Peru", "..."], "alias_matches_nothing", "gold[1]"),
        (["*"], "answer_accepts_anything", "gold[0]"),
        (["Peru", ".*"], "answer_accepts_anything", "gold[1]"),
        (["[anything]"], "answer_accepts_anything", "gold[0]"),
        (["accept any answer"], "answer_accepts_anything", "gold[0]"),
        (["yes", "no"], "answer_accepts_anything", "gold"),
        (["N/A"], "answer_placeholder", "gold[0]"),
        (["None"], "answer_placeholder", "gold[0]"),
        (["Kanye West [accept Ye; prompt on West]"], "answer_instruction", "gold[0]"),
        (["Benz (accept Daimler-Benz)"], "answer_instruction", "gold[0]"),
    ],
)
def test_answers_that_cannot_be_matched(gold, kind, field):
    assert found(find_bad_answers, dialogue(gold=tuple(gold))) == [(kind, None, field)]


@pytest.mark.parametrize(
    "gold", [["yes"], ["C++"], ["16"], ["Any Given Sunday"], ["Accept (band)"], ["nan's bread"]]
)
def test_answers_that_can(gold):
    assert found(find_bad_answers, dialogue(gold=tuple(gold))) == []


def world(*remaining: tuple[int, ...], gold=("Peru",), corrects=None) -> Dialogue:
    hints = tuple(
        Hint(answer=f"Clue {turn}.", corrects=(corrects or {}).get(turn))
        for turn in range(1, len(remaining) + 1)
    )
    names = ("Peru", "Chile", "Mali", "Laos")
    return dialogue(hints=hints, gold=gold, candidates=names, remaining=remaining)


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (world((0, 1, 2), (0, 1), (0,)), []),
        (world((0, 1, 2), (1, 2), (1,)), [("answer_ruled_out", 2, "remaining[1]")]),
        (
            world((0, 1), (0,), gold=("Togo",)),
            [("answer_no_candidate", None, "candidates")],
        ),
        (world((0, 1), (0,), gold=("the PERU",)), []),
        (world((0,), (0,)), [("one_candidate_at_first", 1, "remaining[0]")]),
        (world((0, 1, 2), (0, 1, 2), (0,)), [("hint_narrows_nothing", 2, "remaining[1]")]),
        (world((0, 1, 2, 3), (0,), (0,)), [("hint_narrows_nothing", 1, "remaining[0]")]),
        (world((1, 2), (1,), (0, 1), (0,), corrects={3: 1}), []),
        (
            world((0, 1), (2, 3), (2,), corrects={2: 1}),
            [("answer_ruled_out", 2, "remaining[1]")],
        ),
        (world((0, 1, 2), (0, 1), (0, 1), (0,), corrects={3: 2}), []),
        (
            world((0, 1), (0,), gold=("Peru", "Chile", "Mali", "Laos")),
            [("answer_accepts_anything", None, "gold")],
        ),
    ],
)
def test_candidates(of, expected):
    assert [*found(find_candidate_faults, of), *found(find_bad_answers, of)] == expected


@pytest.mark.parametrize(
    ("n", "expected"), [(1, ["one_turn"]), (2, []), (30, []), (31, ["many_turns"])]
)
def test_lengths(n, expected):
    assert [kind for kind, _, _ in found(find_odd_lengths, dialogue(n))] == expected


def test_the_usual_length_is_a_rule():
    rules = Rules(most_turns=2)
    assert [one.kind for one in find_odd_lengths(dialogue(3), rules)] == ["many_turns"]


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("born in 250\x00CE", "U+0000"),
        ("a \ufffd b", "U+FFFD REPLACEMENT CHARACTER"),
        ("zero\u200bwidth", "U+200B ZERO WIDTH SPACE"),
        ("\u202eturned", "U+202E RIGHT-TO-LEFT OVERRIDE"),
        ("cafÃ©", "'Ã©' was read in the wrong encoding"),
        ("itâ€™s", "'â€™' was read in the wrong encoding"),
        ("salt &amp; pepper", "'&amp;' is markup"),
        ("one<br/>two", "'<br/>' is markup"),
    ],
)
def test_odd_characters_are_named(text, evidence):
    of = dialogue(hints=(Hint(answer="fine"), Hint(question=text, answer="fine")))
    [finding] = find_odd_characters(of, RULES)
    assert (finding.kind, finding.turn) == ("odd_characters", 2)
    assert finding.field == "hints[1].question"
    assert finding.evidence.startswith(evidence)


@pytest.mark.parametrize(
    "text",
    ["naïve café — “quoted”", "SÃO", "这部", "می\u200cخواهم", "👩\u200d🚀", "a\nb\tc", "a < b & c"],
)
def test_other_scripts_are_not_odd(text):
    assert found(find_odd_characters, dialogue(hints=(Hint(answer=text),))) == []


def test_every_text_is_looked_at_and_ends_of_ids_and_answers():
    of = dialogue(id="d ", task="t\x01", gold=("Peru", " Lima"), closing="c\x02")
    assert [(field) for _, _, field in found(find_odd_characters, of)] == [
        "id", "task", "gold[1]", "closing",
    ]  # fmt: skip
