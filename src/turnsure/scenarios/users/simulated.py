"""A user that a model words, while code decides what is made known and when it stops.

At every turn code chooses the reveal that is due, at most one, and the model is told that one and
no later one.  What it writes is checked by :mod:`turnsure.scenarios.users.guards`, and asked for
again where a guard refuses it; when no try passes, the run is invalid.  Whether to stop is asked
apart, by a question that a letter answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from turnsure.core.conversation import Exchange, Slip
from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Flow
from turnsure.core.scenario import Reveal, Scenario
from turnsure.scenarios.schedule import schedule
from turnsure.scenarios.seams import MOST_TRIES, Broken, RunContext, Said, Stopped, UserTurn
from turnsure.scenarios.users.guards import Position, check_message, tidied
from turnsure.scenarios.users.wording import UserWording, load_wording

WORDING_TAG = "wording"
AGAIN_TAG = "again"
STOP_TAG = "stop"

_DONE = 0.5
"""Probability of having what it came for from which on the user stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserSettings:
    """How a simulated user is asked.

    Attributes
    ----------
    attempts
        Tries at one message.
    temperature
        Of its wording; above 0, so that runs differ and another try brings another wording.
    max_tokens
        Limit of a message.
    spare_turns
        Messages at most after the last reveal, to answer what the assistant still asks.
    """

    attempts: int = 3
    temperature: float = 0.7
    max_tokens: int = 120
    spare_turns: int = 2

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= MOST_TRIES:
            raise InputError(
                f"it is {self.attempts}", field="attempts", expected=f"1 to {MOST_TRIES}"
            )
        for name, least in (("temperature", 0), ("max_tokens", 1), ("spare_turns", 0)):
            value: float = getattr(self, name)
            if value < least:
                raise InputError(f"it is {value}", field=name, expected=f"{least} or more")


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedUser:
    """A user in the words of a model.

    Attributes
    ----------
    backend
        The model; it is asked in the role ``"user"``.
    wording
        What it is told.
    settings
        How it is asked.
    """

    backend: Backend
    wording: UserWording = field(default_factory=load_wording)
    settings: UserSettings = UserSettings()

    @property
    def name(self) -> str:
        return f"simulated by {self.backend.name}"

    @property
    def definition(self) -> Mapping[str, str]:
        settings = self.settings
        return {
            "user": "simulated",
            **self.wording.definition,
            "attempts": str(settings.attempts),
            "temperature": str(settings.temperature),
            "max_tokens": str(settings.max_tokens),
            "spare_turns": str(settings.spare_turns),
        }

    def is_over(self, scenario: Scenario, exchanges: Sequence[Exchange]) -> bool:
        n_planned = len(schedule(scenario, one_a_turn=True))
        return len(exchanges) >= n_planned + self.settings.spare_turns

    def next(
        self, scenario: Scenario, exchanges: Sequence[Exchange], *, run: RunContext
    ) -> Flow[UserTurn]:
        plan = schedule(scenario, one_a_turn=True)
        turn = len(exchanges) + 1
        if self.is_over(scenario, exchanges):
            return Stopped(ending="user_stop")
        if turn > len(plan) and (yield from self._is_done(scenario, exchanges, run)):
            return Stopped(ending="user_stop")
        due = plan[turn - 1] if turn <= len(plan) else ()
        reveal = due[0] if due else None
        later = tuple(one for turn_of in plan[turn:] for one in turn_of)
        return (yield from self._message(scenario, exchanges, reveal, later, run))

    def _message(
        self,
        scenario: Scenario,
        exchanges: Sequence[Exchange],
        reveal: Reveal | None,
        later: tuple[Reveal, ...],
        run: RunContext,
    ) -> Flow[UserTurn]:
        slips: list[Slip] = []
        for attempt in range(self.settings.attempts):
            prompt = self.wording.message(scenario, exchanges, reveal, slips[-1] if slips else None)
            [reply] = yield [self._request(prompt, len(exchanges) + 1, attempt, run)]
            if isinstance(reply, Failure):
                return reply
            text = tidied(reply.texts[0] if reply.texts else "")
            position = Position(
                reveal=reveal,
                later=later,
                said=tuple(one.user.content for one in exchanges),
                heard=tuple(one.text for one in exchanges),
                card=(scenario.persona, *scenario.answers, *scenario.answers.values()),
                cut=reply.finish_reasons[:1] == ("length",),
            )
            slip = check_message(text, position)
            if slip is None:
                reveals = () if reveal is None else (reveal.id,)
                return Said(text=text, reveals=reveals, slips=tuple(slips))
            slips.append(slip)
        return Broken(slips=tuple(slips))

    def _request(self, prompt: str, turn: int, attempt: int, run: RunContext) -> GenerationRequest:
        return GenerationRequest(
            messages=(Message(role="user", content=prompt),),
            max_tokens=self.settings.max_tokens,
            temperature=self.settings.temperature,
            seed=run.seed_for("user", turn, attempt),
            role="user",
            replicate=run.replicate_for(attempt),
            tag=AGAIN_TAG if attempt else WORDING_TAG,
        )

    def _is_done(
        self, scenario: Scenario, exchanges: Sequence[Exchange], run: RunContext
    ) -> Flow[bool]:
        """Whether the user has what it came for; where the model does not say, it has not."""
        labels = self.wording.labels
        can_read = self.backend.capabilities.label_probabilities != "none"
        [reply] = yield [
            GenerationRequest(
                messages=(Message(role="user", content=self.wording.stop(scenario, exchanges)),),
                max_tokens=1 if can_read else 4,
                labels=labels if can_read else None,
                role="user",
                replicate=run.replicate_for(),
                tag=STOP_TAG,
            )
        ]
        return isinstance(reply, Generation) and _says_first(reply, labels)


def _says_first(reply: Generation, labels: tuple[str, str]) -> bool:
    if reply.labels is not None:
        reading = reply.labels
        return reading.total > 0 and reading.probability(labels[0]) >= _DONE
    letter = (reply.texts[0] if reply.texts else "").strip().strip("*().:").strip()
    return letter == labels[0]
