"""Scripted models that hold a closed world's table: one reasons perfectly, one guesses blindly."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.support.worlds import said_by_table
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.dialogues.worlds.world import World

_PROPOSED = re.compile(r"^Proposed Answer: (.*)$", re.MULTILINE)
_RETRACTED = re.compile(r'Correction: "(.*)" was wrong\. (.*)')
_REVERSED = re.compile(r"(.*) Correction: (.*), not (.*)\.")


@dataclass
class Reasoner:
    """Reads the prompt's words alone, and works out from the table who still fits them.

    It answers the first candidate that remains, is 1/n sure of each of n, sure that it knows enough
    only when one remains, and spreads samples evenly over those that remain.
    """

    world: World
    style: str
    said: dict[str, frozenset[int]] = field(init=False)

    def __post_init__(self) -> None:
        table = said_by_table(self.world, self.style)
        self.said = {
            answer if question is None else f"{question} {answer}": places
            for (question, answer), places in table.items()
        }

    def remaining(self, prompt: str) -> list[int]:
        """Places of the entities that fit every line of the prompt, each as it was last said."""
        standing: list[str] = []
        for line in (one[2:] for one in prompt.splitlines() if one.startswith("- ")):
            if found := _RETRACTED.fullmatch(line):
                wrong, right = found.groups()
            elif found := _REVERSED.fullmatch(line):
                question, answer, other = found.groups()
                wrong, right = f"{question} {other}", f"{question} {answer}"
            else:
                wrong, right = None, line
            if wrong is not None:
                standing.remove(wrong)
            standing.append(right)
        everyone = frozenset(range(len(self.world.entities)))
        return sorted(everyone.intersection(*(self.said[one] for one in standing)))

    def __call__(self, request: GenerationRequest) -> object:
        prompt = request.messages[-1].content
        left = self.remaining(prompt)
        names = [self.world.entities[place].names for place in left]
        proposed = _PROPOSED.search(prompt)
        if proposed is None:
            texts = [f"\\boxed{{{names[k % len(names)][0]}}}" for k in range(request.n)]
            return Generation(texts=tuple(texts), finish_reasons=("stop",) * request.n)
        fits = any(proposed[1] in some for some in names)
        sure = fits / len(left)
        if request.labels is None:
            return f"### Confidence: \\boxed{{{100 * sure} %}}"
        if "Are they enough" in prompt:
            sure = float(fits and len(left) == 1)
        yes, no = request.labels
        return {yes: sure, no: 1.0 - sure}


def guesser(name: str, sure: float) -> Callable[[GenerationRequest], object]:
    """A model that ignores every clue: always the same answer, always as sure."""

    def reply(request: GenerationRequest) -> object:
        if request.labels is not None:
            yes, no = request.labels
            return {yes: sure, no: 1.0 - sure}
        if _PROPOSED.search(request.messages[-1].content):
            return f"### Confidence: \\boxed{{{100 * sure} %}}"
        return f"\\boxed{{{name}}}"

    return reply
