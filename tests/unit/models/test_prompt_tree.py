"""The least number of prompt tokens that has to be evaluated."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from turnsure.models.prompt_tree import PromptTree

PROMPTS = st.lists(st.lists(st.integers(0, 2), max_size=6), max_size=12)


@given(PROMPTS)
def test_a_node_is_a_prompt_s_beginning(prompts):
    tree = PromptTree()
    added = [tree.add(prompt) for prompt in prompts]
    beginnings = {
        tuple(prompt[:length]) for prompt in prompts for length in range(1, len(prompt) + 1)
    }
    assert len(tree) == sum(added) == len(beginnings)


def test_the_same_token_after_other_tokens_is_another_node():
    tree = PromptTree()
    assert tree.add([1, 2, 3]) == 3
    assert tree.add([1, 2, 4]) == 1
    assert tree.add([2, 3]) == 2
    assert tree.add([1, 2, 3]) == 0
