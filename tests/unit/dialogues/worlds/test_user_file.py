"""Worlds of one's own: the same world from YAML and CSV, and what is refused."""

from __future__ import annotations

import dataclasses

import pytest

from tests.support.worlds import animals
from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.user_file import read_world

YAML = """\
world: animals
task: Name the animal.
closing: Now name the animal.
least_fitting: 2
settings:
  style: questions
  min_turns: 4
  max_turns: 12
facts:
  habitat:
    question: Where does it live?
    statement: It lives {value}.
  flies:
    kind: yes_no
    question: Does it fly?
    if_yes: It flies.
    if_no: It does not fly.
  food:
    kind: list
    question: Does it eat {item}?
    if_yes: It eats {item}.
    if_no: It does not eat {item}.
entities:
  - {name: [lion, Panthera leo], habitat: on land, flies: no, food: [meat]}
  - {name: cow, habitat: on land, flies: no, food: [grass]}
  - {name: bat, habitat: on land, flies: Yes, food: [insects, fruit]}
  - {name: shark, habitat: in the sea, flies: false, food: [meat]}
  - {name: gull, habitat: at the coast, flies: yes, food: [meat, insects]}
  - {name: whale, habitat: in the sea, flies: no, food: []}
"""

CSV = """\
name,habitat,flies,food
#kind,,yes_no,list
#question,Where does it live?,Does it fly?,Does it eat {item}?
#statement,It lives {value}.,,
#if_yes,,It flies.,It eats {item}.
#if_no,,It does not fly.,It does not eat {item}.
#world,animals
#task,Name the animal.
#closing,Now name the animal.
#least_fitting,2
#style,questions
#min_turns,4
#max_turns,12

lion | Panthera leo,on land,no,meat
cow,on land,no,grass
bat,on land,Yes,insects|fruit
shark,in the sea,false,meat
gull,at the coast,yes,meat | insects
whale,in the sea,no,
"""

WANTED = animals(
    closing="Now name the animal.",
    least_fitting=2,
    settings=WorldSettings(style="questions", min_turns=4, max_turns=12),
)


def kept(tmp_path, text: str, ending: str):
    path = tmp_path / f"zoo.{ending}"
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "byte order mark"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize(("ending", "text"), [("yaml", YAML), ("yml", YAML), ("csv", CSV)])
def test_the_same_world_from_either_format(tmp_path, ending, text, line_end, mark):
    path = kept(tmp_path, mark + text.replace("\n", line_end), ending)
    assert read_world(path) == WANTED


def test_a_file_may_leave_out_all_but_facts_and_entities(tmp_path):
    text = "facts: {f: {question: 'Which?', statement: 'It is {value}.'}}\n"
    text += "entities: [{name: a, f: 010, meta: {tier: 1}}, {name: b, f: NO}]\n"
    world = read_world(kept(tmp_path, text, "yaml"))
    assert (world.name, world.closing, world.settings) == ("zoo", None, WorldSettings())
    assert [entity.values["f"] for entity in world.entities] == ["010", "NO"]
    assert [dict(entity.meta) for entity in world.entities] == [{"tier": "1"}, {}]


def test_a_text_in_csv_may_hold_commas_and_line_ends(tmp_path):
    text = 'name,f\n#question,"Which, then?"\n#statement,It is {value}.\na,"x,\ny"\nb,z\n,\nb,z\n'
    with pytest.raises(InputError) as caught:
        read_world(kept(tmp_path, text, "csv"))
    assert (caught.value.line, caught.value.field) == (8, "name")
    assert "line 6" in caught.value.problem
    world = read_world(kept(tmp_path, text[: -len("b,z\n")], "csv"))
    assert world.entities[0].values == {"f": "x,\ny"}


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        ("world: animals", "wrold: animals", 1, "wrold"),
        ("task: Name the animal.", "task:", 2, "task"),
        ("task: Name the animal.", "task: [a]", 2, "task"),
        ("closing: Now name the animal.", "closing: ' '", 3, "closing"),
        ("least_fitting: 2", "least_fitting: two", 4, "least_fitting"),
        ("least_fitting: 2", "least_fitting: 0", 4, "least_fitting"),
        ("style: questions", "style: poems", 6, "style"),
        ("style: questions", "stile: questions", 6, "stile"),
        ("max_turns: 12", "max_turns: 3", 8, "max_turns"),
        ("statement: It lives {value}.", "statement: It lives.", 12, "habitat.statement"),
        ("statement: It lives {value}.", "if_yes: It lives.", 12, "habitat.if_yes"),
        ("    kind: yes_no\n", "    kind: maybe\n", 14, "flies.kind"),
        ("    if_no: It does not fly.\n", "", 13, "flies.if_no"),
        ("cow, habitat: on land", "cow, habitat: ''", 25, "habitat"),
        ("cow, habitat: on land", "cow, habitat: [on, land]", 25, "habitat"),
        ("cow, habitat: on land", "cow, habitat: {on: land}", 25, "entities[1].habitat"),
        ("cow, habitat: on land,", "cow,", 25, "habitat"),
        ("cow, habitat", "cow, habitatt", 25, "entities[1].habitatt"),
        ("flies: Yes", "flies: perhaps", 26, "flies"),
        ("food: [grass]", "food: grass", 25, "food"),
        ("food: [grass]", "food: [grass, grass]", 25, "food"),
        ("food: [grass]", "food: [[grass]]", 25, "entities[1].food[0]"),
        ("name: cow", "name: lion", 25, "name"),
        ("name: cow", "name: []", 25, "name"),
        ("name: cow", "name: ''", 25, "name"),
        ("{name: cow, ", "{", 25, "name"),
        ("name: cow", "name: cow, name: ox", 25, "entities[1].name"),
        ("settings:", "world: a\nsettings:", 5, "world"),
        ("facts:", "fakts:", 9, "fakts"),
        ("  habitat:\n", "  habitat: x\n  other:\n", 10, "facts.habitat"),
        ("name: cow", "name: cow, meta: x", 25, "entities[1].meta"),
        ("  - {name: cow", "  - cow\n  - {name: cow", 25, "entities[1]"),
    ],
)
def test_a_mistake_in_yaml_is_named_with_its_line(tmp_path, old, new, line, field):
    assert YAML.count(old) == 1
    path = kept(tmp_path, YAML.replace(old, new), "yaml")
    with pytest.raises(InputError) as caught:
        read_world(path)
    error = caught.value
    assert (error.file, error.line, error.field) == (str(path), line, field)
    assert error.expected


@pytest.mark.parametrize(
    ("old", "new", "line", "field"),
    [
        ("name,habitat", "animal,habitat", 1, "name"),
        ("name,habitat", "name,flies", 1, "flies"),
        ("name,habitat", "name,", 1, None),
        ("#kind,,yes_no,list", "#kind,,maybe,list", 2, "flies.kind"),
        ("#kind,,yes_no,list", "#kinds,,yes_no,list", 2, "#kinds"),
        ("#question,Where does it live?", "#question,", 1, "habitat.question"),
        ("It lives {value}.,,", "It lives.,,", 4, "habitat.statement"),
        ("It lives {value}.,,", "It lives {value}.,x,", 4, "flies.statement"),
        ("#world,animals", "#task,animals", 8, "#task"),
        ("#world,animals", "#world,animals,more", 7, "#world"),
        ("#world,animals", "#world", 7, "world"),
        ("#least_fitting,2", "#least_fitting,-2", 10, "least_fitting"),
        ("#style,questions", "#style,poems", 11, "style"),
        ("cow,on land,no,grass", "cow,on land", 16, "flies"),
        ("cow,on land,no,grass", "cow,on land,,grass", 16, "flies"),
        ("cow,on land,no,grass", "cow,on land,no,grass|grass", 16, "food"),
        ("cow,on land,no,grass", "cow,on land,no,grass,hay", 16, None),
        ("cow,on land,no,grass", "|,on land,no,grass", 16, "name"),
        ("cow,on land,no,grass", "lion,on land,no,grass", 16, "name"),
        ("cow,on land,no,grass", 'cow,"on land"x,no,grass', 16, None),
    ],
)
def test_a_mistake_in_csv_is_named_with_its_line(tmp_path, old, new, line, field):
    assert CSV.count(old) == 1
    path = kept(tmp_path, CSV.replace(old, new), "csv")
    with pytest.raises(InputError) as caught:
        read_world(path)
    error = caught.value
    assert (error.file, error.line, error.field) == (str(path), line, field)
    assert error.expected


@pytest.mark.parametrize(
    ("ending", "text", "problem"),
    [
        ("yaml", b"", "the file is empty"),
        ("csv", b"\n\n", "the file is empty"),
        ("yaml", b"facts: [", "cannot be parsed"),
        ("yaml", b"facts: \x00", "cannot be parsed"),
        ("yaml", b"- a", "this is no mapping"),
        ("yaml", b"facts: {}", "the field is missing"),
        ("yaml", b"facts: {}\nentities: a", "this is no list"),
        ("yaml", b"facts: {}\nentities: []", "there are no facts"),
        ("yaml", b"[" * 1_000, "nested too deeply"),
        ("yaml", b"\xff", "byte 1 is not UTF-8"),
        ("csv", b"name,\xff", "byte 6 is not UTF-8"),
        ("json", b"{}", "the ending '.json' is unknown"),
    ],
)
def test_what_is_no_world_is_refused_in_one_line(tmp_path, ending, text, problem):
    path = tmp_path / f"zoo.{ending}"
    path.write_bytes(text)
    with pytest.raises(InputError, match=problem) as caught:
        read_world(path)
    assert caught.value.file == str(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_world(tmp_path / "none.yaml")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read_world(tmp_path / "folder.csv")


def test_worlds_differ_where_their_files_do(tmp_path):
    path = kept(tmp_path, YAML.replace("on land", "in caves"), "yaml")
    assert read_world(path) != WANTED
    assert dataclasses.replace(read_world(path), entities=WANTED.entities) == WANTED
