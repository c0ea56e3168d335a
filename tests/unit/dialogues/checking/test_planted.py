"""A file with every kind of defect: each is found where it was planted, and nothing else."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from turnsure.dialogues.checking.check import check_files
from turnsure.dialogues.checking.finding import ERRORS, FROM_ANSWERS, WARNINGS, Finding, Rules
from turnsure.dialogues.checking.mending import mend
from turnsure.dialogues.checking.reading import read_leniently
from turnsure.dialogues.countries import countries_dialogues
from turnsure.dialogues.jsonl import read_dialogues, write_dialogues
from turnsure.grading.normalise import normal

RULES = Rules(normalise=normal)
COLOURS = ("red", "green", "blue", "violet", "golden", "silver", "brown", "purple")
SHAPES = ("round", "square", "oval", "pointed", "hollow", "flat", "curved", "slender")
THINGS = (
    "kettle", "harpoon", "violin", "lantern", "saddle", "thimble", "compass", "anchor", "trumpet",
    "shovel", "ladder", "pillow", "helmet", "candle", "barrel", "scissors", "umbrella", "mirror",
    "blanket", "hammock", "telescope", "wheelbarrow", "typewriter", "accordion", "chandelier",
    "parachute", "microscope", "tambourine", "windmill", "sundial", "toboggan", "gondola",
    "abacus", "bagpipe", "catapult", "dumbbell", "easel", "funnel", "goblet", "hourglass",
)  # fmt: skip

Line = dict[str, Any]
Expected = tuple[str, int | None]


def good(number: int, n_hints: int = 4) -> Line:
    """A clean dialogue, different from all others: its clues count from its number."""
    hints: list[Line] = [
        {"answer": f"Its colour is {COLOURS[number % 8]}, one of {number + 100} such things."},
        {"question": "What is its shape?", "answer": f"{SHAPES[number // 8]}, mostly"},
        {"question": f"Is it older than {number + 300} years?", "answer": "no"},
        {"question": f"Does it weigh over {number + 500} grams?", "answer": "yes"},
    ]
    return {"id": f"n{number}", "gold": [THINGS[number]], "hints": hints[:n_hints]}


def closed(number: int, *remaining: list[int]) -> Line:
    names = [THINGS[number], "zither", "quill", "yoke", "urn"]
    return {**good(number, len(remaining)), "candidates": names, "remaining": list(remaining)}


def with_hint(number: int, place: int, **hint: object) -> Line:
    line = good(number)
    line["hints"].insert(place, hint)
    return line


def changed(number: int, **fields: object) -> Line:
    return {**good(number), **fields}


def planted() -> list[tuple[Line | str, list[Expected]]]:
    """Lines, with the kind and turn of what is wrong with each."""
    same = {"question": "Is it hollow inside?", "answer": "yes"}
    twice = with_hint(11, 0, **same)
    twice["hints"].append({**same, "answer": "no"})
    near = with_hint(12, 0, **same)
    near["hints"].append({"question": "Would it be hollow inside?", "answer": "yes"})
    open_twice = with_hint(13, 4, question="What is its shape?", answer="like a bent spoon")
    return [
        ("not JSON", [("line_unreadable", None)]),
        (changed(0, gold=[]), [("answer_missing", None)]),
        (with_hint(1, 2, answer="Some call it a lantern or a saddle."), []),
        (with_hint(2, 2, answer="VIOLINS are like it."), [("answer_named", 3)]),
        (with_hint(3, 3, question="Is it the Lantern?", answer="yes"), [("answer_named", 4)]),
        (with_hint(4, 0, answer="A saddle, in short."), [("first_turn_names_answer", 1)]),
        (closed(5, [0], [0]), [("one_candidate_at_first", 1)]),
        (closed(6, [0, 1, 2], [1, 2], [1]), [("answer_ruled_out", 2)]),
        ({**closed(7, [1, 2], [1]), "candidates": [*"abcde"]}, [("answer_no_candidate", None)]),
        (closed(8, [0, 1], [0, 1, 2]), [("candidates_unfit", None)]),
        (closed(9, [0, 1, 2], [0, 1, 2], [0]), [("hint_narrows_nothing", 2)]),
        (with_hint(10, 4, **good(10)["hints"][2]), [("hint_repeats", 5)]),
        (twice, [("hints_contradict", 6)]),
        (near, [("hint_nearly_repeats", 6)]),
        (open_twice, [("hints_may_contradict", 5)]),
        (with_hint(14, 1, answer="—"), [("hint_empty", 2)]),
        (with_hint(15, 1, answer=" "), [("hint_blank", None)]),
        (changed(16, gold=["?!"]), [("answer_matches_nothing", None)]),
        (changed(17, gold=[THINGS[17], "..."]), [("alias_matches_nothing", None)]),
        (changed(18, gold=[THINGS[18], "*"]), [("answer_accepts_anything", None)]),
        (changed(19, gold=[THINGS[19], "N/A"]), [("answer_placeholder", None)]),
        (changed(20, gold=["telescope [accept spyglass]"]), [("answer_instruction", None)]),
        (good(21, 1), [("one_turn", None)]),
        (
            changed(22, hints=[{"answer": f"It is no thing {n}."} for n in range(31)]),
            [("many_turns", None)],
        ),
        (with_hint(23, 2, answer="An accordian sounds alike."), [("answer_almost_named", 3)]),
        (changed(24, gold=["508"], hints=[*good(24)["hints"], {"answer": "It has 508 teeth."}]),
         [("number_named", 5)]),
        (with_hint(25, 2, answer="It makes no so\u200bund."), [("odd_characters", 3)]),
        (changed(26, id="n2"), [("id_twice", None)]),
        (changed(27, hints=good(1, 3)["hints"]), []),
        (changed(28, hints=good(1, 3)["hints"]), [("hints_twice", None)]),
        (changed(29, gold=["the Telescope"]), []),
        (changed(30, gold=["TELESCOPE"]), [("entity_twice", None)]),
    ]  # fmt: skip


def text_of(line: Line | str) -> str:
    return line if isinstance(line, str) else json.dumps(line)


def keys(findings: list[Finding] | tuple[Finding, ...]) -> Counter[tuple[str, int | None, int]]:
    return Counter((one.kind, one.turn, one.place.line) for one in findings if one.place)


@pytest.fixture(params=range(3))
def bad(tmp_path, request):
    """A file in which planted lines stand among clean ones, in an order that the seed decides."""
    lines = [*planted(), *((good(number), []) for number in range(31, 40))]
    order = list(range(len(lines)))
    late = [place for place, (_, found) in enumerate(lines) if ("id_twice", None) in found]
    if request.param:
        random.Random(request.param).shuffle(order)
        pairs = [(3, late[0]), (28, 29), (30, 31)]  # the later of two is the one that is named
        for first, second in pairs:
            a, b = sorted((order.index(first), order.index(second)))
            order[a], order[b] = first, second
    path = tmp_path / "bad.jsonl"
    path.write_text("\n".join(text_of(lines[place][0]) for place in order) + "\n")
    expected = Counter(
        (kind, turn, number)
        for number, place in enumerate(order, start=1)
        for kind, turn in lines[place][1]
    )
    return path, expected


def test_every_kind_but_none_is_planted():
    kinds = {kind for _, found in planted() for kind, _ in found}
    assert kinds == (set(ERRORS) | set(WARNINGS)) - FROM_ANSWERS


def test_each_defect_is_found_once_where_it_is_and_nothing_else(bad):
    path, expected = bad
    assert keys(check_files([read_leniently(path)], RULES)) == expected


def test_what_is_mended_is_clean(bad, tmp_path):
    path, expected = bad
    files = [read_leniently(path)]
    result = mend(files, check_files(files, RULES), RULES)
    out = tmp_path / "out.jsonl"
    write_dialogues(out, result.dialogues)
    again = check_files([read_leniently(out)], RULES)
    assert not [one for one in again if one.is_error]
    n_lines = len(path.read_text().splitlines())
    whole = [gone for gone in result.dropped if gone.turn is None]
    assert len(read_dialogues(out)) + len(whole) == n_lines
    broken = {line for kind, _, line in expected if kind in ERRORS}
    assert {gone.place.line for gone in result.dropped} == broken


def test_the_built_in_countries_have_no_error(tmp_path):
    for style in ("statements", "questions"):
        path = tmp_path / f"{style}.jsonl"
        write_dialogues(path, countries_dialogues(style=style))
        found = check_files([read_leniently(path)], RULES)
        # The last clue is what the people are called, and some languages are called alike.
        assert {one.kind for one in found} <= {"answer_almost_named", "hint_narrows_nothing"}
