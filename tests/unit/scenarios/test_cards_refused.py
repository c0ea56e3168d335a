"""Cards that do not fit: each error says where, what is wrong, and what was expected."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.cards import read_cards, scenarios_of

GOOD = """\
id: a
reveals:
  - {say: Hello 25, sets: {max_rent: 25}}
  - {say: More, changes: {max_rent: {from: 25, to: 28}}}
checks:
  - name: budget
    expression: item.rent <= rules.max_rent
    say: "{item.id} is over {rules.max_rent}"
"""
CHECK = GOOD + "  - {name: r, "


def swapped(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


REFUSED = {
    "empty": ("", 1, 1, "the file is empty"),
    "a text": ("hello", 1, 1, "names and values"),
    "an empty list": ("[]", 1, 1, "one scenario or more"),
    "a tab": ("id: a\n\tgoal: b", 2, 1, "cannot be parsed"),
    "two documents": (GOOD + "---\nid: b\n", 9, 1, "cannot be parsed"),
    "a name twice": (GOOD + "id: b\n", 9, 1, "stands here twice, first at line 1"),
    "an anchor": ("id: &a x\ngoal: *a\n", 1, 5, "anchors and aliases"),
    "a tag": (swapped("id: a", "id: !!python/name:os.system a"), 1, 5, "tag"),
    "too deep": ("id: a\ngoal: " + "[" * 60 + "]" * 60, 2, 47, "nested too deeply"),
    "a list as a name": ("? [a]\n: 1\n", 1, 3, "a name is a list"),
    "a misspelt field": (swapped("reveals:", "reveal:"), 2, 1, "did you mean 'reveals'"),
    "a misspelt field below": (swapped("say: More", "sya: More"), 4, 6, "did you mean 'say'"),
    "no id": (swapped("id: a\n", ""), 1, 1, "the field is missing"),
    "a blank id": (swapped("id: a", 'id: " "'), 1, 5, "not blank"),
    "a number as id": (swapped("id: a", "id: 5"), 1, 5, "expected a text"),
    "nothing said": (swapped("say: More", "say:"), 4, 10, "null does not fit"),
    "no checks": (GOOD.partition("checks:")[0], 1, 1, "checks nothing"),
    "a check of nothing": (CHECK + "}", 9, 5, "nothing is checked"),
    "a name of checks twice": (
        CHECK.replace("r, ", "budget, ") + "check: repetition}", 6, 3, "'budget' stands twice",
    ),
    "a twist from another value": (swapped("from: 25", "from: 26"), 4, 44, "max_rent is 25"),
    "a twist to the same": (swapped("to: 28", "to: 25"), 4, 52, "does not change"),
    "a twist of nothing": (
        swapped("sets: {max_rent: 25}", "sets: {rent: 25}"), 4, 37, "does not hold at this turn",
    ),
    "a withdrawal of nothing": (
        swapped("changes: {max_rent: {from: 25, to: 28}}", "withdraws: [pets]"), 4, 29, "'pets'",
    ),
    "a rule twice in a reveal": (
        swapped("changes:", "sets: {max_rent: 3}, changes:"), 4, 47, "in sets and in changes",
    ),
    "a rule that no expression can name": (
        swapped("sets: {max_rent", "sets: {max-rent"), 3, 28, "letters, digits and underscores",
    ),
    "turns out of order": (
        swapped("{say: Hello", "{turn: 3, say: Hello").replace("{say: Mo", "{turn: 2, say: Mo"),
        4, 12, "made at turn 2, and the reveal before it at turn 3",
    ),
    "a turn without number that would come first": (
        swapped("{say: Hello", "{turn: 2, say: Hello"), 4, 5, "made at turn 1",
    ),
    "over the limit": (GOOD + "limits: {turns: 1}\n", 4, 5, "over the limit"),
    "a limit of 0": (GOOD + "limits: {turns: 0}\n", 9, 17, "1 or more"),
    "a limit in words": (GOOD + "limits: {turns: many}\n", 9, 17, "a whole number"),
    "endless seconds": (GOOD + "limits: {seconds: 1e400}\n", 9, 19, "86400"),
    "no seconds": (GOOD + "limits: {seconds: 0}\n", 9, 19, "more than 0"),
    "no runs": (GOOD + "runs: 0\n", 9, 7, "1 or more"),
    "a later format": (GOOD + "format: 2\n", 9, 9, "expected 1"),
    "an answer that is no text": (GOOD + "answers: {floor: 3}\n", 9, 18, "a text"),
    "no expression": (swapped("<= rules.max_rent", "<="), 7, 17, "at its character 13"),
    "a function that there is not": (
        swapped("item.rent <= rules", "lower(item.rent) <= rules"), 7, 17, "calls lower()",
    ),
    "a variable that there is not": (
        swapped("item.rent", "itm.rent"), 7, 17, "did you mean 'item'",
    ),
    "a rule that nobody sets": (
        swapped("rules.max_rent\n", "rules.maxrent\n"), 7, 17, "did you mean 'max_rent'",
    ),
    "a place that there is not": (swapped("{item.id}", "{itm.id}"), 8, 10, "{itm.id}"),
    "a place of a rule that nobody sets": (
        swapped("{rules.max_rent}", "{rules.min_rent}"), 8, 10, "'min_rent'",
    ),
    "an unknown kind": (CHECK + "check: repetitoin}", 9, 15, "did you mean 'repetition'"),
    "two kinds": (CHECK + "check: {repetition: {}, contradiction: {}}}", 9, 22, "2 kinds"),
    "an unknown option": (
        CHECK + "check: {repetition: {sameset: 3}}}", 9, 45, "did you mean 'same_set'",
    ),
    "an option of another type": (
        CHECK + "check: {repetition: {same_set: three}}}", 9, 46, "a whole number",
    ),
    "options in a list": (CHECK + "check: {repetition: [1]}}", 9, 35, "options by their names"),
    "an expression too many": (
        CHECK + "check: repetition, expression: '1 < 2'}", 9, 46, "takes no expression",
    ),
    "an expression too few": (CHECK + "check: lost_goal}", 9, 5, "needs an expression"),
    "a scope that does not fit": (CHECK + "check: repetition, scope: end}", 9, 41, "expected item"),
    "an unknown scope": (CHECK + "expression: 'true', scope: ending}", 9, 42, "or 'end'"),
    "a variable of another scope": (
        CHECK + "expression: item.rent < 3, scope: turn}", 9, 27, "unknown in the scope 'turn'",
    ),
    "a module that there is not": (
        CHECK + "check: {python: 'nowhere:f'}}", 9, 22, "No module named 'nowhere'",
    ),
    "a function that is not in its module": (
        CHECK + "check: {python: 'json:nothing'}}", 9, 22, "has no 'nothing'",
    ),
    "a constraint without a rule": (
        CHECK + "check: forgotten_constraint, expression: item.rent < 3}", 9, 56, "reads no rule",
    ),
    "a table of rules in words": (CHECK + "check: 3}", 9, 22, "names and values"),
    "no function at all": (CHECK + "check: {python: json}}", 9, 22, "expected module:function"),
    "rules needed that nobody sets": (
        CHECK + "check: {early_guessing: {needs: [pets]}}}", 9, 47, "sets the rule 'pets'",
    ),
    "nothing that makes an answer early": (
        CHECK + "check: early_guessing}", 9, 5, "`needs` or `confidence_below`",
    ),
    "no twist to ignore": (
        GOOD.replace("changes: {max_rent: {from: 25, to: 28}}", "sets: {b: 1}")
        + "  - {name: r, check: ignored_correction}",
        9, 5, "no reveal changes any rule",
    ),
    "nothing to be said": (CHECK + "check: {must_say: {values: []}}}", 9, 42, "nothing is to"),
    "a schema word that is not checked": (
        CHECK + "check: {tool_use: {tools: {a: {arguments: {anyOf: []}}}}}}", 9, 45, "'anyOf'",
    ),
    "an end state of no table": (
        CHECK + "check: {end_state: {expected: {flats: []}}}}\nfixtures: {flat: []}\n",
        9, 45, "no table 'flats'",
    ),
    "a success rule that reads nothing": (
        GOOD + "success: [size(itemz) > 2]\n", 9, 11, "did you mean 'items'",
    ),
    "a source without its function": (GOOD + "items: [{from: python}]\n", 9, 9, "no function"),
    "an unknown source": (GOOD + "items: [{from: tools}]\n", 9, 16, "'tool_result'"),
    "a fixture of no file": (
        GOOD + "fixtures: {flats: {file: none.json}}\n", 9, 26, "no file none.json beside",
    ),
    "defaults with an id": (
        "defaults: {id: x}\nscenarios:\n- " + GOOD.replace("\n", "\n  "), 1, 12, "unknown field",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_card_that_does_not_fit_is_refused_at_its_place(name):
    text, line, column, why = REFUSED[name]
    with pytest.raises(InputError) as caught:
        scenarios_of(text, file=Path("card.yaml"))
    error = caught.value
    assert why in str(error)
    assert (error.file, error.line, error.column) == ("card.yaml", line, column), str(error)
    assert str(error).startswith(f"card.yaml, line {line}, column {column}")
    assert "\n" not in str(error)
    assert error.expected


def test_the_card_that_all_of_them_come_from_is_fine():
    assert scenarios_of(GOOD, file=Path("card.yaml"))[0].id == "a"


def test_a_scenario_that_stands_twice_is_refused():
    one = "\n- " + GOOD.replace("\n", "\n  ").rstrip()
    with pytest.raises(InputError, match=r"line 10, column 7.*the scenario 'a' stands here twice"):
        scenarios_of(f"scenarios:{one}{one}", file=Path("card.yaml"))


def test_several_problems_are_counted():
    text = GOOD + "runs: many\nseed: -1\n"
    with pytest.raises(InputError, match=r"line 9, column 7.*and 1 more problem in this card"):
        scenarios_of(text, file=Path("card.yaml"))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_cards(tmp_path / "none.yaml")
    with pytest.raises(InputError, match="cannot be read"):
        read_cards(tmp_path)
    odd = tmp_path / "odd.yaml"
    odd.write_bytes(b"id: \xff")
    with pytest.raises(InputError, match=r"odd.yaml: byte 5 is not UTF-8"):
        read_cards(odd)
    odd.write_text("id: a\ngoal: \x01", encoding="utf-8")
    with pytest.raises(InputError, match="characters that print"):
        read_cards(odd)
    odd.write_text("id: a\ngoal: " + "[" * 5000, encoding="utf-8")
    with pytest.raises(InputError, match="nested too deeply"):
        read_cards(odd)
