r"""Sequence likelihood: the probability that the model gave its own answer's tokens.

With log-probabilities l₁ … l_T of the T tokens that make up the answer, ``sequence_likelihood_sum``
is exp(Σ l) and ``sequence_likelihood_mean`` exp(Σ l / T), the geometric mean of the tokens'
probabilities (Murray & Chiang 2018 and Malinin & Gales 2021, there as length-normalised
log-likelihood).  The first falls with every token an answer has; the second does not.

The tokens come with the greedy reply itself, so nothing more is asked; for the same reason only the
answer that was read from this reply can be judged.  Of the reply "So: \boxed{Peru}" the tokens
count that share a character with "Peru".  An answer that is not found in the reply as it is, or a
reply that its tokens do not spell, is judged by all tokens of the reply, and the rule says so.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from turnsure.core.confidence import Confidence, Target
from turnsure.core.errors import CapabilityError
from turnsure.core.generation import Generation, TokenLogprob
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.requests import OWN_ANSWER, answer_request, only_text
from turnsure.estimators.settings import EstimatorSettings

ROUNDING = 1e-6
"""A log-probability may be above 0 by so much; more is an error of whoever computed it."""

_ANOTHER_ANSWER = "Zyx"
"""Put in the answer's place to find out whether it is read from there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SequenceLikelihood:
    """Reads the token log-probabilities of the greedy answer.

    Attributes
    ----------
    name
        Method name.
    normalised
        Whether the log-probabilities are averaged over the tokens instead of summed.
    settings
        With ``answer_logprobs`` on.
    """

    name: str
    normalised: bool
    settings: EstimatorSettings

    @property
    def targets(self) -> tuple[Target, ...]:
        return OWN_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        return {
            "aggregation": "exp of mean" if self.normalised else "exp of sum",
            "tokens": "those of the answer; of the whole reply where it is not found",
            "template": self.settings.templates["answer"].text,
            "max_tokens": str(self.settings.answer_tokens),
        }

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        if capabilities.label_probabilities == "none":
            raise CapabilityError(
                method=self.name,
                needs="token log-probabilities",
                model=model,
                alternatives=(
                    "use methods that need only text (vanilla_verb, top_k_verb, self_consistency)",
                    "serve the model with log-probabilities (vLLM, SGLang and llama.cpp can)",
                ),
            )

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        [reply] = yield [answer_request(context, self.settings)]
        text = only_text(reply, method=self.name)
        if isinstance(text, Failure):
            return text
        if self.settings.read_answer(text) != answer:
            return self._failure("not_own_answer", "the model's own reply gives another answer")
        listed = _tokens(reply) if isinstance(reply, Generation) else ()
        if not listed:
            return self._failure("no_logprobs", "the answer came without log-probabilities")
        if not all(math.isfinite(one.logprob) and one.logprob <= ROUNDING for one in listed):
            return self._failure("malformed_logprobs", "a log-probability is no number up to 0")
        tokens, whose = answer_tokens(text, listed, answer, self.settings.read_answer)
        logprob = math.fsum(min(0.0, one.logprob) for one in tokens)
        return Confidence(
            value=math.exp(logprob / len(tokens) if self.normalised else logprob),
            method=self.name,
            scale="probability",
            path="logprobs",
            rule=f"tokens of the {whose}: {len(tokens)}",
            raw="".join(one.token for one in tokens),
        )

    def _failure(self, kind: str, message: str) -> Failure:
        return Failure(stage="confidence", kind=kind, message=message, method=self.name)


def answer_tokens(
    text: str,
    tokens: Sequence[TokenLogprob],
    answer: str,
    read_answer: Callable[[str], str | None],
) -> tuple[Sequence[TokenLogprob], str]:
    """The tokens that make up ``answer`` in the reply ``text``, and whose tokens they are.

    Parameters
    ----------
    text
        The reply, not empty.
    tokens
        Those of the reply, at least one.  A token behind its end, such as the one that ends it, is
        left out where the tokens spell the reply; white space before it may be missing in ``text``.
    answer
        As ``read_answer`` reads it from ``text``.
    read_answer
        Tells which mention counts when the reply mentions the answer more than once: the one
        without which another answer would be read.

    Returns
    -------
    tuple
        One token or more, and ``"answer"`` or ``"whole reply"``.
    """
    spelled = "".join(one.token for one in tokens)
    shift = spelled.find(text)
    if shift < 0 or spelled[:shift].strip():
        return tokens, "whole reply"
    place = _place(text, answer, read_answer)
    first, last = place or (0, len(text))
    ends = list(itertools.accumulate((len(one.token) for one in tokens), initial=-shift))
    chosen = [
        one
        for one, start, end in zip(tokens, ends, ends[1:], strict=False)
        if max(start, first) < min(end, last)
    ]
    return chosen, "whole reply" if place is None else "answer"


def _place(
    text: str, answer: str, read_answer: Callable[[str], str | None]
) -> tuple[int, int] | None:
    """Where the mention stands from which the answer was read; None when there is none."""
    words = r"\s+".join(re.escape(word) for word in answer.split())
    mentions = list(re.finditer(words, text)) if words else []
    for mention in reversed(mentions):
        without = text[: mention.start()] + _ANOTHER_ANSWER + text[mention.end() :]
        if read_answer(without) != answer:
            return mention.span()
    return None


def _tokens(reply: Generation) -> tuple[TokenLogprob, ...]:
    return reply.token_logprobs[0] if reply.token_logprobs else ()


def sequence_likelihood_mean(settings: EstimatorSettings) -> SequenceLikelihood:
    """The geometric mean of the answer's token probabilities."""
    return _build("sequence_likelihood_mean", settings, normalised=True)


def sequence_likelihood_sum(settings: EstimatorSettings) -> SequenceLikelihood:
    """The probability of the answer's tokens together."""
    return _build("sequence_likelihood_sum", settings, normalised=False)


def _build(name: str, settings: EstimatorSettings, *, normalised: bool) -> SequenceLikelihood:
    # Where the answer is asked for without log-probabilities, the method asks for it once more.
    settings = replace(settings, answer_logprobs=True)
    return SequenceLikelihood(name=name, normalised=normalised, settings=settings)
