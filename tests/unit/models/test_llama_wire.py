"""Requests and replies of the embedded engine, without the engine."""

from __future__ import annotations

from dataclasses import replace

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import (
    BackendUnavailable,
    ContextOverflow,
    MalformedResponse,
    RequestRejected,
)
from turnsure.core.generation import GenerationRequest
from turnsure.models.llama_wire import (
    engine_error,
    label_body,
    read_label_reply,
    read_text_reply,
    text_body,
)

REQUEST = GenerationRequest(
    messages=(Message(role="user", content="Say <|im_end|> hi"),), max_tokens=9, temperature=1.0
)


def choice(text, index=0, reason="stop"):
    return {"index": index, "finish_reason": reason, "message": {"content": text}}


def test_samples_are_drawn_from_the_whole_distribution():
    body = text_body(REQUEST, n=3, seed=7)
    assert (body["top_k"], body["top_p"], body["min_p"]) == (0, 1.0, 0.0)
    assert (body["n"], body["seed"], body["temperature"]) == (3, 7, 1.0)


def test_control_tokens_in_a_dialogue_are_text():
    assert "<|im_end|>" not in str(text_body(REQUEST, n=1, seed=0)["messages"])


def test_every_request_goes_to_the_same_slot_and_uses_its_cache():
    for body in (text_body(REQUEST, n=1, seed=0), label_body(REQUEST, ("A", "B"))):
        assert body["id_slot"] == 0
        assert body["cache_prompt"] is True


def test_a_label_request_lists_many_tokens_and_admits_only_labels():
    body = label_body(REQUEST, ("A", 'B"'))
    assert body["grammar"] == 'root ::= "A" | "B\\""'
    assert body["top_logprobs"] >= 20
    assert body["max_tokens"] == 1


def test_stop_strings_are_handed_on():
    assert text_body(replace(REQUEST, stop=("\n",)), n=1, seed=0)["stop"] == ["\n"]


def test_texts_come_in_the_order_of_their_index():
    reply = {"choices": [choice("b", 1, "length"), choice("a", 0), choice(None, 2, "eos?")]}
    generation = read_text_reply(REQUEST, reply)
    assert generation.texts == ("a", "b", "")
    assert generation.finish_reasons == ("stop", "length", "other")


def test_the_prefill_is_not_part_of_the_text():
    begun = replace(REQUEST, messages=(*REQUEST.messages, Message(role="assistant", content="**")))
    assert read_text_reply(begun, {"choices": [choice("**A")]}).texts == ("A",)


ASKED = replace(REQUEST, logprobs=True)


def listed(*pairs):
    return {"content": [{"token": token, "logprob": logprob} for token, logprob in pairs]}


def test_log_probabilities_are_asked_for_with_one_neighbour():
    body = text_body(ASKED, n=1, seed=0)
    assert (body.pop("logprobs"), body.pop("top_logprobs")) == (True, 1)
    assert body == text_body(REQUEST, n=1, seed=0)


def test_the_tokens_of_every_text_are_kept_in_order():
    second = {**choice("b", 1), "logprobs": listed(("b", -0.25))}
    first = {**choice("Pe"), "logprobs": listed(("P", -0.5), ("e", -1), ("", -0.1))}
    generation = read_text_reply(ASKED, {"choices": [second, first]})
    spelled = [[(one.token, one.logprob) for one in text] for text in generation.token_logprobs]
    assert spelled == [[("P", -0.5), ("e", -1.0), ("", -0.1)], [("b", -0.25)]]


@pytest.mark.parametrize("logprobs", [None, {}, {"content": None}, {"content": []}])
def test_log_probabilities_that_vanished_cost_no_text(logprobs):
    generation = read_text_reply(ASKED, {"choices": [{**choice("a"), "logprobs": logprobs}]})
    assert (generation.texts, generation.token_logprobs) == (("a",), ())


@pytest.mark.parametrize("item", [{"token": "a"}, {"token": "a", "logprob": "x"}, "a"])
def test_a_token_without_its_log_probability_is_malformed(item):
    reply = {"choices": [{**choice("a"), "logprobs": {"content": [item]}}]}
    with pytest.raises(MalformedResponse):
        read_text_reply(ASKED, reply)
    assert read_text_reply(REQUEST, reply).token_logprobs == ()


def test_completion_tokens_are_unknown_for_several_samples():
    usage = {
        "prompt_tokens": 5, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 4}
    }  # fmt: skip
    one = read_text_reply(REQUEST, {"choices": [choice("a")], "usage": usage})
    two = read_text_reply(REQUEST, {"choices": [choice("a"), choice("b", 1)], "usage": usage})
    assert (one.usage.prompt_tokens, one.usage.cached_tokens) == (5, 4)
    assert one.usage.completion_tokens == 3
    assert two.usage.completion_tokens is None


@pytest.mark.parametrize("reply", [{}, {"choices": [{}]}, {"choices": [{"index": 0}]}])
def test_a_reply_without_its_fields_is_malformed(reply):
    with pytest.raises(MalformedResponse):
        read_text_reply(REQUEST, reply)


@pytest.mark.parametrize(
    "logprobs",
    [None, {"content": []}, {"content": [{"top_logprobs": [{"token": "A", "logprob": None}]}]}],
)
def test_missing_log_probabilities_are_malformed(logprobs):
    with pytest.raises(MalformedResponse, match="log-probabilities"):
        read_label_reply(("A", "B"), {"choices": [{"logprobs": logprobs}]})


def test_labels_are_read_from_the_first_token():
    top = [{"token": "A", "logprob": -0.5}, {"token": " B", "logprob": -1.5}]
    reply = {"choices": [{"logprobs": {"content": [{"top_logprobs": top}]}}]}
    reading = read_label_reply(("A", "B"), reply).labels
    assert reading is not None
    assert reading.probability("A") == pytest.approx(0.7310585786)


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (
            {"type": "exceed_context_size_error", "n_prompt_tokens": 99, "n_ctx": 50},
            ContextOverflow,
            "99 tokens and the context 50",
        ),
        ({"code": 400, "message": "bad field"}, RequestRejected, "bad field"),
        ({"type": "exception", "message": "oops"}, BackendUnavailable, "oops"),
        ("just text", BackendUnavailable, "just text"),
    ],
)
def test_both_kinds_of_engine_error_become_ours(error, kind, says):
    made = engine_error(error)
    assert isinstance(made, kind)
    assert says in str(made)
