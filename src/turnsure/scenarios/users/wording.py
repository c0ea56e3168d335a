"""What a simulated user is told: the built-in words, and a file that replaces some of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from turnsure.core.conversation import Exchange, Slip
from turnsure.core.errors import InputError
from turnsure.core.scenario import Reveal, Scenario
from turnsure.files.texts import Texts, load_texts

_NEEDED = {
    "message.text": ("talk", "task"),
    "task.reveal": ("fact",),
    "again.text": ("reason",),
    "stop.text": ("talk",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UserWording:
    """What a simulated user is told.

    Attributes
    ----------
    texts
        All of it, by ``section.field``.
    """

    texts: Texts

    @property
    def labels(self) -> tuple[str, str]:
        """The answers to the question whether to stop; the first means yes."""
        return self.texts["stop.done"], self.texts["stop.go_on"]

    def message(
        self,
        scenario: Scenario,
        exchanges: Sequence[Exchange],
        reveal: Reveal | None,
        slip: Slip | None,
    ) -> str:
        """The prompt for the user's next message.

        It holds no later reveal, so none can be told but by a guess.

        Parameters
        ----------
        scenario
            Its persona and answers are used; its goal is not, since it may tell all at once.
        exchanges
            What was said so far.
        reveal
            What is to be made known, None to react only.
        slip
            The wording that was not taken last, None at the first try.
        """
        task = self.texts["task.react"]
        if reveal is not None:
            task = self.texts.filled("task.reveal", fact=_fact(reveal))
        prompt = self.texts.filled(
            "message.text",
            persona=scenario.persona.strip() or self.texts["message.nobody"],
            talk=self._talk(exchanges),
            task=task,
            answers=_answers(scenario) or self.texts["message.no_answers"],
        )
        if slip is None:
            return prompt
        reason = self.texts[f"reasons.{slip.guard}"]
        again = self.texts.filled("again.text", text=slip.text, reason=reason)
        return f"{prompt}\n\n{again}"

    def stop(self, scenario: Scenario, exchanges: Sequence[Exchange]) -> str:
        """The question whether to stop."""
        goal = scenario.goal.strip() or self.texts["stop.no_goal"]
        return self.texts.filled("stop.text", goal=goal, talk=self._talk(exchanges))

    @property
    def definition(self) -> Mapping[str, str]:
        """Everything, as texts."""
        return self.texts.texts

    def _talk(self, exchanges: Sequence[Exchange]) -> str:
        lines = [
            line
            for one in exchanges
            for line in (f"You: {one.user.content}", f"Assistant: {one.text}")
        ]
        return "\n".join(lines) or self.texts["message.start"]


def load_wording(file: Path | None = None) -> UserWording:
    """The built-in words, with those of a TOML file in their place.

    Raises
    ------
    InputError
        The file is missing or no TOML, names an unknown section or field, a text lacks a slot, or
        both answers to the question whether to stop are the same.
    """
    texts = load_texts("turnsure.scenarios.users", "wording.toml", needed=_NEEDED, file=file)
    wording = UserWording(texts=texts)
    if len(set(wording.labels)) < len(wording.labels):
        raise InputError(
            f"both answers are {wording.labels[0]!r}",
            file=file,
            field="stop.go_on",
            expected="another one than stop.done",
        )
    return wording


def _fact(reveal: Reveal) -> str:
    return "\n".join([reveal.say, *(one for one in reveal.facts if one not in reveal.say)])


def _answers(scenario: Scenario) -> str:
    return "\n".join(f"- {topic}: {answer}" for topic, answer in scenario.answers.items())
