"""Self-consistency: how many of m independent samples give the answer.

Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 3.4:
``c = (1/m) Σ 1[a_j = a]`` with m = 20 samples at temperature 1.  A sample without a readable
answer agrees with nothing and stays in m; when none of them has one, there is no confidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.confidence import Confidence, Target
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.requests import (
    ANY_ANSWER,
    answer_request,
    read_samples,
    samples_definition,
)
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
    def targets(self) -> tuple[Target, ...]:
        return ANY_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        return samples_definition(self.settings)

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can be sampled; without ``n`` the samples are separate requests."""

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        m = self.settings.samples
        [reply] = yield [answer_request(context, self.settings, samples=m)]
        read = read_samples(reply, self.settings, method=NAME)
        if isinstance(read, Failure):
            return read
        agreeing = sum(self.settings.same_answer(one, answer) for one in read)
        return Confidence(
            value=agreeing / m,
            method=NAME,
            scale="probability",
            path="sampled",
            rule=f"{agreeing} of {m} agree, {m - len(read)} unreadable",
        )


def self_consistency(settings: EstimatorSettings) -> SelfConsistency:
    """Build the method."""
    return SelfConsistency(settings=settings)
