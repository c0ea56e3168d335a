"""What is asked of a model, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError

FinishReason = Literal["stop", "length", "other"]
RequestRole = Literal["subject", "judge", "user", "hinter", "guesser", "summariser"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function that a model may call.

    Attributes
    ----------
    name, description
        As the model is told them.
    parameters
        JSON schema of the arguments, as JSON text.
    """

    name: str
    description: str = ""
    parameters: str = '{"type": "object"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationRequest:
    """One request to a model.

    Attributes
    ----------
    messages
        The chat so far; the last one is usually the user's.  A final assistant message is a
        prefill that the model continues (needs the ``prefill`` capability).
    max_tokens
        At least 1.
    temperature
        0 is greedy.  At other values the full distribution is sampled (no top-k, no top-p).
    n
        How many independent samples.  Sample j uses seed + j.
    labels
        When given, the distribution over these answers is asked for instead of text.
    logprobs
        Ask for the log-probability of every token of the texts as well.
    embed
        Ask for the embedding of the last message's text instead of a text.
    stop
        Strings that end a reply.
    tools
        Functions that the model may call in place of a text (needs the ``tools`` capability).
    seed
        Sampling seed, 0 … 2**31 − 1.
    role
        Who is being asked; a run may use different models for different roles.
    replicate
        Tells apart requests that are equal but meant to be drawn anew.
    tag
        Method or step for which it is asked ("answer", "p_true" …), for counting.  Not part of the
        request's identity: two methods that ask the same thing share the generation.
    """

    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float = 0.0
    n: int = 1
    labels: tuple[str, ...] | None = None
    logprobs: bool = False
    embed: bool = False
    stop: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    seed: int = 0
    role: RequestRole = "subject"
    replicate: int = 0
    tag: str = ""

    def __post_init__(self) -> None:
        if not self.messages:
            raise InputError("a request has no messages", field="messages")
        if self.max_tokens < 1:
            raise InputError("max_tokens is below 1", field="max_tokens", expected="1 or more")
        if self.n < 1:
            raise InputError("n is below 1", field="n", expected="1 or more")
        if self.temperature < 0:
            raise InputError("temperature is negative", field="temperature", expected="0 or more")
        if self.labels is not None and (
            len(self.labels) < 2 or len(set(self.labels)) < len(self.labels)
        ):
            raise InputError(
                "labels must be two or more different texts", field="labels", expected="e.g. A, B"
            )
        if sum((self.labels is not None, self.logprobs, self.embed)) > 1:
            raise InputError(
                "a request asks for one thing",
                field="labels",
                expected="one of labels, logprobs and embed, or none",
            )
        if self.embed and self.n > 1:
            raise InputError("an embedding is not sampled", field="n", expected="1")
        if self.tools and (self.n > 1 or self.labels is not None or self.embed):
            raise InputError(
                "tools go with one text alone",
                field="tools",
                expected="n of 1, without labels and embed",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts as the back-end reports them; None where it does not.

    Attributes
    ----------
    prompt_tokens, cached_tokens
        Of the prompt; and how many of them were not evaluated anew.
    new_tokens
        How many of the prompt's tokens no earlier prompt of this back-end began with: what even a
        perfect cache has to evaluate.
    completion_tokens
        Of all texts of the reply together.
    """

    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    new_tokens: int | None = None
    completion_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReading:
    """The distribution over labels at the first token of the reply.

    Attributes
    ----------
    mass
        For each label the summed probability of its token variants, **not** renormalised.
    truncated
        Labels that were missing from the list of top tokens; their mass is the upper bound given
        by the smallest listed probability.
    n_top
        How many top tokens were listed.
    outside
        The most probable first tokens that belong to no label, with their probabilities.
    variants
        The tokens that were counted for a label, as they came, with their probabilities.
    """

    mass: Mapping[str, float]
    truncated: tuple[str, ...] = ()
    n_top: int
    outside: Mapping[str, float] = field(default_factory=dict[str, float])
    variants: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def total(self) -> float:
        """Probability of all labels together, in [0, 1]; above 1 is rounding and is clipped."""
        return min(1.0, sum(self.mass.values()))

    def probability(self, label: str) -> float:
        """Probability of ``label`` renormalised over the labels, in [0, 1]."""
        whole = sum(self.mass.values())
        if whole <= 0.0:
            raise InputError("no label has any probability", field="labels")
        return min(1.0, self.mass[label] / whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLogprob:
    """Natural log-probability of one generated token."""

    token: str
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What came back.

    Attributes
    ----------
    texts
        n texts for a text request, empty for a label request.
    finish_reasons
        One for each text.
    tool_calls
        Of the text of a request with tools; empty where the model calls nothing.
    labels
        The reading, for a label request.
    token_logprobs
        For each text its tokens, where they were asked for and the back-end gave them.
    embedding
        The vector, for a request for one; empty otherwise.
    usage, seconds
        What it cost; seconds as the back-end or the client measured them.
    """

    texts: tuple[str, ...] = ()
    finish_reasons: tuple[FinishReason, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    labels: LabelReading | None = None
    token_logprobs: tuple[tuple[TokenLogprob, ...], ...] = ()
    embedding: tuple[float, ...] = ()
    usage: Usage = Usage()
    seconds: float = 0.0
