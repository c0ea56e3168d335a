"""What a run is asked to do, and the protocol that its scores are measured under."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from turnsure.core.digest import digest
from turnsure.core.errors import InputError

DEFAULT_METHODS = ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient")
DEFAULT_SAMPLES = 20

_MOST = {"samples": 10_000, "slots": 1_000, "bins": 10_000, "resamples": 1_000_000}
_LEAST = {
    "concurrency": 1,
    "top_logprobs": 0,
    "max_n": 1,
    "context": 256,
    "slots": 1,
    "threads": 0,
    "gpu_layers": 0,
    "samples": 1,
    "answer_tokens": 1,
    "number_tokens": 1,
    "analysis_tokens": 1,
    "limit": 1,
    "bins": 1,
    "resamples": 1,
    "seed": 0,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """Everything a run is told; what flags, config files and ``run.json`` hold.

    Attributes
    ----------
    data
        A file of dialogues, or the name of a built-in world.
    model
        ``smollm2-135m``, ``local:FILE.gguf`` or ``openai:NAME``.
    base_url, api_key_env, dialect, timeout, concurrency
        For endpoints: address, the environment variable with the key, the server's flavour,
        seconds per request, dialogues in flight.
    top_logprobs, max_n, seeding, prefill
        What an endpoint can do; None to find out by asking it.
    context, slots, threads, gpu_layers
        For embedded models: tokens for a prompt and its reply, samples drawn side by side, 0
        threads for all cores, layers put on a GPU.
    methods, gold
        Estimators by name, and whether the confidence in the gold answer is asked for as well.
    samples, temperature, label_reading
        m of self-consistency, its temperature, and how label probes are read.
    answer_tokens, number_tokens, analysis_tokens
        Token limits of an answer, a verbalised number, and a number after an analysis.
    render
        The dialogue as one text, or as chat messages.
    templates
        A file that replaces prompts.
    task
        The task for dialogues that name none.
    limit
        How many dialogues at most.
    seed
        Of sampling, of a world's dialogues and of the bootstrap.
    bins, resamples
        Of InfoECE and ECE, and of the bootstrap.
    """

    data: str = "countries"
    model: str = "smollm2-135m"
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    dialect: str = "auto"
    timeout: float = 120.0
    concurrency: int = 8
    top_logprobs: int | None = None
    max_n: int | None = None
    seeding: bool | None = None
    prefill: bool | None = None
    context: int = 2048
    slots: int = 20
    threads: int = 0
    gpu_layers: int = 0
    methods: tuple[str, ...] = DEFAULT_METHODS
    gold: bool = True
    samples: int = DEFAULT_SAMPLES
    temperature: float = 1.0
    label_reading: Literal["logprobs", "sampled"] = "logprobs"
    answer_tokens: int = 64
    number_tokens: int = 48
    analysis_tokens: int = 320
    render: Literal["transcript", "chat"] = "transcript"
    templates: str | None = None
    task: str | None = None
    limit: int | None = None
    seed: int = 0
    bins: int = 10
    resamples: int = 2000

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            if getattr(self, name) > most:
                raise InputError(
                    f"{name} is {getattr(self, name)}", field=name, expected=f"{most} or less"
                )
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name} is {value}", field=name, expected=f"{least} or more")
        for name in ("timeout", "temperature"):
            if not 0 < getattr(self, name) < math.inf:
                raise InputError(f"{name} is {getattr(self, name)}", field=name, expected="above 0")
        if not self.methods:
            raise InputError("no method is named", field="methods", expected="one or more")
        twice = [name for name, n in Counter(self.methods).items() if n > 1]
        if twice:
            raise InputError(f"{twice[0]!r} is named twice", field="methods", expected="each once")


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """What makes a score what it is.  Scores of two digests are never pooled silently.

    Attributes
    ----------
    model
        The back-end's fingerprint.
    rendering
        Style and wording of the dialogue.
    answer
        How the answer is asked for and graded.
    estimators
        Each method's definition.
    package
        Version of turnsure.
    """

    model: Mapping[str, str]
    rendering: Mapping[str, str]
    answer: Mapping[str, str]
    estimators: Mapping[str, Mapping[str, str]]
    package: str

    @property
    def body(self) -> dict[str, object]:
        """As plain JSON values."""
        return {
            "model": dict(self.model),
            "rendering": dict(self.rendering),
            "answer": dict(self.answer),
            "estimators": {name: dict(parts) for name, parts in self.estimators.items()},
            "package": self.package,
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the body, in hexadecimal."""
        return digest(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCalls:
    """What one method or step would ask, found out without asking.

    Attributes
    ----------
    tag
        The step or method.
    n_requests
        Requests; those that repeat an earlier one or are in the store are counted apart.
    n_kept
        Of these, answered by the store or by an equal request.
    prompt_tokens
        Estimated, from the characters of the prompts.
    completion_tokens
        Upper bound, from the limits.
    """

    tag: str
    n_requests: int
    n_kept: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A dry run."""

    n_dialogues: int
    n_turns: int
    calls: tuple[PlannedCalls, ...] = field(default=())
