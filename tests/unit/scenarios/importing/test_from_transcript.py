from __future__ import annotations

import json
from dataclasses import replace

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.assistants.fixture_tools import FixtureTools, tool_plans
from turnsure.scenarios.cards import read_cards
from turnsure.scenarios.importing.conversations import read_conversations
from turnsure.scenarios.importing.from_transcript import CardParts, freeze
from turnsure.scenarios.importing.redaction import Redactor
from turnsure.scenarios.importing.reproducing import reproduces

W2 = {"id": "W2", "rent": 31000, "area": "Wakad"}
B1 = {"id": "B1", "rent": 24000, "area": "Baner"}
PARTS = CardParts(
    persona="A renter.",
    sets={1: {"max_rent": 25000}},
    items=[{"from": "tool_result", "tool": "find"}],
    checks=[
        {
            "name": "budget",
            "expression": "item.rent <= rules.max_rent",
            "say": "{item.id} is over budget",
        }
    ],
)


def search(number, results, **arguments):
    written = json.dumps(arguments)
    call = {"id": f"c{number}", "function": {"name": "find", "arguments": written}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": json.dumps(results)},
    ]


def conversation(tmp_path, messages=None, **more):
    said = messages or [
        {"role": "user", "content": "A flat in Baner, Rs 25,000 at most.\nMail ann@example.org."},
        *search(1, [B1], area="Baner", to="ann@example.org"),
        {"role": "assistant", "content": "B1, sent to ann@example.org."},
        {"role": "user", "content": "Anything in Wakad?"},
        *search(2, [W2], area="Wakad"),
        {"role": "assistant", "content": "W2."},
    ]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps({"id": "pune", "messages": said, **more}))
    return read_conversations(file)[0]


def test_a_card_can_be_read_and_shows_that_it_finds_the_bug(tmp_path):
    frozen = freeze(conversation(tmp_path), PARTS)
    found = reproduces(frozen.scenario, frozen.transcript, turn=2)
    assert found.reproduced
    assert found.sentence == "reproduced. Turn 2: W2 is over budget"
    assert found.wanted[0].failure == "forgotten_constraint"
    file = tmp_path / "pune.yaml"
    file.write_text(frozen.card)
    assert read_cards(file) == [frozen.scenario]
    assert frozen.card.startswith("# Made from a real conversation.")


def test_a_bug_that_is_not_found_is_said_not_to_be(tmp_path):
    frozen = freeze(conversation(tmp_path), PARTS)
    elsewhere = reproduces(frozen.scenario, frozen.transcript, turn=1)
    assert not elsewhere.reproduced
    assert elsewhere.sentence == (
        "not reproduced: the checks find nothing at turn 1, but: Turn 2: W2 is over budget"
    )
    other = reproduces(frozen.scenario, frozen.transcript, failure="repetition")
    assert other.sentence.startswith("not reproduced: the checks find no repetition, but:")
    mended = replace(PARTS, sets={1: {"max_rent": 40000}})
    fine = freeze(conversation(tmp_path), mended)
    assert reproduces(fine.scenario, fine.transcript).sentence == (
        "not reproduced: the checks find nothing"
    )


def test_a_check_that_had_nothing_to_look_at_reproduces_nothing(tmp_path):
    frozen = freeze(conversation(tmp_path), replace(PARTS, items=[]))
    found = reproduces(frozen.scenario, frozen.transcript)
    assert [one.standing for one in found.findings] == ["idle"]
    assert not found.reproduced


def test_user_messages_become_the_script_and_results_the_fixtures(tmp_path):
    frozen = freeze(conversation(tmp_path), PARTS)
    assert [(one.id, one.turn) for one in frozen.scenario.reveals] == [("turn-1", 1), ("turn-2", 2)]
    assert frozen.scenario.reveals[1].say == "Anything in Wakad?"
    assert frozen.scenario.limits.turns == 2
    tools = FixtureTools(plans=tool_plans(frozen.scenario), tables={})
    assert json.loads(tools.serve("find", '{"area": "Wakad"}')) == [W2]
    assert json.loads(tools.serve("find", '{"to": "[e-mail 1]", "area": "Baner"}')) == [B1]
    assert tools.take_unserved() == ()
    tools.serve("find", '{"area": "Aundh"}')
    assert len(tools.take_unserved()) == 1


def test_equal_calls_get_their_results_in_order(tmp_path):
    said = [
        {"role": "user", "content": "Is it free?"},
        *search(1, "no", day="Monday"),
        *search(2, "yes", day="Monday"),
        {"role": "assistant", "content": "Now it is."},
    ]
    frozen = freeze(conversation(tmp_path, said))
    tools = FixtureTools(plans=tool_plans(frozen.scenario), tables={})
    assert [tools.serve("find", '{"day": "Monday"}') for _ in range(3)] == ["no", "yes", "yes"]


def test_personal_data_stands_nowhere(tmp_path):
    frozen = freeze(conversation(tmp_path), PARTS)
    assert "example.org" not in frozen.card
    assert "example.org" not in repr(frozen.transcript)
    assert frozen.n_redacted["e-mail"] == 1
    open_ = freeze(conversation(tmp_path), PARTS, redactor=Redactor(builtin=False))
    assert open_.card.count("ann@example.org") == 2


def test_tools_keep_their_descriptions_and_calls_without_result_are_named(tmp_path):
    told = {"name": "find", "description": "Finds flats.", "parameters": {"type": "object"}}
    said = [
        {"role": "user", "content": "Find one."},
        {
            "role": "assistant",
            "content": "A moment.",
            "tool_calls": [
                {"id": "a", "function": {"name": "find", "arguments": "{broken"}},
                {"id": "b", "function": {"name": "book", "arguments": "{}"}},
            ],
        },
        {"role": "user", "content": "Hello?"},
    ]
    frozen = freeze(conversation(tmp_path, said, tools=[{"function": told}]))
    assert frozen.scenario.tools["find"]["description"] == "Finds flats."
    assert [one.name for one in frozen.scenario.checks] == ["same-facts", "rejected", "tools"]
    assert frozen.left_out == (
        "the user's last message, which has no reply",
        "a call of find at turn 1 without readable arguments",
        "a call of book at turn 1 without result",
    )


@pytest.mark.parametrize(
    ("parts", "what"),
    [
        (CardParts(sets={3: {"x": 1}}), "there is no turn 3"),
        (CardParts(rejects={0: ["W2"]}), "there is no turn 0"),
        (CardParts(checks=[{"name": "x", "expression": "item.rent <"}]), "checks[0]"),
        (CardParts(checks=[{"name": "x", "expression": "rules.rent > 1"}]), "no reveal sets"),
    ],
)
def test_parts_that_do_not_fit_are_refused(tmp_path, parts, what):
    with pytest.raises(InputError) as error:
        freeze(conversation(tmp_path), parts)
    assert what in str(error.value)


@pytest.mark.shared
def test_real_conversations_become_cards_whose_tools_answer_every_call(shared_data, tmp_path):
    runs = json.loads((shared_data / "tau_bench" / "gpt-4o-airline.json").read_text())
    file = tmp_path / "talks.jsonl"
    lines = [json.dumps({"id": f"t{k}", "messages": one["traj"]}) for k, one in enumerate(runs[:6])]
    file.write_text("\n".join(lines))
    for talk in read_conversations(file):
        frozen = freeze(talk)
        tools = FixtureTools(plans=tool_plans(frozen.scenario), tables={})
        for message in frozen.transcript.messages:
            for call in message.tool_calls:
                tools.serve(call.name, call.arguments)
        assert tools.take_unserved() == ()
        assert "@" not in frozen.card
