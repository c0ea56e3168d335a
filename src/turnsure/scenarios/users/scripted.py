"""A user that says what the card says, in order, whatever it is asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.conversation import Exchange
from turnsure.core.protocols import Flow
from turnsure.core.scenario import Reveal, Scenario
from turnsure.scenarios.schedule import schedule
from turnsure.scenarios.seams import RunContext, Said, Stopped, UserTurn
from turnsure.scenarios.users.questions import last_question, unanswered


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedUser:
    """Says each reveal's ``say`` at its turn; several of one turn make one message.

    A script cannot answer what it did not foresee.  Where the assistant's last sentence is a
    question, and the next message shares no word of content with it, the exchange gets a note: the
    script does not fit.  That is no failure of the assistant, but such a run may mean little.

    Attributes
    ----------
    filler
        What is said at a turn between two reveals that has none of its own.
    """

    filler: str = "Please go on."

    @property
    def name(self) -> str:
        return "scripted"

    @property
    def definition(self) -> Mapping[str, str]:
        return {"user": "scripted", "filler": self.filler}

    @property
    def backend(self) -> None:
        """It asks no model."""
        return None

    def is_over(self, scenario: Scenario, exchanges: Sequence[Exchange]) -> bool:
        return len(exchanges) >= len(schedule(scenario))

    def next(
        self, scenario: Scenario, exchanges: Sequence[Exchange], *, run: RunContext
    ) -> Flow[UserTurn]:
        del run
        return self._next(scenario, exchanges)
        yield  # a flow that asks nothing

    def _next(self, scenario: Scenario, exchanges: Sequence[Exchange]) -> Said | Stopped:
        plan = schedule(scenario)
        if len(exchanges) >= len(plan):
            return Stopped(ending="script_end")
        reveals = plan[len(exchanges)]
        text = "\n".join(one.say for one in reveals) or self.filler
        question = last_question(exchanges[-1].text) if exchanges else None
        about = " ".join([text, *(_names(one) for one in reveals)])
        note = None if question is None else unanswered(question, about, scenario.answers)
        return Said(text=text, reveals=tuple(one.id for one in reveals), note=note)


def _names(reveal: Reveal) -> str:
    """What a reveal is about, in the card's own words."""
    return " ".join((reveal.id, *reveal.sets, *reveal.withdraws)).replace("_", " ")
