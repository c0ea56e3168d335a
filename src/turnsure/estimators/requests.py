"""The requests that several methods make."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.confidence import Target
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Reply, TurnContext
from turnsure.estimators.settings import EstimatorSettings

ANY_ANSWER: tuple[Target, ...] = ("answer", "gold", "other")
"""What a method can judge that is given the proposed answer, or compares it with others."""

OWN_ANSWER: tuple[Target, ...] = ("answer",)
"""What a method can judge that reads the reply in which the model gave its answer."""


def answer_request(
    context: TurnContext, settings: EstimatorSettings, *, samples: int | None = None
) -> GenerationRequest:
    """The question itself: once and greedily, or ``samples`` times at the sampling temperature."""
    return GenerationRequest(
        messages=settings.templates["answer"].fill(context.history),
        max_tokens=settings.answer_tokens,
        temperature=0.0 if samples is None else settings.temperature,
        n=1 if samples is None else samples,
        logprobs=settings.answer_logprobs and samples is None,
        seed=context.seed,
        tag="answer" if samples is None else "samples",
    )


def samples_definition(settings: EstimatorSettings) -> dict[str, str]:
    """What makes the samples what they are, for the definition of a method that counts them."""
    return {
        "samples": str(settings.samples),
        "temperature": str(settings.temperature),
        "template": settings.templates["answer"].text,
        "max_tokens": str(settings.answer_tokens),
    }


def only_text(reply: Reply, *, method: str) -> str | Failure:
    """The text of a reply that was asked for once.

    A text that ran into its token limit is still read: what can be read from it for sure counts,
    the rest fails with the text kept.
    """
    if isinstance(reply, Failure):
        return reply
    return reply.texts[0] if reply.texts else no_reply(method)


def all_texts(reply: Reply, wanted: int, *, method: str) -> tuple[str, ...] | Failure:
    """The texts of a reply that was asked for ``wanted`` times."""
    if isinstance(reply, Failure):
        return reply
    if len(reply.texts) != wanted:
        return Failure(
            stage="confidence",
            kind="missing_samples",
            message=f"{wanted} samples were asked for and {len(reply.texts)} came",
            method=method,
        )
    return reply.texts


def read_samples(reply: Reply, settings: EstimatorSettings, *, method: str) -> list[str] | Failure:
    """The answers that can be read from m samples; the failure when there is none at all."""
    texts = all_texts(reply, settings.samples, method=method)
    if isinstance(texts, Failure):
        return texts
    answers = [one for text in texts if (one := settings.read_answer(text)) is not None]
    return answers or no_readable_sample(texts, method=method)


def no_readable_sample(texts: Sequence[str], *, method: str) -> Failure:
    """The failure for samples, at least one, of which none holds an answer."""
    return Failure(
        stage="confidence",
        kind="unreadable_samples",
        message=f"no answer can be read from any of {len(texts)} samples",
        method=method,
        raw=texts[0],
    )


def no_reply(method: str) -> Failure:
    """The failure for a reply without any text."""
    return Failure(
        stage="confidence", kind="empty", message="the model replied nothing", method=method
    )
