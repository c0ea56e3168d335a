"""Requests that contradict themselves cannot be made."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.generation import GenerationRequest

USER = (Message(role="user", content="Where?"),)


@pytest.mark.parametrize("way", [{"labels": ("A", "B")}, {"logprobs": True}, {"embed": True}, {}])
def test_a_request_may_ask_for_any_one_thing(way):
    assert GenerationRequest(messages=USER, max_tokens=1, **way)


@pytest.mark.parametrize(
    "way",
    [
        {"labels": ("A", "B"), "logprobs": True},
        {"labels": ("A", "B"), "embed": True},
        {"logprobs": True, "embed": True},
    ],
)
def test_a_request_asks_for_one_thing(way):
    with pytest.raises(InputError, match=r"one thing.*labels, logprobs and embed"):
        GenerationRequest(messages=USER, max_tokens=1, **way)


def test_an_embedding_is_not_sampled():
    with pytest.raises(InputError, match=r"'n'.*not sampled"):
        GenerationRequest(messages=USER, max_tokens=1, embed=True, n=2)
