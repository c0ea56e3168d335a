"""Verbalised confidence: the model is asked for a number from 0 to 100.

Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 3.4 and appendix A.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from turnsure.core.confidence import Confidence, Target
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.requests import ANY_ANSWER, only_text
from turnsure.estimators.settings import EstimatorSettings
from turnsure.estimators.templates import PromptTemplate
from turnsure.estimators.verbal_number import read_confidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Verbalised:
    """Asks once, greedily, and reads the number.

    Attributes
    ----------
    name
        Method name, also the template's.
    template
        The prompt.
    max_tokens
        Limit for the reply.
    """

    name: str
    template: PromptTemplate
    max_tokens: int

    @property
    def targets(self) -> tuple[Target, ...]:
        return ANY_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        return {**self.template.definition, "max_tokens": str(self.max_tokens)}

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can be asked for a number."""

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        request = GenerationRequest(
            messages=self.template.fill(context.history, answer),
            max_tokens=self.max_tokens,
            tag=self.name,
        )
        [reply] = yield [request]
        text = only_text(reply, method=self.name)
        if isinstance(text, Failure):
            return text
        reading = read_confidence(text)
        if isinstance(reading, Failure):
            return replace(reading, method=self.name, raw=text)
        return Confidence(
            value=reading.value,
            method=self.name,
            scale="ordinal",
            path="parsed",
            rule=reading.rule,
            raw=text,
        )


def vanilla_verb(settings: EstimatorSettings) -> Verbalised:
    """Vanilla-Verb: the number alone."""
    name = "vanilla_verb"
    return Verbalised(
        name=name, template=settings.templates[name], max_tokens=settings.number_tokens
    )


def cot_verb(settings: EstimatorSettings) -> Verbalised:
    """CoT-Verb: an analysis first, then the number."""
    name = "cot_verb"
    return Verbalised(
        name=name, template=settings.templates[name], max_tokens=settings.analysis_tokens
    )
