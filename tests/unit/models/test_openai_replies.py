from __future__ import annotations

import math
from typing import Any

import pytest

from turnsure.core.errors import MalformedResponse, RequestRejected
from turnsure.core.generation import TokenLogprob, Usage
from turnsure.models.openai_replies import read_label_reply, read_texts


def choice(content: Any = "Paris", *, index: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "index": index,
        "message": {"role": "assistant", "content": content},
        "finish_reason": "stop",
        **changes,
    }


def tokens(*items: tuple[str, float]) -> dict[str, Any]:
    top = [{"token": token, "logprob": logprob} for token, logprob in items]
    return {"content": [{**top[0], "top_logprobs": top}]}


def test_texts_come_in_the_order_of_their_index() -> None:
    body = {"choices": [choice("b", index=1), choice("a", index=0), choice("c", index=2)]}
    assert read_texts(body, n=3, seconds=1.5).texts == ("a", "b", "c")


def test_more_than_was_asked_for_is_dropped() -> None:
    body = {"choices": [choice(text, index=place) for place, text in enumerate("abc")]}
    assert read_texts(body, n=2, seconds=0.0).texts == ("a", "b")


@pytest.mark.parametrize(
    ("sent", "read"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "other"), (None, "other")],
)
def test_finish_reasons(sent: str | None, read: str) -> None:
    body = {"choices": [choice(finish_reason=sent)]}
    assert read_texts(body, n=1, seconds=0.0).finish_reasons == (read,)


@pytest.mark.parametrize(
    "message", [{"content": None, "reasoning": "hm"}, {"reasoning": "hm"}, {"content": ""}]
)
def test_reasoning_without_an_answer_is_an_empty_text(message: dict[str, Any]) -> None:
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}
    assert read_texts(body, n=1, seconds=0.0).texts == ("",)


def test_a_refusal_is_a_rejection() -> None:
    message = {"content": None, "refusal": "I can't help with that."}
    body = {"choices": [choice(message=message), choice(message=message)]}
    with pytest.raises(RequestRejected, match="refused to answer: I can't help"):
        read_texts(body, n=2, seconds=0.0)


def test_one_refusal_among_samples_does_not_discard_the_others() -> None:
    refused = choice(index=1, message={"content": None, "refusal": "No."})
    generation = read_texts({"choices": [choice("a"), refused]}, n=2, seconds=0.0)
    assert generation.texts == ("a", "")


@pytest.mark.parametrize(
    "body",
    [
        None, [], "text", {}, {"choices": None}, {"choices": []}, {"choices": [None]},
        {"choices": [{"index": 0}]}, {"choices": [{"message": None}]},
        {"choices": [{"message": 5}]}, {"choices": [{"message": "Paris"}]},
        {"choices": [choice(content=3)]}, {"choices": [choice(content=[{"text": "Paris"}])]},
        {"choices": [choice(logprobs={"content": [{"token": "a"}]})]},
        {"choices": [choice(logprobs={"content": [{"token": "a", "logprob": None}]})]},
        {"choices": [choice(logprobs=tokens(("a", math.nan)))]},
        {"choices": [choice(logprobs=tokens(("a", -(10**400))))]},
        {"choices": [choice(logprobs=tokens(("a", False)))]},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_malformed(body: Any) -> None:
    with pytest.raises(MalformedResponse):
        read_texts(body, n=1, seconds=0.0)


def test_usage_is_read_and_absent_where_it_is_absent() -> None:
    usage = {
        "prompt_tokens": 30,
        "completion_tokens": 4,
        "prompt_tokens_details": {"cached_tokens": 20},
    }
    body = {"choices": [choice()], "usage": usage}
    assert read_texts(body, n=1, seconds=0.0).usage == Usage(
        prompt_tokens=30, cached_tokens=20, completion_tokens=4
    )
    for empty in (None, {}, {"prompt_tokens": None, "prompt_tokens_details": None}, "many"):
        body = {"choices": [choice()], "usage": empty}
        assert read_texts(body, n=1, seconds=0.0).usage == Usage()


def test_timings_of_llama_cpp_are_used_for_a_single_text_only() -> None:
    timings = {"cache_n": 24, "prompt_n": 8, "prompt_ms": 116.5, "predicted_ms": 108.5}
    usage = {"prompt_tokens": 32, "completion_tokens": 3}
    one = read_texts({"choices": [choice()], "usage": usage, "timings": timings}, n=1, seconds=9.0)
    assert one.seconds == pytest.approx(0.225)
    assert one.usage == Usage(prompt_tokens=32, cached_tokens=24, completion_tokens=3)
    two = read_texts(
        {"choices": [choice(), choice(index=1)], "usage": usage, "timings": timings},
        n=2,
        seconds=9.0,
    )
    assert two.seconds == 9.0
    assert two.usage == Usage(prompt_tokens=32, cached_tokens=24, completion_tokens=None)


@pytest.mark.parametrize("odd", [math.nan, math.inf, -1.0, 10**400, True, "fast", None])
def test_a_time_that_is_none_gives_way_to_the_measured_one(odd: Any) -> None:
    timings = {"prompt_ms": odd, "predicted_ms": 0.0}
    body = {"choices": [choice()], "timings": timings}
    assert read_texts(body, n=1, seconds=9.0).seconds == 9.0


def test_the_repeated_beginning_is_taken_off() -> None:
    body = {"choices": [choice("**Paris**")]}
    assert read_texts(body, n=1, seconds=0.0, begun="**").texts == ("Paris**",)


def test_token_logprobs_are_kept_when_every_text_has_them() -> None:
    with_tokens = choice(logprobs=tokens(("Par", -0.5)))
    generation = read_texts({"choices": [with_tokens]}, n=1, seconds=0.0)
    assert generation.token_logprobs == ((TokenLogprob(token="Par", logprob=-0.5),),)
    without = choice(index=1, logprobs=None)
    assert read_texts({"choices": [with_tokens, without]}, n=2, seconds=0.0).token_logprobs == ()


def test_labels_are_read_from_the_first_token() -> None:
    top = tokens(("A", math.log(0.5)), (" B", math.log(0.25)), ("I", -3))
    generation = read_label_reply(("A", "B"), {"choices": [choice("A", logprobs=top)]}, seconds=0.5)
    assert generation.labels is not None
    assert generation.labels.mass == {"A": pytest.approx(0.5), "B": pytest.approx(0.25)}
    assert generation.labels.n_top == 3
    assert (generation.texts, generation.seconds) == ((), 0.5)


@pytest.mark.parametrize(
    "logprobs",
    [
        None, {}, {"content": None}, {"content": []},
        {"content": [{"token": "A", "logprob": -1.0}]},
        {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": []}]},
    ],
)  # fmt: skip
def test_missing_logprobs_are_malformed_and_named(logprobs: Any) -> None:
    with pytest.raises(MalformedResponse, match="no log-probabilities for its first token"):
        read_label_reply(("A", "B"), {"choices": [choice("A", logprobs=logprobs)]}, seconds=0.0)
