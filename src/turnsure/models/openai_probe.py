"""Finding out what an endpoint can do, with as few requests as possible.  Pure.

A probe is a generator: it yields trials, is told what came of each, and returns the capabilities.
One trial that asks for everything at once is enough for a server that can do everything.
"""

from __future__ import annotations

import difflib
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.generation import GenerationRequest
from turnsure.core.protocols import Capabilities
from turnsure.models.openai_replies import choices_of, count_at, text_at, top_tokens, value_at
from turnsure.models.openai_wire import (
    CONTINUATION,
    Body,
    Dialect,
    Json,
    Style,
    label_body,
    text_body,
)

_TOP: Mapping[Dialect, tuple[int, ...]] = {"llama.cpp": (100, 20, 5, 2)}
_TOP_ELSEWHERE = (20, 5, 2)
# With one token listed, the label that is missing would be bounded by the one that is there.
_LEAST_TOP = 2
_SAMPLES = (20, 2)
_QUESTION = GenerationRequest(
    messages=(Message(role="user", content="Reply with A or B."),), max_tokens=1
)
_N_NAMES = 10
_OWNERS: Mapping[str, Dialect] = {
    "llamacpp": "llama.cpp",
    "vllm": "vllm",
    "sglang": "sglang",
    "library": "ollama",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredCapabilities:
    """What the user says about an endpoint; None where it is to be found out.

    The fields are those of :class:`~turnsure.core.protocols.Capabilities`.
    """

    label_probabilities: Literal["exact", "top_k", "none"] | None = None
    max_top_logprobs: int | None = None
    max_n: int | None = None
    seed: bool | None = None
    prefill: bool | None = None
    max_context: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("max_top_logprobs", 0), ("max_n", 1), ("max_context", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name} is {value}", field=name, expected=f"{least} or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What a server tells about itself.

    Attributes
    ----------
    dialect
        The dialect it speaks.
    models
        Names of its models, empty when it does not list them.
    max_context
        Tokens for prompt and reply together.
    slots
        Samples that one request may ask for.
    build
        Strings that tell one build or one file of weights from another.
    """

    dialect: Dialect
    models: tuple[str, ...] = ()
    max_context: int | None = None
    slots: int | None = None
    build: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A request for one token: with so many top tokens listed, so many samples, with a seed."""

    top_logprobs: int = 0
    n: int = 1
    seed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What came of a trial: top tokens listed and samples given; None stands for a refusal."""

    n_listed: int
    n_samples: int


PLAIN = Trial()
"""Asks for nothing special; a server that refuses this can do nothing."""

Probe = Generator[Trial, Seen | None, Capabilities]


def probe(declared: DeclaredCapabilities, facts: ServerFacts) -> Probe:
    """Try what is neither declared nor told by the server."""
    tops: tuple[int, ...] = ()
    if declared.max_top_logprobs is None and declared.label_probabilities != "none":
        tops = _TOP.get(facts.dialect, _TOP_ELSEWHERE)
    samples: tuple[int, ...] = ()
    if declared.max_n is None:
        samples = _SAMPLES if facts.slots is None else (facts.slots,)
    everything = Trial(
        top_logprobs=tops[0] if tops else 0,
        n=samples[0] if samples else 1,
        seed=declared.seed is None,
    )
    n_listed, n_samples, seed = 0, 1, False
    if everything != PLAIN:
        seen = yield everything
        if seen is not None:
            n_listed, n_samples, seed = seen.n_listed, seen.n_samples, True
        else:
            lists = [Trial(top_logprobs=top) for top in tops]
            listing = yield from _first_accepted(lists, refused=everything)
            counts = [Trial(n=n) for n in samples if n > 1]
            sampling = yield from _first_accepted(counts, refused=everything)
            seeds = [Trial(seed=True)] if everything.seed else []
            seeding = yield from _first_accepted(seeds, refused=everything)
            if not (listing or sampling or seeding):
                yield PLAIN
            n_listed = 0 if listing is None else listing.n_listed
            n_samples = 1 if sampling is None else sampling.n_samples
            seed = seeding is not None
    return _capabilities(declared, facts, Seen(n_listed=n_listed, n_samples=n_samples), seed=seed)


def trial_body(style: Style, trial: Trial) -> Body:
    """Body of a trial."""
    body = text_body(replace(style, seed=trial.seed), _QUESTION, first=0, n=trial.n)
    if trial.top_logprobs:
        top = trial.top_logprobs
        body |= label_body(style, _QUESTION.messages, ("A", "B"), top_logprobs=top)
    return body


def read_trial(trial: Trial, body: Json) -> Seen:
    """What a server gave; more than was asked for does not count."""
    return Seen(
        n_listed=min(trial.top_logprobs, len(top_tokens(body))),
        n_samples=min(trial.n, len(choices_of(body))),
    )


def read_models(
    body: Json, headers: Mapping[str, str], *, model: str, dialect: Dialect | None
) -> ServerFacts:
    """Facts from the list of models and its headers (names in lower case).

    Parameters
    ----------
    body
        The list as JSON, None when the server has none.
    dialect
        As the user named it; None reads it from who owns the models, or else from the server's
        name, and takes a server that cannot be told for a hosted one.
    """
    listed = value_at(body, "data")
    entries = listed if isinstance(listed, list) else []
    named = {name: entry for entry in entries if (name := text_at(entry, "id"))}
    entry = named.get(model, entries[0] if len(entries) == 1 else None)
    build = {key: value_at(entry, "meta", key) for key in ("n_params", "size", "ftype")}
    return ServerFacts(
        dialect=_dialect(entries, headers) if dialect is None else dialect,
        models=tuple(named),
        max_context=count_at(entry, "max_model_len"),
        build={key: str(value) for key, value in build.items() if value is not None},
    )


def with_props(facts: ServerFacts, body: Json) -> ServerFacts:
    """Add what llama.cpp tells under ``/props``."""
    build = text_at(body, "build_info")
    return replace(
        facts,
        max_context=count_at(body, "default_generation_settings", "n_ctx") or facts.max_context,
        slots=count_at(body, "total_slots"),
        build={**facts.build, **({} if build is None else {"build": build})},
    )


def check_model(model: str, facts: ServerFacts, *, where: str) -> None:
    """Raise an InputError that lists names when the server cannot know the model.

    llama.cpp answers to any name.  Ollama's names end in a tag, ``latest`` when left out; routers
    accept a suffix after a colon that they do not list.
    """
    names = facts.models
    accepted = {model, f"{model}:latest", model.partition(":")[0]}
    if not names or facts.dialect == "llama.cpp" or accepted & set(names):
        return

    def likeness(name: str) -> float:
        return difflib.SequenceMatcher(None, name, model).ratio()

    nearest = sorted(names, key=likeness, reverse=True)[:_N_NAMES]
    others = f" or {len(names) - _N_NAMES} more" if len(names) > _N_NAMES else ""
    raise InputError(
        f"{where} has no model {model!r}",
        field="model",
        expected=f"one of {', '.join(nearest)}{others}",
    )


def _dialect(entries: Sequence[Json], headers: Mapping[str, str]) -> Dialect:
    owners = {text_at(entry, "owned_by") or "" for entry in entries}
    known: set[Dialect] = {_OWNERS[owner] for owner in owners if owner in _OWNERS}
    if len(known) == 1:
        return known.pop()
    return "llama.cpp" if "llama.cpp" in headers.get("server", "").lower() else "openai"


def _first_accepted(
    trials: Iterable[Trial], *, refused: Trial
) -> Generator[Trial, Seen | None, Seen | None]:
    for trial in trials:
        seen = None if trial == refused else (yield trial)
        if seen is not None:
            return seen
    return None


def _capabilities(
    declared: DeclaredCapabilities, facts: ServerFacts, seen: Seen, *, seed: bool
) -> Capabilities:
    top = seen.n_listed if declared.max_top_logprobs is None else declared.max_top_logprobs
    labels = declared.label_probabilities or "top_k"
    max_n = seen.n_samples if declared.max_n is None else declared.max_n
    return Capabilities(
        label_probabilities=labels if top >= _LEAST_TOP else "none",
        max_top_logprobs=0 if labels == "none" else top,
        max_n=max_n,
        seed=seed if declared.seed is None else declared.seed,
        prefill=facts.dialect in CONTINUATION if declared.prefill is None else declared.prefill,
        # llama.cpp keeps one prompt a slot, and samples take a slot each; others keep many.
        ordered=facts.slots is not None,
        lanes=None if facts.slots is None else max(1, facts.slots // max(1, max_n)),
        conversations=facts.slots,
        max_context=declared.max_context or facts.max_context,
    )
