"""What an experiment hands to every estimator it builds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from turnsure.core.errors import InputError
from turnsure.estimators.templates import Templates

LabelReading = Literal["logprobs", "sampled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatorSettings:
    """Shared by all methods; each takes what it needs.

    Attributes
    ----------
    templates
        The prompts.
    samples
        m, how many answers self-consistency draws, and how many letters a probe draws when it is
        read by sampling; 1 or more.
    temperature
        Of those samples, above 0.
    label_reading
        How probes are read: from log-probabilities, or by counting sampled letters.
    answer_tokens, number_tokens, analysis_tokens
        Limits for an answer, a verbalised number, and a number after an analysis.
    read_answer
        Reads the answer out of a reply, None when there is none.
    same_answer
        Whether two answers name the same thing.
    """

    templates: Templates
    samples: int = 20
    temperature: float = 1.0
    label_reading: LabelReading = "logprobs"
    answer_tokens: int = 64
    number_tokens: int = 48
    analysis_tokens: int = 320
    read_answer: Callable[[str], str | None]
    same_answer: Callable[[str, str], bool]

    def __post_init__(self) -> None:
        for name in ("samples", "answer_tokens", "number_tokens", "analysis_tokens"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is below 1", field=name, expected="1 or more")
        if self.temperature <= 0:
            raise InputError(
                "sampling at temperature 0 draws the same text each time",
                field="temperature",
                expected="above 0",
            )
