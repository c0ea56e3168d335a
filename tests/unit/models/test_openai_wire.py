from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError
from turnsure.core.generation import GenerationRequest
from turnsure.models.openai_wire import (
    DIALECTS,
    Dialect,
    Style,
    dialect_named,
    label_body,
    text_body,
)

USER = (Message(role="user", content="Where?"),)
BEGUN = (*USER, Message(role="assistant", content="**"))


def style(dialect: Dialect = "openai", **changes: Any) -> Style:
    return Style(model="m", dialect=dialect, **changes)


def request(**changes: Any) -> GenerationRequest:
    return GenerationRequest(**{"messages": USER, "max_tokens": 8, **changes})


def test_a_hosted_service_gets_the_common_fields_and_nothing_else() -> None:
    assert text_body(style(), request(temperature=1.0), first=0, n=1) == {
        "model": "m",
        "messages": [{"role": "user", "content": "Where?"}],
        "max_tokens": 8,
        "temperature": 1.0,
        "top_p": 1.0,
    }


def test_n_stop_and_seed_are_sent_when_there_is_something_to_send() -> None:
    body = text_body(style(seed=True), request(stop=("\n",), seed=5, n=20), first=4, n=3)
    assert (body["n"], body["stop"], body["seed"]) == (3, ["\n"], 9)


def test_a_seed_stays_in_range() -> None:
    body = text_body(style(seed=True), request(seed=2**31 - 1), first=2, n=1)
    assert body["seed"] == 1


@pytest.mark.parametrize(
    ("dialect", "extra"),
    [
        ("openai", {}),
        ("ollama", {}),
        ("llama.cpp", {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0}),
        ("vllm", {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}),
        ("sglang", {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}),
    ],
)
def test_each_dialect_is_told_not_to_cut_the_distribution(
    dialect: Dialect, extra: dict[str, float]
) -> None:
    common = text_body(style("openai"), request(), first=0, n=1)
    assert text_body(style(dialect), request(), first=0, n=1) == common | extra


def test_the_newer_limit_field_replaces_the_older() -> None:
    body = text_body(style(limit_field="max_completion_tokens"), request(), first=0, n=1)
    assert body["max_completion_tokens"] == 8
    assert "max_tokens" not in body


def test_a_label_request_asks_for_one_greedy_token_with_its_neighbours() -> None:
    body = label_body(style("vllm"), USER, ("A", "B"), top_logprobs=20)
    assert (body["max_tokens"], body["temperature"]) == (1, 0.0)
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    assert "grammar" not in body


def test_llama_cpp_is_kept_from_half_characters_by_a_grammar() -> None:
    body = label_body(style("llama.cpp"), USER, ("A", 'say "B"'), top_logprobs=100)
    assert body["grammar"] == r'root ::= "A" | "say \"B\""'


@pytest.mark.parametrize(
    ("dialect", "extra"),
    [("openai", {}), ("vllm", {}), ("llama.cpp", {"top_logprobs": 1})],
)
def test_log_probabilities_of_a_text_are_those_of_its_own_tokens(
    dialect: Dialect, extra: dict[str, int]
) -> None:
    plain = text_body(style(dialect), request(), first=0, n=1)
    asked = text_body(style(dialect), request(logprobs=True), first=0, n=1)
    assert asked == plain | {"logprobs": True} | extra


@pytest.mark.parametrize(
    ("dialect", "extra"),
    [
        ("openai", {}),
        ("llama.cpp", {}),
        ("vllm", {"add_generation_prompt": False, "continue_final_message": True}),
        ("sglang", {"continue_final_message": True}),
    ],
)
def test_a_begun_reply_is_continued(dialect: Dialect, extra: dict[str, bool]) -> None:
    begun = text_body(style(dialect), request(messages=BEGUN), first=0, n=1)
    plain = text_body(style(dialect), request(), first=0, n=1)
    assert begun.pop("messages") != plain.pop("messages")
    assert begun == plain | extra


def test_tool_results_name_the_calls_they_answer() -> None:
    calls = tuple(ToolCall(id=f"c{k}", name="look", arguments='{"at": 1}') for k in (1, 2))
    messages = (
        *USER,
        Message(role="assistant", content="", tool_calls=calls),
        Message(role="tool", content="first"),
        Message(role="tool", content="second"),
    )
    written = text_body(style(), request(messages=messages), first=0, n=1)["messages"]
    assert written == [
        {"role": "user", "content": "Where?"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {
                    "id": f"c{k}",
                    "type": "function",
                    "function": {"name": "look", "arguments": '{"at": 1}'},
                }
                for k in (1, 2)
            ],
        },
        {"role": "tool", "content": "first", "tool_call_id": "c1"},
        {"role": "tool", "content": "second", "tool_call_id": "c2"},
    ]


def test_dialects_by_name() -> None:
    assert dialect_named("auto") is None
    assert [dialect_named(name) for name in DIALECTS] == list(DIALECTS)
    with pytest.raises(InputError, match=r"no dialect 'vLLM' \(expected auto or one of openai, "):
        dialect_named("vLLM")


def test_llama_cpp_is_told_not_to_use_its_cache() -> None:
    forgetful = replace(style("llama.cpp"), cached=False)
    assert text_body(forgetful, request(), first=0, n=1)["cache_prompt"] is False
    assert "cache_prompt" not in text_body(style("llama.cpp"), request(), first=0, n=1)
    others = replace(forgetful, dialect="vllm")
    assert "cache_prompt" not in text_body(others, request(), first=0, n=1)
