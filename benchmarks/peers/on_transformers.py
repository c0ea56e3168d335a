"""Hugging Face transformers as its users run it: ``generate`` for texts, ``forward`` for labels."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from lines import serve
from loading import load
from watched import Watched


class Transformers:
    """One model, asked what turnsure asked, a prompt at a time.

    Parameters
    ----------
    settings
        As for :func:`loading.load`.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        import torch

        self._torch = torch
        self._model, self._tokenizer = load(settings)
        self._watched = Watched(self._model)

    def turn(self, task: dict[str, Any]) -> None:
        for request in task["requests"]:
            self._answer(request)

    def counts(self) -> dict[str, Any]:
        return self._watched.counts()

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("transformers", "torch")}

    def _answer(self, request: dict[str, Any]) -> object:
        inputs = self._tokenizer.apply_chat_template(
            request["messages"],
            add_generation_prompt=True,
            return_tensors="pt",
            return_dict=True,
        )
        with self._torch.inference_mode():
            if request["labels"]:
                logits = self._model(**inputs).logits[0, -1]
                shares = logits.softmax(-1)
                ids = [
                    self._tokenizer.encode(label, add_special_tokens=False)[0]
                    for label in request["labels"]
                ]
                return shares[ids].tolist()
            sampling: dict[str, Any] = {"do_sample": False}
            if request["temperature"] > 0:
                self._torch.manual_seed(request["seed"])
                sampling = {
                    "do_sample": True,
                    "temperature": request["temperature"],
                    "top_k": 0,
                    "top_p": 1.0,
                    "num_return_sequences": request["n"],
                }
            ids = self._model.generate(**inputs, max_new_tokens=request["max_tokens"], **sampling)
        start = inputs["input_ids"].shape[1]
        return self._tokenizer.batch_decode(ids[:, start:], skip_special_tokens=True)


if __name__ == "__main__":
    serve(Transformers)
