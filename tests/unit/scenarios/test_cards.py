"""What a card becomes."""

from __future__ import annotations

from pathlib import Path

import pytest

from turnsure.core.errors import InputError
from turnsure.core.item_source import ItemSource
from turnsure.core.scenario import CheckSpec, Limits, Reveal, RubricItem
from turnsure.scenarios.card_fixtures import table
from turnsure.scenarios.card_text import read_document
from turnsure.scenarios.cards import read_cards, scenarios_of

FULL = """\
format: 1
id: rental
persona: A renter.
goal: A shortlist.
reveals:
  - {id: start, turn: 1, say: In Baner., facts: [Baner], sets: {areas: [Baner], pets: false}}
  - {say: I do not want B3., rejects: [B3], withdraws: [pets]}
  - {turn: 4, say: Wakad too., changes: {areas: {from: [Baner], to: [Baner, Wakad]}}}
answers: {furnished: does not mind}
items:
  - {from: tool_result, tool: search, path: data.flats}
checks:
  - name: area
    expression: item.area in rules.areas
    say: "{item.id}"
    unreadable: finding
  - {name: short, expression: size(text) < 10, scope: turn, failure: other, optional: true}
  - {name: again, check: {repetition: {same_set: 3}}}
success:
  - size(items) >= 2
  - {name: goal, expression: size(items) < 9, last: 2, say: too many}
rubric: [{name: kind, ask: "Is it kind?"}]
fixtures: {flats: [{id: B1, rent: 2.5}]}
tools: {search: {table: flats}}
limits: {turns: 8, seconds: 2.5}
runs: 3
seed: 7
meta: {area: Pune}
"""


def one(text: str):
    [scenario] = scenarios_of(text, file=Path("card.yaml"))
    return scenario


def test_every_field_arrives():
    seen = one(FULL)
    assert (seen.id, seen.persona, seen.goal) == ("rental", "A renter.", "A shortlist.")
    assert seen.reveals == (
        Reveal(
            id="start", turn=1, say="In Baner.", facts=("Baner",),
            sets={"areas": ["Baner"], "pets": False},
        ),
        Reveal(id="reveal-2", say="I do not want B3.", rejects=("B3",), withdraws=("pets",)),
        Reveal(id="reveal-3", turn=4, say="Wakad too.", sets={"areas": ["Baner", "Wakad"]}),
    )  # fmt: skip
    assert seen.answers == {"furnished": "does not mind"}
    assert seen.items == (ItemSource(kind="tool_result", tool="search", path=("data", "flats")),)
    assert seen.rubric == (RubricItem(name="kind", ask="Is it kind?"),)
    assert seen.fixtures == {"flats": [{"id": "B1", "rent": 2.5}]}
    assert seen.tools == {"search": {"table": "flats"}}
    assert seen.limits == Limits(turns=8, seconds=2.5)
    assert (seen.runs, seen.seed, seen.meta) == (3, 7, {"area": "Pune"})


def test_checks_get_the_kind_scope_and_type_that_they_do_not_name():
    area, short, again, first, goal = one(FULL).checks
    assert area == CheckSpec(
        name="area", kind="forgotten_constraint", failure="forgotten_constraint", scope="item",
        expression="item.area in rules.areas", say="{item.id}", unreadable="finding",
    )  # fmt: skip
    assert (short.kind, short.scope, short.failure, short.optional) == (
        "expression", "turn", "other", True,
    )  # fmt: skip
    assert (again.kind, again.failure, again.options) == (
        "repetition",
        "repetition",
        {"same_set": 3},
    )
    assert (first.name, first.kind, first.scope) == ("success-1", "lost_goal", "end")
    assert (goal.name, goal.options, goal.say) == ("goal", {"last": 2}, "too many")


def test_a_suite_shares_what_its_scenarios_do_not_say():
    seen = scenarios_of(
        """\
defaults:
  persona: A renter.
  runs: 3
  limits: {turns: 9, seconds: 5}
  answers: {floor: any, lift: no}
  checks: [{name: short, scope: turn, expression: size(text) < 10}]
scenarios:
  - {id: a, reveals: [{say: Hi.}], runs: 4, limits: {turns: 2}, answers: {floor: first}}
  - id: b
    reveals: [{say: Hi., sets: {x: 1}}]
    checks: [{name: x, expression: item.x == rules.x}]
""",
        file=Path("card.yaml"),
    )
    first, second = seen
    assert (first.persona, first.runs, first.limits) == ("A renter.", 4, Limits(turns=2, seconds=5))
    assert first.answers == {"floor": "first", "lift": "no"}
    assert [check.name for check in first.checks] == ["short"]
    assert (second.runs, second.limits.turns) == (3, 9)
    assert [check.name for check in second.checks] == ["short", "x"]


def test_a_problem_of_the_defaults_is_told_there():
    text = (
        "defaults:\n  checks: [{name: x, expression: item.x == rules.x}]\n"
        "scenarios:\n  - {id: a, reveals: [{say: Hi.}]}\n"
    )
    with pytest.raises(InputError, match=r"line 2, column 34.*defaults.checks\[0\].expression"):
        scenarios_of(text, file=Path("card.yaml"))


def test_a_list_of_scenarios():
    text = "".join(
        f"- {{id: {name}, reveals: [{{say: Hi.}}], rubric: [{{name: k, ask: Kind}}]}}\n"
        for name in "ab"
    )
    assert [each.id for each in scenarios_of(text, file=Path("c.yaml"))] == ["a", "b"]


def test_values_are_those_of_json():
    text = (
        "{a: no, b: 010, c: 2026-01-31, d: '5', e: 1e3, f: 5, g: ~, h: true, i: .5, j: 1_0, k: 0x1}"
    )
    assert read_document(text).value == {
        "a": "no", "b": "010", "c": "2026-01-31", "d": "5", "e": 1000.0, "f": 5, "g": None,
        "h": True, "i": ".5", "j": "1_0", "k": "0x1",
    }  # fmt: skip


class TestFixtures:
    def test_json_and_csv_beside_the_card(self, tmp_path):
        (tmp_path / "a.json").write_text('[{"id": "A"}]', encoding="utf-8")
        (tmp_path / "b.csv").write_text("id,rent,ok\nB, 2.5,true\n\nC,,no\n", encoding="utf-8-sig")
        text = FULL.replace("flats: [{id: B1, rent: 2.5}]", "a: {file: a.json}, b: {file: b.csv}")
        (tmp_path / "card.yaml").write_text(text, encoding="utf-8")
        assert read_cards(tmp_path / "card.yaml")[0].fixtures == {
            "a": [{"id": "A"}],
            "b": [{"id": "B", "rent": 2.5, "ok": True}, {"id": "C", "rent": None, "ok": "no"}],
        }

    @pytest.mark.parametrize(
        ("name", "content", "why"),
        [
            ("a.json", "[1,]", "a.json, line 1, column 4"),
            ("a.json", '{"x": 1, "x": 2}', "stands here twice"),
            ("a.json", "[" * 100_000, "nested too deeply"),
            ("a.csv", "", "the header"),
            ("a.csv", "id,id\n", "the header"),
            ("a.csv", "id\n1,2\n", "a.csv, line 2: 2 cells for 1 columns"),
            ("a.csv", 'id\n"1', "cannot be parsed"),
            ("a.txt", "", "json or .csv"),
        ],
    )
    def test_files_that_hold_no_table(self, tmp_path, name, content, why):
        (tmp_path / name).write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=why):
            table({"file": name}, beside=tmp_path)

    def test_other_ways_to_name_no_file(self, tmp_path):
        (tmp_path / "a.json").write_bytes(b'"\xff"')
        for name, why in ((3, "names no file"), ("a.json", "UTF-8")):
            with pytest.raises(InputError, match=why):
                table({"file": name}, beside=tmp_path)
        assert table({"file": "x", "rent": 1}, beside=tmp_path) == {"file": "x", "rent": 1}
