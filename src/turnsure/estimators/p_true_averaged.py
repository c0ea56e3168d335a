"""P(True) asked in both orders of its options, and averaged.

Models prefer one letter, or the option that they read first, whatever it says.  Asking "A. True,
B. False" and "A. False, B. True" and taking the mean cancels the part of that preference that is
the same in both orders (Zheng et al. 2024, *Large Language Models Are Not Robust Multiple Choice
Selectors*, permute over cyclic orders; with two options there are two).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.confidence import Confidence, Target
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.label_probe import LabelProbe, least_mass
from turnsure.estimators.requests import ANY_ANSWER
from turnsure.estimators.settings import EstimatorSettings
from turnsure.estimators.templates import swap_labels

NAME = "p_true_averaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class PTrueAveraged:
    """Asks twice; the first request is P(True)'s own.

    Attributes
    ----------
    given, swapped
        The probe as its template has it, and with its options exchanged.
    """

    given: LabelProbe
    swapped: LabelProbe

    @property
    def name(self) -> str:
        return NAME

    @property
    def targets(self) -> tuple[Target, ...]:
        return ANY_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        return {
            **self.given.definition,
            "swapped": self.swapped.template.text,
            "aggregation": "mean of both orders",
        }

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        self.given.check(capabilities, model=model)

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        given = self.given.template.fill(context.history, answer)
        first = yield from self.given.ask(given, seed=context.seed, tag="p_true")
        if isinstance(first, Failure):
            return first
        swapped = self.swapped.template.fill(context.history, answer)
        second = yield from self.swapped.ask(swapped, seed=context.seed, tag=NAME)
        if isinstance(second, Failure):
            return second
        return Confidence(
            value=(first.value + second.value) / 2,
            method=NAME,
            scale="probability",
            path=first.path,
            label_mass=least_mass((first, second)),
            rule=f"{first.value:.3f} as given, {second.value:.3f} swapped",
            truncated=first.truncated or second.truncated,
        )


def p_true_averaged(settings: EstimatorSettings) -> PTrueAveraged:
    """Build the method.

    Raises
    ------
    InputError
        The template's options cannot be found.
    """
    template = settings.templates["p_true"]
    return PTrueAveraged(
        given=LabelProbe(name=NAME, template=template, settings=settings),
        swapped=LabelProbe(name=NAME, template=swap_labels(template), settings=settings),
    )
