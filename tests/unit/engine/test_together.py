"""Flows driven side by side."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.flows import drive, texts
from turnsure.core.dialogue import Message
from turnsure.core.generation import GenerationRequest
from turnsure.core.protocols import Flow
from turnsure.engine.together import together


def request(text: str) -> GenerationRequest:
    return GenerationRequest(messages=(Message(role="user", content=text),), max_tokens=1)


def asks(*steps: Sequence[str]) -> Flow[str]:
    heard: list[str] = []
    for step in steps:
        replies = yield [request(text) for text in step]
        heard += [reply.texts[0] for reply in replies]
    return "+".join(heard)


def echo(asked: GenerationRequest):
    return texts(asked.messages[0].content.upper())


def test_requests_of_one_step_form_one_batch_in_order():
    flow = together([asks(["a", "b"]), asks(["c"])])
    batch = next(flow)
    assert [one.messages[0].content for one in batch] == ["a", "b", "c"]


def test_each_flow_gets_its_own_replies_whatever_their_lengths():
    flow = together([asks(["a"], ["b", "c"]), asks(), asks(["d"]), asks(["e"], ["f"], ["g"])])
    result, asked = drive(flow, echo)
    assert result == ["A+B+C", "", "D", "E+F+G"]
    assert [one.messages[0].content for one in asked] == ["a", "d", "e", "b", "c", "f", "g"]


def test_no_flows_ask_nothing():
    assert drive(together([]), echo) == ([], [])
