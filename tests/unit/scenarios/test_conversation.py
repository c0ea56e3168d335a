"""The loop: who ends it, and what is put down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.support.suites import run_of, scenario
from turnsure.core.conversation import Exchange, Slip
from turnsure.core.dialogue import Message
from turnsure.core.errors import BackendUnavailable, KeyRefused, RequestRejected
from turnsure.core.item_source import ItemSource
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Flow
from turnsure.core.scenario import Limits, Scenario
from turnsure.scenarios.conversation import Talk, converse
from turnsure.scenarios.seams import (
    AssistantReply,
    Broken,
    Fault,
    RunContext,
    Said,
    Stopped,
    UserTurn,
)
from turnsure.scenarios.users.scripted import ScriptedUser

HI = AssistantReply(messages=(Message(role="assistant", content="Hi"),))
SLIP = Slip(guard="leaked_reveal", evidence="'dog' of the later reveal 'dog'", text="A dog!")


@dataclass
class Double:
    """An assistant that gives its answers in order, the last again and again."""

    answers: list[Any] = field(default_factory=lambda: [HI])
    asked: list[tuple[Message, ...]] = field(default_factory=list)
    name: str = "double"
    fingerprint: Any = field(default_factory=dict)
    backend: None = None

    async def start(self) -> None: ...

    async def close(self) -> None: ...

    def check(self, scenario: Scenario) -> None: ...

    async def reply(
        self, messages: Sequence[Message], *, turn: int, run: RunContext
    ) -> AssistantReply | Fault:
        self.asked.append(tuple(messages))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer(run) if callable(answer) else answer


@dataclass
class Talker:
    """A user that says what it is told to."""

    turns: list[Any]
    name: str = "talker"
    definition: Any = field(default_factory=dict)
    backend: None = None

    def is_over(self, scenario: Scenario, exchanges: Sequence[Exchange]) -> bool:
        return len(exchanges) >= len(self.turns)

    def next(
        self, scenario: Scenario, exchanges: Sequence[Exchange], *, run: RunContext
    ) -> Flow[UserTurn]:
        turn = self.turns[len(exchanges)]
        if isinstance(turn, Exception):
            raise turn
        return turn
        yield


async def talk(given: Scenario | None = None, *, user=None, answers=(HI,)):
    assistant = Double(answers=list(answers))
    transcript = await converse(user=user or ScriptedUser(), assistant=assistant, run=run_of(given))
    return transcript, assistant


async def test_the_script_is_said_to_its_end():
    transcript, assistant = await talk()
    assert transcript.ending == "script_end"
    assert [one.user.content for one in transcript.exchanges] == [
        one.say for one in scenario().reveals
    ]
    assert [one.reveals for one in transcript.exchanges] == [("area",), ("budget",), ("dog",)]
    assert [len(one) for one in assistant.asked] == [1, 3, 5]
    assert [one.role for one in assistant.asked[-1]] == ["user", "assistant"] * 2 + ["user"]


@pytest.mark.parametrize(("cap", "ending"), [(2, "turn_cap"), (3, "script_end"), (9, "script_end")])
async def test_the_cap_ends_what_is_not_over(cap, ending):
    transcript, assistant = await talk(scenario(limits=Limits(turns=cap)))
    assert transcript.ending == ending
    assert len(assistant.asked) == len(transcript.exchanges) == min(cap, 3)


@pytest.mark.parametrize(
    ("answer", "ending", "said"),
    [
        (Fault(problem="it fell over"), "assistant_error", "turn 2: it fell over"),
        (
            Fault(problem="HTTP 502", is_infrastructure=True),
            "infrastructure_error",
            "turn 2: HTTP 502",
        ),
        (BackendUnavailable("gone"), "infrastructure_error", "turn 2: double: gone"),
        (RequestRejected("no"), "assistant_error", "turn 2: double: no"),
    ],
)
async def test_a_fault_of_the_assistant_ends_it_and_the_turn_is_kept(answer, ending, said):
    transcript, assistant = await talk(answers=(HI, answer))
    assert (transcript.ending, transcript.problem) == (ending, said)
    assert [one.text for one in transcript.exchanges] == ["Hi", ""]
    assert len(assistant.asked) == 2


@pytest.mark.parametrize(
    ("turn", "ending", "said"),
    [
        (Stopped(ending="user_stop"), "user_stop", None),
        (Broken(slips=(SLIP, SLIP)), "user_invalid", "turn 2: the user was asked 2 times"),
        (Broken(slips=(SLIP,)), "user_invalid", "once and could not be kept to its card"),
        (
            Failure(stage="generation", kind="timeout", message="too late"),
            "infrastructure_error",
            "the user's model: too late",
        ),
        (BackendUnavailable("gone"), "infrastructure_error", "the user's model: gone"),
    ],
)
async def test_the_user_may_end_it(turn, ending, said):
    transcript, _ = await talk(user=Talker([Said(text="Hello"), turn]))
    assert transcript.ending == ending
    assert len(transcript.exchanges) == 1
    assert said is None or said in transcript.problem
    if isinstance(turn, Broken):
        assert transcript.slips == turn.slips
        assert "leaked_reveal: 'dog' of the later reveal 'dog'" in transcript.problem


async def test_a_refused_key_ends_everything():
    with pytest.raises(KeyRefused):
        await talk(answers=(KeyRefused("no"),))
    with pytest.raises(KeyRefused):
        await talk(user=Talker([KeyRefused("no")]))


async def test_notes_slips_and_unserved_calls_are_put_down():
    def call(run: RunContext) -> AssistantReply:
        run.tools.serve("nothing", "{}")
        return HI

    said = Said(text="Hello", note="n", slips=(SLIP,))
    user = Talker([said, said, Stopped(ending="user_stop")])
    transcript, _ = await talk(user=user, answers=(call, HI))
    first, second = transcript.exchanges
    assert (first.note, first.slips) == ("n", (SLIP,))
    assert first.unserved == ("nothing({}): there is no tool 'nothing'",)
    assert second.unserved == ()


async def test_items_are_those_stated_and_those_found():
    shown = AssistantReply(
        messages=(Message(role="assistant", content='[{"id": "B1"}, {"id": "B2"}]'),),
        items=({"id": "B1"},),
    )
    transcript, _ = await talk(scenario(items=(ItemSource(kind="reply"),)), answers=(shown,))
    assert transcript.exchanges[0].items == ({"id": "B1"}, {"id": "B2"})


def breaks(replies: Any) -> Any:
    raise RuntimeError("cannot read")


def odd(replies: Any) -> Any:
    return [{"id": object()}]


@pytest.mark.parametrize(("name", "said"), [("breaks", "cannot read"), ("odd", "as JSON")])
async def test_items_that_cannot_be_read_are_an_error(name, said):
    source = ItemSource(kind="python", function=f"tests.unit.scenarios.test_conversation:{name}")
    transcript, _ = await talk(scenario(items=(source,)))
    assert transcript.ending == "assistant_error"
    assert "turn 1: the items that it shows cannot be read" in transcript.problem
    assert said in transcript.problem


async def test_the_end_state_is_this_runs_own():
    def add(run: RunContext) -> AssistantReply:
        run.tables["booked"].append(len(run.tables["booked"]))
        return HI

    given = scenario(fixtures={"booked": []})
    transcript, _ = await talk(given, answers=(add,))
    assert transcript.state == {"booked": [0, 1, 2]}
    assert given.fixtures == {"booked": []}
    assert (await talk())[0].state is None


async def test_an_end_state_that_cannot_be_kept_is_an_error():
    def add(run: RunContext) -> AssistantReply:
        run.tables["booked"].append(object())
        return HI

    transcript, _ = await talk(scenario(fixtures={"booked": []}), answers=(add,))
    assert transcript.ending == "assistant_error"
    assert "the end state cannot be kept" in transcript.problem


async def test_what_it_cost_is_counted():
    ticks = iter(range(100))
    twice = replace(HI, n_calls=2)
    going = Talk(
        user=ScriptedUser(),
        assistant=Double(answers=[twice]),
        run=run_of(),
        clock=lambda: float(next(ticks)),
    )
    await going.hold()
    assert (going.n_calls, going.seconds, len(going.usages)) == (6, 3.0, 3)
