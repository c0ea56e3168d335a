"""LM-Polygraph on a transformers model: three of its methods that share what they can."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from lines import serve
from loading import load
from watched import Watched


class Polygraph:
    """Sequence probability, lexical similarity of samples, and P(True), of one prompt at a time.

    Parameters
    ----------
    settings
        As for :func:`loading.load`, and ``max_tokens`` of an answer.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        from lm_polygraph import WhiteboxModel
        from lm_polygraph.utils.generation_parameters import GenerationParameters

        model, tokenizer = load(settings, attn_implementation="eager")
        self._limit = settings["max_tokens"]
        self._model = WhiteboxModel(
            model,
            tokenizer,
            model_path="smollm2",
            instruct=True,
            generation_parameters=GenerationParameters(max_new_tokens=self._limit),
        )
        self._watched = Watched(model)

    def turn(self, task: dict[str, Any]) -> None:
        from lm_polygraph.defaults.register_default_stat_calculators import (
            register_default_stat_calculators,
        )
        from lm_polygraph.estimators import LexicalSimilarity, MaximumSequenceProbability, PTrue
        from lm_polygraph.utils.builder_enviroment_stat_calculator import (
            BuilderEnvironmentStatCalculator,
        )
        from lm_polygraph.utils.dataset import Dataset
        from lm_polygraph.utils.manager import UEManager

        manager = UEManager(
            Dataset([task["prompt"]], [""], batch_size=1),
            self._model,
            [MaximumSequenceProbability(), LexicalSimilarity("rougeL"), PTrue()],
            available_stat_calculators=register_default_stat_calculators("Whitebox"),
            builder_env_stat_calc=BuilderEnvironmentStatCalculator(self._model),
            generation_metrics=[],
            ue_metrics=[],
            processors=[],
            ignore_exceptions=False,
            verbose=False,
            max_new_tokens=self._limit,
        )
        manager()

    def counts(self) -> dict[str, Any]:
        return self._watched.counts()

    def versions(self) -> dict[str, str]:
        return {name: version(name) for name in ("lm_polygraph", "transformers", "torch")}


if __name__ == "__main__":
    serve(Polygraph)
