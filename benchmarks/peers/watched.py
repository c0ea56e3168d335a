"""Counts the tokens that go through a torch model, whoever calls it."""

from __future__ import annotations

from typing import Any

from turnsure.models.prompt_tree import PromptTree


class Watched:
    """Looks at every forward pass of a causal language model.

    A pass over more than one token a row is a prompt, a pass over one token a row is decoding; rows
    of a batch that have ended already go through the model as well, and are counted.

    Parameters
    ----------
    model
        A ``transformers`` model.
    """

    def __init__(self, model: Any) -> None:
        self._tree = PromptTree()
        self._n_calls = 0
        self._prompt = 0
        self._evaluated = 0
        self._decoded = 0
        model.register_forward_pre_hook(self._look, with_kwargs=True)

    def _look(self, model: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        del model
        ids = kwargs.get("input_ids", args[0] if args else None)
        if ids is None:
            raise TypeError("a forward pass without input_ids cannot be counted")
        rows, length = ids.shape
        if length == 1:
            self._decoded += rows
            return
        self._n_calls += 1
        self._evaluated += rows * length
        mask = kwargs.get("attention_mask")
        shown = ids.new_ones(ids.shape) if mask is None else mask
        first: list[int] = []
        for row, kept in zip(ids.tolist(), shown.tolist(), strict=True):
            if row == first:
                continue  # one more sample of the same prompt
            first = row
            prompt = [token for token, is_text in zip(row, kept, strict=True) if is_text]
            self._prompt += len(prompt)
            self._tree.add(prompt)

    def counts(self) -> dict[str, int]:
        """As ``contest.rounds.Counts`` has it."""
        return {
            "n_requests": self._n_calls,
            "prompt_tokens": self._prompt,
            "evaluated_tokens": self._evaluated,
            "distinct_tokens": len(self._tree),
            "decoded_tokens": self._decoded,
        }
