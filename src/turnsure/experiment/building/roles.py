"""Whose requests a flow makes, and the question about uniqueness."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from turnsure.core.built import BuildRole
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, Reply, TurnContext
from turnsure.dialogues.hinting.prompts import Prompts
from turnsure.estimators.label_probe import LabelProbe
from turnsure.estimators.settings import EstimatorSettings, LabelReading
from turnsure.estimators.templates import PromptTemplate, load_templates, swap_labels

T = TypeVar("T")

LETTERS = 5
"""How many letters are drawn an order, where the Guesser's model gives no log-probabilities."""

UNIQUE = "unique"


def in_role(role: BuildRole, tag: str, flow: Flow[T], count: Callable[[Reply], None]) -> Flow[T]:
    """Drive a flow with its requests in a role and under a tag; tell ``count`` every reply."""
    try:
        batch = next(flow)
        while True:
            replies = yield [replace(request, role=role, tag=tag) for request in batch]
            for reply in replies:
                count(reply)
            batch = flow.send(replies)
    except StopIteration as end:
        return end.value


def unique_template(prompts: Prompts) -> PromptTemplate:
    """The question about uniqueness, in the order of the wording."""
    return PromptTemplate(
        name=UNIQUE, text=prompts.texts["unique.text"], labels=prompts.labels, file=prompts.file
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Uniqueness:
    """Asks whether another answer fits as well, in both orders of the two options.

    The Guesser is as sure as it is in the order in which it is less sure.  So a model that prefers
    one letter whatever it says is never sure; the mean of both orders would put it at one half.

    Attributes
    ----------
    given, swapped
        The probe as its wording has it, and with its options exchanged.
    """

    given: LabelProbe
    swapped: LabelProbe

    @property
    def definition(self) -> Mapping[str, str]:
        """The question's part of a protocol."""
        return {
            **self.given.definition,
            "swapped": self.swapped.template.text,
            "aggregation": "the smaller of both orders",
        }

    def ask(self, context: TurnContext, answer: str) -> Flow[float | Failure]:
        """The probability that no other answer fits, in [0, 1], or why there is none."""
        sure: list[float] = []
        for probe in (self.given, self.swapped):
            messages = probe.template.fill(context.history, answer)
            read = yield from probe.ask(messages, seed=context.seed, tag=UNIQUE)
            if isinstance(read, Failure):
                return read
            sure.append(read.value)
        return min(sure)


def uniqueness(prompts: Prompts, capabilities: Capabilities) -> Uniqueness:
    """The question about uniqueness, as this model can be asked it.

    The probability of the option that no other answer fits is read from the first token; where the
    model gives no log-probabilities, it is the share of the letters that it draws.

    Raises
    ------
    InputError
        The user's wording has no line for each option.
    """
    template = unique_template(prompts)
    reading: LabelReading = "sampled" if capabilities.label_probabilities == "none" else "logprobs"
    settings = EstimatorSettings(
        templates=load_templates(),
        label_reading=reading,
        samples=LETTERS,
        read_answer=str,
        same_answer=str.__eq__,
    )
    return Uniqueness(
        given=LabelProbe(name=UNIQUE, template=template, settings=settings),
        swapped=LabelProbe(name=UNIQUE, template=swap_labels(template), settings=settings),
    )
