"""``turnsure scenario`` and ``turnsure judge``."""

from __future__ import annotations

import json
import random

import pytest

from turnsure.cli.main import cli
from turnsure.cli.scenario import NOT_REPRODUCED
from turnsure.core.errors import InputError

BUG = [
    {"role": "user", "content": "At most Rs 25,000, please. I am jo@example.in"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "a",
                "type": "function",
                "function": {"name": "search", "arguments": '{"area": "Baner"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "a", "content": '[{"id": "B1", "rent": 24000}]'},
    {"role": "assistant", "content": "B1 fits."},
    {"role": "user", "content": "And in Wakad?"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "b",
                "type": "function",
                "function": {"name": "search", "arguments": '{"area": "Wakad"}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "b", "content": '[{"id": "W2", "rent": 31000}]'},
    {"role": "assistant", "content": "W2 is nice."},
]
PARTS = """
id: area-change
sets: {1: {max_rent: 25000}}
items: [{from: tool_result, tool: search}]
checks:
  - name: budget
    expression: item.rent <= rules.max_rent
    say: "{item.id} is over budget"
"""


@pytest.fixture(autouse=True)
def somewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bug.jsonl").write_text(json.dumps({"id": "c7", "messages": BUG}) + "\n")
    (tmp_path / "parts.yaml").write_text(PARTS)
    return tmp_path


def run(*words, expect=0):
    with pytest.raises(SystemExit) as ended:
        cli.main(list(words), standalone_mode=False)
    assert ended.value.code == expect


def test_the_schema_is_json(capsys):
    cli.main(["scenario", "schema"], standalone_mode=False)
    assert "properties" in json.dumps(json.loads(capsys.readouterr().out))


def test_cards_are_shown_turn_by_turn(capsys):
    cli.main(["scenario", "show", "example:rental"], standalone_mode=False)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "rental (5 reveals, 7 checks, 10 runs)"
    assert "  turn 2: By the way, I have a dog." in lines
    assert lines[lines.index("  turn 2: By the way, I have a dog.") + 1] == "    pets = true"
    assert "    turns down B3" in lines
    budget = "  check budget: item.rent <= rules.max_rent, at every item [forgotten constraint]"
    assert budget in lines


def test_every_mistake_is_told_and_the_other_cards_are_read(somewhere, capsys):
    (somewhere / "good.yaml").write_text(
        "id: good\nreveals: [{say: Hi.}]\nchecks: [{name: a, scope: turn, expression: 'true'}]\n"
    )
    (somewhere / "bad.yaml").write_text("id: bad\nreveals: [{sya: Hi.}]\n")
    (somewhere / "worse.yaml").write_text("id: [\n")
    run("scenario", "check", "bad.yaml", "good.yaml", "worse.yaml", expect=2)
    shown = capsys.readouterr()
    assert shown.out == "good.yaml: good (1 reveal, 1 check, 10 runs)\n"
    assert "turnsure: bad.yaml, line 2, column" in shown.err
    assert "turnsure: worse.yaml, line" in shown.err
    run("scenario", "check", "good.yaml")


def test_a_conversation_becomes_a_card_that_does_not_find_the_bug_yet(somewhere, capsys):
    run("scenario", "from-transcript", "bug.jsonl", "-o", "bug.yaml", expect=NOT_REPRODUCED)
    shown = capsys.readouterr().out
    assert "not reproduced" in shown
    assert "Stand-ins for personal data: e-mail 1." in shown
    assert "then: turnsure scenario check bug.yaml --conversation bug.jsonl" in shown
    card = (somewhere / "bug.yaml").read_text()
    assert "jo@example.in" not in card
    assert "rent: 31000" in card
    run("scenario", "check", "bug.yaml")


def test_with_its_parts_it_does_and_the_card_goes_on_to(somewhere, capsys):
    run(
        "scenario", "from-transcript", "bug.jsonl", "--parts", "parts.yaml", "--turn", "2",
        "--failure", "forgotten_constraint", "-o", "bug.yaml",
    )  # fmt: skip
    assert "reproduced. Turn 2: W2 is over budget" in capsys.readouterr().out
    run("scenario", "check", "bug.yaml", "--conversation", "bug.jsonl", "--turn", "2")
    run(
        "scenario", "check", "bug.yaml", "--conversation", "bug.jsonl", "--turn", "1",
        expect=NOT_REPRODUCED,
    )  # fmt: skip
    card = somewhere / "bug.yaml"
    card.write_text(card.read_text().replace("<=", ">="))
    run("scenario", "check", "bug.yaml", "--conversation", "bug.jsonl", "--turn", "2",
        expect=NOT_REPRODUCED)  # fmt: skip


def test_without_a_file_the_card_is_printed_alone(capsys):
    words = ("scenario", "from-transcript", "bug.jsonl", "--parts", "parts.yaml")
    run(*words)
    shown = capsys.readouterr()
    assert shown.out.startswith("# Made from a real conversation")
    assert "reproduced." not in shown.out
    assert "reproduced." in shown.err


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ("id: [", "parts.yaml, line"),
        ("[1]", "there are no fields here"),
        ("chekcs: []", "unknown field (expected id"),
        ("checks: budget", "(expected a list)"),
        ("sets: {one: {a: 1}}", "'one' is no turn"),
        ("sets: {1: 5}", "expected rules and their values"),
        ("rejects: {1: B3}", "expected a list of ids"),
        ("sets: {9: {a: 1}}", "there is no turn 9"),
        ("items: [{from: tool}]", "parts.yaml, field 'items[0].from'"),
        ("checks: [{name: a, expression: item.rent <}]", "parts.yaml, field 'checks[0]"),
    ],
)
def test_wrong_parts_are_named(parts, says, somewhere):
    (somewhere / "parts.yaml").write_text(parts)
    with pytest.raises(InputError) as caught:
        cli.main(
            ["scenario", "from-transcript", "bug.jsonl", "--parts", "parts.yaml", "-o", "x.yaml"],
            standalone_mode=False,
        )
    assert says in str(caught.value)
    assert not (somewhere / "x.yaml").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["scenario", "from-transcript", "none.jsonl"], "none.jsonl"),
        (["scenario", "from-transcript", "two.jsonl"], "--pick with one of c7, c8"),
        (["scenario", "from-transcript", "two.jsonl", "--pick", "c9"], "no conversation 'c9'"),
        (["scenario", "from-transcript", "mute.jsonl"], "mute.jsonl, line 1"),
        (["scenario", "from-transcript", "mute.jsonl"], "says nothing at turn 1"),
        (["scenario", "from-transcript", "endless.jsonl"], "endless.jsonl, field 'limits.turns'"),
        (["scenario", "from-transcript", "bug.jsonl", "-o", "."], "this is a folder"),
        (["scenario", "from-transcript", "bug.jsonl", "--failure", "x"], "forgotten_constraint"),
        (["scenario", "from-transcript", "bug.jsonl", "--redact", "no:where"], "imported"),
        (["scenario", "check", "example:rental", "--conversation", "bug.jsonl"], "turn-1"),
        (["judge", "audit", "none.csv"], "no such file"),
        (["judge", "audit", "bug.jsonl"], "there is no column 'human'"),
    ],
)
def test_a_mistake_is_one_clear_error(words, says, somewhere):
    lines = [json.dumps({"id": name, "messages": BUG}) for name in ("c7", "c8")]
    (somewhere / "two.jsonl").write_text("\n".join(lines))
    turn = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    (somewhere / "endless.jsonl").write_text(json.dumps({"messages": turn * 1001}))
    turn[0]["content"] = None
    (somewhere / "mute.jsonl").write_text("\n".join(map(json.dumps, turn)))
    with pytest.raises(InputError) as caught:
        cli.main(words, standalone_mode=False)
    assert says in str(caught.value)


@pytest.fixture
def labels(somewhere):
    """Forty verdicts; the judge differs from the human in eight, ten the other way about."""
    draw = random.Random(1)
    rows = ["id,human,judge"]
    for place in range(40):
        human = draw.random() < 0.6
        judge = human if place % 5 else not human
        rows.append(f"c{place},{'pass' if human else 'fail'},{'pass' if judge else 'fail'}")
    (somewhere / "labels.csv").write_text("\n".join(rows))
    return "labels.csv"


def test_a_judge_is_held_against_people(labels, capsys):
    words = ["judge", "audit", labels, "--resamples", "50"]
    cli.main(words, standalone_mode=False)
    shown = " ".join(capsys.readouterr().out.split())
    assert "judge and human: agreement 80.0" in shown
    assert "self-preference: it takes columns judge_model and author" in shown
    cli.main([*words, "--format", "markdown"], standalone_mode=False)
    assert "| judge and human: agreement | 80.0 |" in capsys.readouterr().out
    cli.main([*words, "--format", "json"], standalone_mode=False)
    body = json.loads(capsys.readouterr().out)
    assert body["with_human"]["raw"]["value"] == pytest.approx(0.8)
    assert (body["kind"], body["labels"]) == ("judge-audit", "verdict")


def test_preferences_show_a_leaning(somewhere, capsys):
    rows = ["id,human,judge,position"]
    rows += [f"p{place},{'a' if place % 2 else 'b'},a,a" for place in range(40)]
    (somewhere / "pairs.csv").write_text("\n".join(rows))
    cli.main(["judge", "audit", "pairs.csv", "--resamples", "50"], standalone_mode=False)
    assert "position bias +50.0" in " ".join(capsys.readouterr().out.split())


def test_the_folder_of_the_card_is_made(somewhere):
    run("scenario", "from-transcript", "bug.jsonl", "-o", "new/bug.yaml", expect=NOT_REPRODUCED)
    run("scenario", "check", "new/bug.yaml")
