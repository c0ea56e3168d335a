"""What an experiment hands to every estimator it builds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from turnsure.core.errors import InputError
from turnsure.estimators.templates import Templates

LabelReading = Literal["logprobs", "sampled"]
Grouping = Literal["match", "judge", "embedding"]

_COUNTS = (
    "samples",
    "adaptive_batch",
    "answer_tokens",
    "number_tokens",
    "analysis_tokens",
    "guesses_tokens",
    "guesses",
)

_WIDEST = 0.5
"""Half of all that a share can be."""


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
    adaptive_batch
        How many samples adaptive self-consistency draws between two looks; 1 or more.
    adaptive_half_width, adaptive_level
        It stops when the interval of the share that all m samples would give reaches so far to
        either side, above 0 and at most 0.5, at so much confidence, in (0, 1).
    label_reading
        How probes are read: from log-probabilities, or by counting sampled letters.
    answer_tokens, number_tokens, analysis_tokens, guesses_tokens
        Limits for an answer, a verbalised number, a number after an analysis, and a list of
        guesses.
    answer_logprobs
        Ask for the tokens' log-probabilities with the greedy answer; on when a method needs them,
        so that the answer is asked for once.
    guesses
        k, how many guesses a list has; 1 or more.
    grouping
        How semantic consistency decides which samples mean the same: by ``same_answer``, by asking
        the model, or by the likeness of embeddings.
    embeddings
        Whether the back-end gives embeddings.
    embedding_threshold
        Cosine from which two answers mean the same, above −1 and at most 1.
    read_answer
        Reads the answer out of a reply, None when there is none.
    same_answer
        Whether two answers name the same thing.
    """

    templates: Templates
    samples: int = 20
    temperature: float = 1.0
    adaptive_batch: int = 5
    adaptive_half_width: float = 0.25
    adaptive_level: float = 0.95
    label_reading: LabelReading = "logprobs"
    answer_tokens: int = 64
    number_tokens: int = 48
    analysis_tokens: int = 320
    guesses_tokens: int = 192
    answer_logprobs: bool = False
    guesses: int = 4
    grouping: Grouping = "match"
    embeddings: bool = False
    embedding_threshold: float = 0.9
    read_answer: Callable[[str], str | None]
    same_answer: Callable[[str, str], bool]

    def __post_init__(self) -> None:
        for name in _COUNTS:
            if getattr(self, name) < 1:
                raise InputError(f"{name} is below 1", field=name, expected="1 or more")
        if self.temperature <= 0:
            raise InputError(
                "sampling at temperature 0 draws the same text each time",
                field="temperature",
                expected="above 0",
            )
        if not 0 < self.adaptive_half_width <= _WIDEST:
            raise InputError(
                f"adaptive_half_width is {self.adaptive_half_width}",
                field="adaptive_half_width",
                expected=f"above 0 and at most {_WIDEST}",
            )
        if not 0 < self.adaptive_level < 1:
            raise InputError(
                f"adaptive_level is {self.adaptive_level}",
                field="adaptive_level",
                expected="above 0 and below 1",
            )
        if not -1 < self.embedding_threshold <= 1:
            raise InputError(
                f"embedding_threshold is {self.embedding_threshold}",
                field="embedding_threshold",
                expected="a cosine above -1 and at most 1",
            )
        if self.grouping not in get_args(Grouping):
            raise InputError(
                f"there is no grouping {self.grouping!r}",
                field="grouping",
                expected=", ".join(get_args(Grouping)),
            )
