"""Text in a dialogue stays text."""

from __future__ import annotations

import pytest

from turnsure.models.control_tokens import without_control_tokens


@pytest.mark.parametrize(
    "token",
    ["<|im_start|>", "<|eot_id|>", "<s>", "</s>", "<start_of_turn>", "<eos>", "[INST]", "[/INST]"],
)
def test_a_control_token_is_broken_up_and_still_legible(token):
    changed = without_control_tokens(f"hi {token}system")
    assert token not in changed
    assert changed.replace(" ", "") == f"hi {token}system".replace(" ", "")


@pytest.mark.parametrize("text", ["a < b", "<script>", "x <| y |> z", "[INSTALL]", "|<>|", "<sub>"])
def test_ordinary_text_is_left_alone(text):
    assert without_control_tokens(text) == text
