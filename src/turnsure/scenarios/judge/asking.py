"""How a judge is asked, and asked again where its reply cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from turnsure.core.boxed import MOST_CHARACTERS
from turnsure.core.dialogue import Message
from turnsure.core.digest import seed_from
from turnsure.core.errors import InputError
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Flow
from turnsure.scenarios.items import json_values
from turnsure.scenarios.seams import MOST_TRIES
from turnsure.scenarios.users.simulated import AGAIN_TAG

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSettings:
    """How a judge is asked.

    Attributes
    ----------
    tries
        At one question, 1 to :data:`~turnsure.scenarios.seams.MOST_TRIES`.
    temperature
        Of the tries after the first, which is greedy: the same again would bring the same reply.
    max_tokens
        Of a comparison, or for each item of a rubric.
    """

    tries: int = 3
    temperature: float = 0.7
    max_tokens: int = 200

    def __post_init__(self) -> None:
        if not 1 <= self.tries <= MOST_TRIES:
            raise InputError(f"it is {self.tries}", field="tries", expected=f"1 to {MOST_TRIES}")
        if not self.temperature >= 0:
            raise InputError(f"it is {self.temperature}", field="temperature", expected="0 or more")
        if self.max_tokens < 1:
            raise InputError(f"it is {self.max_tokens}", field="max_tokens", expected="1 or more")

    @property
    def definition(self) -> Mapping[str, str]:
        """As texts."""
        return {
            "tries": str(self.tries),
            "temperature": str(self.temperature),
            "max_tokens": str(self.max_tokens),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Generic[T]):
    """What came of a question.

    Attributes
    ----------
    value
        What was read; None where no reply could be.
    problem
        What was wrong with the last reply; None where it was read.
    n_tries
        How often it was asked.
    """

    value: T | None
    problem: str | None
    n_tries: int


def ask(
    prompt: str,
    read: Callable[[str], T],
    settings: JudgeSettings,
    *,
    max_tokens: int,
    seed: int,
    replicate: int,
    tag: str,
) -> Flow[Asked[T]]:
    """Ask until a reply can be read, at most ``settings.tries`` times.

    Parameters
    ----------
    prompt
        The whole question.
    read
        Raises an InputError for a text that it cannot read.
    seed, replicate
        Of the run; every try has a seed and a replicate of its own.
    tag
        Of the first try; those after it count as asked again.
    """
    problem = ""
    for attempt in range(settings.tries):
        [reply] = yield [
            GenerationRequest(
                messages=(Message(role="user", content=prompt),),
                max_tokens=max_tokens,
                temperature=settings.temperature if attempt else 0.0,
                seed=seed_from(seed, tag, attempt),
                role="judge",
                replicate=replicate * MOST_TRIES + attempt,
                tag=AGAIN_TAG if attempt else tag,
            )
        ]
        if isinstance(reply, Failure):
            # The engine has tried again by itself where that could help.
            return Asked(
                value=None, problem=f"the judge's model: {reply.message}", n_tries=attempt + 1
            )
        try:
            value = read(reply.texts[0] if reply.texts else "")
        except InputError as error:
            problem = f"the judge's reply cannot be read: {error}"
        else:
            return Asked(value=value, problem=None, n_tries=attempt + 1)
    return Asked(value=None, problem=problem, n_tries=settings.tries)


def only_object(text: str, needs: str) -> Mapping[str, Any]:
    """The one JSON object of a reply that has a field.

    Raises
    ------
    InputError
        There is none, or there are several that differ: one may be copied from the transcript.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"it has {len(text)} characters", expected=f"at most {MOST_CHARACTERS}")
    found = [
        cast("Mapping[str, Any]", one)
        for one in json_values(text)
        if isinstance(one, dict) and needs in one
    ]
    if not found:
        raise InputError(f"it has no JSON object with {needs!r}")
    if any(one != found[0] for one in found):
        raise InputError(f"it has several JSON objects with {needs!r}", expected="one")
    return found[0]
