"""Transcripts and verdicts for the tests of judges and counts."""

from __future__ import annotations

from collections.abc import Mapping

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.dialogue import Message
from turnsure.core.scenario import Reveal, RubricItem, RunVerdict, Scenario, Verdict

WORDS: Mapping[str, Verdict] = {
    "p": "pass",
    "f": "fail",
    "i": "inconclusive",
    "v": "invalid",
    "e": "error",
}


def verdicts(runs: Mapping[str, str]) -> list[RunVerdict]:
    """One letter a run: ``{"a": "ppf"}`` are two passes and a fail of scenario a."""
    return [
        RunVerdict(scenario=name, replicate=place, verdict=WORDS[letter], n_turns=1)
        for name, letters in runs.items()
        for place, letter in enumerate(letters)
    ]


def talk(*turns: tuple[str, str], name: str = "s") -> Transcript:
    """What user and assistant said, turn by turn."""
    return Transcript(
        scenario=name,
        replicate=0,
        exchanges=tuple(
            Exchange(
                turn=turn,
                user=Message(role="user", content=user),
                replies=(Message(role="assistant", content=reply),),
            )
            for turn, (user, reply) in enumerate(turns, start=1)
        ),
        ending="script_end",
    )


def judged_scenario(**asks: str) -> Scenario:
    """A scenario with a rubric and nothing else to check."""
    return Scenario(
        id="s",
        reveals=(Reveal(id="r", say="hello"),),
        rubric=tuple(RubricItem(name=name, ask=ask) for name, ask in asks.items()),
    )
