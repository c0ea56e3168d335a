"""Whether the checks of a card find the bug of the conversation that it was made of."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.core.conversation import Transcript
from turnsure.core.scenario import FailureType, Finding, Scenario
from turnsure.scenarios.checking import check_transcript, finding_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """Whether a card's checks find in a transcript what is said to be wrong with it.

    Attributes
    ----------
    wanted
        The findings looked for: at the said turn, of the said type.
    findings
        All findings.
    turn, failure
        What was said; None for any.
    """

    wanted: tuple[Finding, ...]
    findings: tuple[Finding, ...]
    turn: int | None = None
    failure: FailureType | None = None

    @property
    def reproduced(self) -> bool:
        """Whether there is one."""
        return bool(self.wanted)

    @property
    def sentence(self) -> str:
        """The outcome for a person."""
        if self.wanted:
            return f"reproduced. {next(finding_lines(self.wanted))}"
        what = "nothing" if self.failure is None else f"no {self.failure}"
        where = "" if self.turn is None else f" at turn {self.turn}"
        others = "; ".join(finding_lines(self.findings))
        return f"not reproduced: the checks find {what}{where}" + (
            f", but: {others}" if others else ""
        )


def reproduces(
    scenario: Scenario,
    transcript: Transcript,
    *,
    turn: int | None = None,
    failure: FailureType | None = None,
) -> Reproduction:
    """Replay a recorded conversation against a card's checks.

    Parameters
    ----------
    scenario, transcript
        Those of a :class:`FrozenScenario`, or the card as it was edited since.
    turn, failure
        Where the bug is and of which type; None for anywhere and any.

    Raises
    ------
    InputError
        A check does not fit, or the transcript makes reveals that the scenario does not have.
    """
    findings = check_transcript(scenario, transcript)
    return Reproduction(
        wanted=tuple(
            one
            for one in findings
            if one.standing == "broken"
            and turn in {None, one.turn}
            and failure in {None, one.failure}
        ),
        findings=findings,
        turn=turn,
        failure=failure,
    )
