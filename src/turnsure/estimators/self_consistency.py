"""Self-consistency: how many of m independent samples give the answer.

Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 3.4:
``c = (1/m) Σ 1[a_j = a]`` with m = 20 samples at temperature 1.  A sample without a readable
answer agrees with nothing and stays in m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.confidence import Confidence
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.requests import all_texts, answer_request
from turnsure.estimators.settings import EstimatorSettings

NAME = "self_consistency"


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfConsistency:
    """Draws m samples; asking about a second answer at the same turn draws no new ones."""

    settings: EstimatorSettings

    @property
    def name(self) -> str:
        return NAME

    @property
    def definition(self) -> Mapping[str, str]:
        return {
            "samples": str(self.settings.samples),
            "temperature": str(self.settings.temperature),
            "template": self.settings.templates["answer"].text,
            "max_tokens": str(self.settings.answer_tokens),
        }

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can be sampled; without ``n`` the samples are separate requests."""

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        m = self.settings.samples
        [reply] = yield [answer_request(context, self.settings, samples=m)]
        texts = all_texts(reply, m, method=NAME)
        if isinstance(texts, Failure):
            return texts
        read = [self.settings.read_answer(text) for text in texts]
        agreeing = sum(one is not None and self.settings.same_answer(one, answer) for one in read)
        unreadable = sum(one is None for one in read)
        return Confidence(
            value=agreeing / m,
            method=NAME,
            scale="probability",
            path="sampled",
            rule=f"{agreeing} of {m} agree, {unreadable} unreadable",
        )


def self_consistency(settings: EstimatorSettings) -> SelfConsistency:
    """Build the method."""
    return SelfConsistency(settings=settings)
