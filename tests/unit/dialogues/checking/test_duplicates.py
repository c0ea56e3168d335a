"""The same dialogue, entity or id twice."""

from __future__ import annotations

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.dialogues.checking.duplicates import find_duplicates
from turnsure.dialogues.checking.finding import Place, Placed, Rules
from turnsure.grading.normalise import normal


def dialogue(name: str, gold: str, *hints: str) -> Dialogue:
    said = hints or (f"Clue of {name}.", f"More of {name}.")
    return Dialogue(id=name, task="t", gold=(gold,), hints=tuple(Hint(answer=one) for one in said))


def found(*files: list[Dialogue]) -> list[tuple[str, str, int]]:
    placed = [
        [
            Placed(dialogue=one, place=Place(file=f"{f}", line=line))
            for line, one in enumerate(dialogues, start=1)
        ]
        for f, dialogues in enumerate(files)
    ]
    findings = find_duplicates(placed, Rules(normalise=normal))
    return [(one.kind, one.place.file, one.place.line) for one in findings if one.place]


def test_nothing_is_found_where_all_differ():
    assert found([dialogue("a", "Peru"), dialogue("b", "Mali")], [dialogue("c", "Laos")]) == []


def test_the_later_of_two_in_a_file_is_named():
    assert found([dialogue("a", "Peru"), dialogue("a", "Mali", "x")]) == [("id_twice", "0", 2)]
    assert found([dialogue("a", "Peru", "x y"), dialogue("b", "Mali", "X  Y!")]) == [
        ("hints_twice", "0", 2)
    ]


def test_a_pair_is_told_once_by_the_strongest_of_what_it_shares():
    same = dialogue("a", "Peru")
    assert found([same, same]) == [("id_twice", "0", 2)]
    assert found([same], [same]) == [("id_twice", "0", 1)]
    other = Dialogue(id="b", task="t", gold=same.gold, hints=same.hints)
    assert found([same, other]) == [("hints_twice", "0", 2)]
    assert found([same], [other]) == [("hints_twice", "0", 1)]


def test_every_copy_is_found():
    same = [dialogue(name, name, "x", "y") for name in "abc"]
    assert found(same) == [("hints_twice", "0", 2), ("hints_twice", "0", 3)]


def test_an_entity_is_told_once_a_file_and_once_across():
    files = [[dialogue(f"{f}{d}", gold) for d, gold in enumerate(["The Peru", "peru", "PERU"])]
             for f in "ab"]  # fmt: skip
    assert sorted(found(*files)) == [
        ("entity_twice", "0", 1),
        ("entity_twice", "0", 2),
        ("entity_twice", "1", 2),
    ]


def test_numbers_and_yes_are_no_entities():
    for gold in ("16", "-1.5", "yes"):
        assert found([dialogue("a", gold), dialogue("b", gold)]) == []


def test_files_are_compared_each_with_the_next_that_shares():
    three = [[dialogue("a", "Peru")] for _ in range(3)]
    assert found(*three) == [("id_twice", "0", 1), ("id_twice", "1", 1)]


def test_the_evidence_says_where_and_whether_answers_differ():
    first = [Placed(dialogue=dialogue("a", "Peru", "x"), place=Place(file="one", line=3))]
    second = [Placed(dialogue=dialogue("b", "Mali", "x"), place=Place(file="two", line=5))]
    [finding] = find_duplicates([first, second], Rules())
    assert finding.evidence == "as in line 5 of two, though the answers are 'Peru' and 'Mali'"
    assert (finding.dialogue, finding.field) == ("a", "hints")
