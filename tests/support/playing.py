"""Scripted Hinters and Guessers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.support.flows import drive
from turnsure.core.built import Played, Secret
from turnsure.core.errors import BackendError
from turnsure.core.generation import Generation, GenerationRequest, LabelReading, Usage
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Reply
from turnsure.dialogues.hinting.prompts import load_prompts
from turnsure.experiment.building.game import Rules
from turnsure.experiment.building.roles import uniqueness
from turnsure.experiment.building.spec import BuildSetup, BuildSpec
from turnsure.grading.match import MatchGrader
from turnsure.models.scripted import ALL_CAPABLE

PERU = Secret(id="guess-1", names=("Peru", "Republic of Peru"), task="Name the country.")

HINTS = (
    "Q: Which continent is it on?\nA: South America",
    "Q: Which animal is typical?\nA: the llama",
    "Q: Which mountains cross it?\nA: the Andes",
    "Q: Which ocean borders it?\nA: the Pacific",
)

Line = str | Failure
Sure = float | Failure | None


class Script:
    """Answers in the order of the lists; the last of a list is said again and again.

    ``sure`` is the probability of "no other answer fits"; both orders of a question get the same.
    None stands for a reply in which neither label is to be found.
    """

    def __init__(
        self,
        hints: Sequence[Line] = HINTS,
        answers: Sequence[Line] = ("Peru",),
        sure: Sequence[Sure] = (0.9,),
    ) -> None:
        self._lines = {"hinter": list(hints), "answer": list(answers)}
        self._sure = list(sure)
        self._given = True
        self.asked: list[GenerationRequest] = []

    def __call__(self, request: GenerationRequest) -> Reply:
        self.asked.append(request)
        if request.labels is None:
            line = _next(self._lines["hinter" if request.role == "hinter" else "answer"])
            if isinstance(line, Failure):
                return line
            return Generation(
                texts=(line,),
                finish_reasons=("stop",),
                usage=Usage(prompt_tokens=10, completion_tokens=2),
            )
        sure = self._sure[0]
        # A probe without a result is not asked in the other order.
        self._given = not self._given or not isinstance(sure, float)
        if self._given and len(self._sure) > 1:
            self._sure.pop(0)
        if isinstance(sure, Failure):
            return sure
        # The label that comes first in ``labels`` is the one for "no other answer fits".
        first, second = request.labels
        mass = {first: 0.001, second: 0.001} if sure is None else {first: sure, second: 1 - sure}
        truncated = () if sure is not None else (first, second)
        return Generation(labels=LabelReading(mass=mass, n_top=2, truncated=truncated))

    def of(self, role: str) -> list[GenerationRequest]:
        """What one role was asked."""
        return [request for request in self.asked if request.role == role]


def _next(lines: list[Any]) -> Any:
    return lines.pop(0) if len(lines) > 1 else lines[0]


def rules(**settings: Any) -> Rules:
    """Rules of a guess game of four turns, unless told otherwise."""
    spec = BuildSpec(**{"game": "guess", "entities": "none", "turns": 4, **settings})
    setup = BuildSetup(spec=spec, prompts=load_prompts(), secrets=(PERU,))
    return Rules(setup=setup, grader=MatchGrader(), unique=uniqueness(setup.prompts, ALL_CAPABLE))


def play(script: Script, secret: Secret = PERU, **settings: Any) -> Played:
    """Play one game without an engine."""
    played, _ = drive(rules(**settings).play(secret), script)
    return played


def failure(kind: str = "unavailable") -> Failure:
    return Failure(stage="generation", kind=kind, message="the server has gone")


def text_of(request: GenerationRequest) -> str:
    return "\n".join(message.content for message in request.messages)


class CountryPlayers:
    """Both roles for many secrets, told apart by the prompt alone, as a model would.

    The Hinter gives numbered facts; the Guesser knows the secret by its facts, and is right and
    certain from turn ``n_turns`` on.
    """

    def __init__(self, names: Sequence[str], *, n_turns: int = 2) -> None:
        self.names = tuple(names)
        self.n_turns = n_turns
        self.fail: Callable[[GenerationRequest], BackendError | None] = lambda request: None

    def __call__(self, request: GenerationRequest) -> Any:
        error = self.fail(request)
        if error is not None:
            return error
        text = text_of(request)
        if request.role == "hinter":
            place = next(i for i, name in enumerate(self.names) if f"Secret: {name}\n" in text)
            fact = f"{WORDS[text.count('fact')]} fact"
            return f"Q: What is its {fact}?\nA: {WORDS[place]} {WORDS[text.count('fact') + 10]}"
        n_facts = text.count("fact?")
        known = n_facts >= self.n_turns
        if request.labels is not None:
            sure = 0.9 if known else 0.1
            return {request.labels[0]: sure, request.labels[1]: 1 - sure}
        place = next(i for i, word in enumerate(WORDS) if f"fact? {word} " in text)
        return self.names[place] if known else "Atlantis"


WORDS = re.findall(
    r"\w+",
    """amber birch cedar dune ember fjord grove heath inlet jetty knoll lagoon marsh nook oasis
    peak quarry ridge shoal tundra upland valley wharf""",
)


def entities(folder: Path, *names: str) -> Path:
    path = folder / "entities.txt"
    path.write_text("\n".join(names), encoding="utf-8")
    return path
