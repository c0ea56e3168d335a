"""What names say of models and data."""

from __future__ import annotations

import pytest

from turnsure.experiment.model_names import data_label, model_facts, model_label


@pytest.mark.parametrize(
    ("name", "family", "size"),
    [
        ("Qwen2.5-0.5B", "Qwen2.5", "0.5B"),
        ("Qwen2.5-72B-Instruct", "Qwen2.5-Instruct", "72B"),
        ("Qwen2.5-7B-Instruct-Q4_K_M", "Qwen2.5-Instruct", "7B"),
        ("smollm2-135m", "smollm2", "135M"),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "SmolLM2-Instruct", "135M"),
        ("meta-llama/Llama-3.1-8B", "Llama-3.1", "8B"),
        ("qwen2.5:7b", "qwen2.5", "7B"),
        ("gemma-2-9b-it", "gemma-2-it", "9B"),
    ],
)
def test_family_and_size(name, family, size):
    facts = model_facts(name, {})
    assert facts is not None
    assert (facts.family, facts.size) == (family, size)


@pytest.mark.parametrize(
    "name",
    ["gpt-4o", "o3-2025-04-16", "claude-3-haiku-20240307", "phi-3-mini-4k-instruct",
     "mixtral-8x7B", "7B", "smollm"],
)  # fmt: skip
def test_a_size_is_never_guessed(name):
    assert model_facts(name, {}) is None


def test_instructed_models_are_a_family_of_their_own():
    base, told = model_facts("Qwen2.5-7B", {}), model_facts("Qwen2.5-7B-Instruct", {})
    assert base is not None
    assert told is not None
    assert base.family != told.family
    assert base.parameters == told.parameters == 7e9


def test_a_fingerprint_says_what_the_name_does_not():
    facts = model_facts("mine", {"weights": "sha256:1b", "model": "Qwen2.5-3B"})
    assert facts is not None
    assert (facts.family, facts.parameters) == ("Qwen2.5", 3e9)


def test_labels():
    assert model_label("local:/models/Qwen2.5-0.5B.gguf") == "Qwen2.5-0.5B"
    assert model_label("openai:org/name") == "org/name"
    assert model_label("smollm2-135m") == "smollm2-135m"
    assert data_label("countries") == "countries"
    assert data_label("/data/guess/dialogues.jsonl") == "guess"
    assert data_label("/data/twenty.jsonl") == "twenty"
