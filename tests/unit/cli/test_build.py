"""How ``turnsure build`` reaches its two models."""

from __future__ import annotations

import pytest

from turnsure.cli import build
from turnsure.core.errors import InputError


def specs(**flags):
    return build.model_specs(flags)


def test_without_a_guesser_one_model_plays_both_roles_and_is_opened_once(monkeypatch):
    opened = []

    def open_one(spec, *, verbose):
        opened.append(spec)
        return object()

    monkeypatch.setattr("turnsure.cli.execute.open_with_progress", open_one)
    hinter, guesser = specs(hinter="local:a.gguf", context=512)
    assert hinter == guesser
    assert (hinter.model, hinter.context, hinter.slots) == ("local:a.gguf", 512, 1)
    first, second = build.open_models(hinter, guesser, verbose=False)
    assert first is second
    assert opened == [hinter]
    first, second = build.open_models(*specs(guesser="local:b.gguf"), verbose=False)
    assert first is not second


def test_the_default_model_plays_where_none_is_named():
    assert {spec.model for spec in specs()} == {"smollm2-135m"}
    assert [spec.model for spec in specs(guesser="local:b.gguf")] == [
        "smollm2-135m",
        "local:b.gguf",
    ]


def test_addresses_and_keys_hold_for_both_unless_told_of_one():
    hinter, guesser = specs(
        hinter="openai:a", guesser="openai:b", base_url="http://both/v1", guesser_key_env="KEY_B",
        hinter_url="http://one/v1",
    )  # fmt: skip
    assert (hinter.base_url, hinter.api_key_env) == ("http://one/v1", "OPENAI_API_KEY")
    assert (guesser.base_url, guesser.api_key_env) == ("http://both/v1", "KEY_B")


def test_a_guesser_that_is_not_named_is_reached_as_the_hinter_is():
    hinter, guesser = specs(hinter="openai:a", hinter_url="http://one/v1", hinter_key_env="KEY_A")
    assert hinter == guesser
    assert guesser.api_key_env == "KEY_A"


def test_settings_of_the_build_are_none_of_the_models():
    hinter, _ = specs(task="Name it.", limit=3, seed=7, temperature=0.2, answer_tokens=9)
    assert (hinter.task, hinter.limit, hinter.seed) == (None, None, 0)
    with pytest.raises(InputError) as caught:
        specs(concurrency=0)
    assert caught.value.field == "concurrency"
