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

SOURCES = ("remaining", "eliminated", "samples")
"""Where plausible wrong answers come from: candidates of a closed world that still fit or no longer
do, and the model's own other samples."""

_MOST = {
    "samples": 10_000,
    "guesses": 100,
    "slots": 1_000,
    "lanes": 1_000,
    "bins": 10_000,
    "resamples": 1_000_000,
}
_LEAST = {
    "concurrency": 1,
    "requests_per_minute": 1,
    "tokens_per_minute": 1,
    "top_logprobs": 0,
    "max_n": 1,
    "context": 256,
    "slots": 1,
    "lanes": 1,
    "threads": 0,
    "gpu_layers": 0,
    "samples": 1,
    "adaptive_batch": 1,
    "answer_tokens": 1,
    "number_tokens": 1,
    "analysis_tokens": 1,
    "guesses_tokens": 1,
    "guesses": 1,
    "limit": 1,
    "bins": 1,
    "resamples": 1,
    "seed": 0,
    "supplied_answers": 1,
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
        seconds per request, dialogues and requests in flight at most.
    requests_per_minute, tokens_per_minute
        What may be sent to an endpoint a minute; None for no limit.
    top_logprobs, max_n, seeding, prefill
        What an endpoint can do; None to find out by asking it.
    context, slots, lanes, threads, gpu_layers
        For embedded models: tokens for a prompt and its reply; samples drawn side by side and
        dialogues asked at once, None for what cores and memory allow; 0 threads for all cores;
        layers put on a GPU.
    deterministic
        Whether equal runs must do the same work in the same way; None for embedded models only.
    methods, gold
        Estimators by name, and whether the confidence in the gold answer is asked for as well.
    samples, temperature, label_reading
        m of self-consistency, its temperature, and how label probes are read.
    adaptive_batch, adaptive_half_width, adaptive_level
        Of adaptive self-consistency: samples between two looks, and how narrow the interval of the
        share that all m samples would give must be, at which confidence, for it to stop.
    answer_tokens, number_tokens, analysis_tokens, guesses_tokens
        Token limits of an answer, a verbalised number, a number after an analysis, and a list of
        guesses.
    guesses
        How many guesses top-k verbalised asks for.
    grouping, embedding_model, embedding_threshold
        How semantic consistency groups paraphrases; the endpoint's model for embeddings, and from
        which cosine on they are one.
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
    controls
        Which are run beside the plain turns, by name.
    placebo_pool, placebo_turns
        A built-in pool or a file, None for the one that fits each dialogue; ``"all"``, ``"one"`` a
        dialogue, or a fraction of the turns.
    summariser, summariser_url, keep_flagged
        The model that writes summaries, None for the subject itself; its address when it is an
        endpoint; whether summaries that fail the guard are measured all the same.
    supplied_from, supplied_answers
        Where wrong answers are taken from, and how many a turn from each.
    variants, wordings
        Which other protocols are tried, none for all built-in ones; template files to try as well.
    """

    data: str = "countries"
    model: str = "smollm2-135m"
    base_url: str | None = None
    api_key_env: str = "OPENAI_API_KEY"
    dialect: str = "auto"
    timeout: float = 120.0
    concurrency: int = 8
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    top_logprobs: int | None = None
    max_n: int | None = None
    seeding: bool | None = None
    prefill: bool | None = None
    context: int = 2048
    slots: int | None = None
    lanes: int | None = None
    threads: int = 0
    gpu_layers: int = 0
    deterministic: bool | None = None
    methods: tuple[str, ...] = DEFAULT_METHODS
    gold: bool = True
    samples: int = DEFAULT_SAMPLES
    temperature: float = 1.0
    label_reading: Literal["logprobs", "sampled"] = "logprobs"
    adaptive_batch: int = 5
    adaptive_half_width: float = 0.25
    adaptive_level: float = 0.95
    answer_tokens: int = 64
    number_tokens: int = 48
    analysis_tokens: int = 320
    guesses_tokens: int = 192
    guesses: int = 4
    grouping: Literal["match", "judge", "embedding"] = "match"
    embedding_model: str | None = None
    embedding_threshold: float = 0.9
    render: Literal["transcript", "chat"] = "transcript"
    templates: str | None = None
    task: str | None = None
    limit: int | None = None
    seed: int = 0
    bins: int = 10
    resamples: int = 2000
    controls: tuple[str, ...] = ()
    placebo_pool: str | None = None
    placebo_turns: str | float = "all"
    summariser: str | None = None
    summariser_url: str | None = None
    keep_flagged: bool = False
    supplied_from: tuple[str, ...] = SOURCES
    supplied_answers: int = 1
    variants: tuple[str, ...] = ()
    wordings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            if (getattr(self, name) or 0) > most:
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
        self._check_names()
        self._check_placebo_turns()

    def _check_names(self) -> None:
        if not self.methods:
            raise InputError("no method is named", field="methods", expected="one or more")
        listed: Mapping[str, tuple[str, ...]] = {
            "methods": self.methods,
            "controls": self.controls,
            "supplied_from": self.supplied_from,
            "variants": self.variants,
            "wordings": self.wordings,
        }
        for name, names in listed.items():
            twice = [one for one, n in Counter(names).items() if n > 1]
            if twice:
                raise InputError(f"{twice[0]!r} is named twice", field=name, expected="each once")
        unknown = [one for one in self.supplied_from if one not in SOURCES]
        if unknown:
            raise InputError(
                f"{unknown[0]!r} is unknown", field="supplied_from", expected=", ".join(SOURCES)
            )

    def _check_placebo_turns(self) -> None:
        which = self.placebo_turns
        fits = which in ("all", "one") if isinstance(which, str) else 0 < which <= 1
        if not fits:
            raise InputError(
                f"placebo_turns is {which!r}",
                field="placebo_turns",
                expected="all, one, or a fraction above 0 and at most 1",
            )


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
    prompt_tokens, distinct_tokens
        Estimated, from the characters of the prompts: as sent, and those that no earlier prompt
        began with, which is what a back-end with a perfect cache evaluates.
    completion_tokens
        Upper bound, from the limits.
    """

    tag: str
    n_requests: int
    n_kept: int
    prompt_tokens: int
    distinct_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A dry run."""

    n_dialogues: int
    n_turns: int
    calls: tuple[PlannedCalls, ...] = field(default=())
