"""All checks of a scenario at every turn of a transcript."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from turnsure import registry
from turnsure.core.conversation import Ending, Transcript
from turnsure.core.scenario import Finding, Scenario
from turnsure.scenarios.checks.base import Check, CheckKind
from turnsure.scenarios.ledger import ledgers
from turnsure.scenarios.moments import moments

BROKEN_OFF: frozenset[Ending] = frozenset(
    {"assistant_error", "user_invalid", "infrastructure_error"}
)
"""Endings after which a conversation is not judged as a whole."""


class Checker:
    """The checks of one scenario, made once for all of its transcripts.

    Parameters
    ----------
    scenario
        Its checks are made here.

    Raises
    ------
    InputError
        A check does not fit: names scenario and check.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._checks: list[Check] = []
        for spec in scenario.checks:
            kind: CheckKind = registry.load("checks", spec.kind)
            self._checks.append(kind.build(spec, scenario))

    def findings(
        self, transcript: Transcript, *, confidence: Mapping[int, float] | None = None
    ) -> tuple[Finding, ...]:
        """What all checks find at all turns.

        Parameters
        ----------
        transcript
            A run of the scenario.
        confidence
            How sure the assistant was, in [0, 1], by turn, where that was measured.

        Returns
        -------
        In the order of the turns, then of the card; what concerns no turn comes last.  A check
        that had nothing to look at at any turn is among them, with the standing ``"idle"``,
        unless the card calls it optional or the conversation was broken off.

        Raises
        ------
        InputError
            The transcript makes reveals that the scenario does not have.
        """
        if not transcript.exchanges:
            return ()
        finished = transcript.ending not in BROKEN_OFF
        shown = moments(
            transcript, ledgers(self._scenario, transcript), confidence or {}, with_end=finished
        )
        found: list[Finding] = []
        asked = [False] * len(self._checks)
        for moment in shown:
            for place, check in enumerate(self._checks):
                seen = check.look(moment)
                asked[place] = asked[place] or seen is not None
                found += seen or ()
        found.sort(key=partial(_place, n_turns=len(transcript.exchanges)))
        return (*found, *(self._idle(asked) if finished else ()))

    def _idle(self, asked: Iterable[bool]) -> Iterator[Finding]:
        for spec, was_asked in zip(self._scenario.checks, asked, strict=True):
            if not was_asked and not spec.optional:
                yield Finding(
                    check=spec.name,
                    failure=spec.failure,
                    turn=None,
                    message=f"the check {spec.name!r} had nothing to look at at any turn",
                    standing="idle",
                )


def _place(finding: Finding, *, n_turns: int) -> int:
    return n_turns + 1 if finding.turn is None else finding.turn


def check_transcript(
    scenario: Scenario, transcript: Transcript, *, confidence: Mapping[int, float] | None = None
) -> tuple[Finding, ...]:
    """What all checks of a scenario find in one run; see :meth:`Checker.findings`.

    For many runs of a scenario make one :class:`Checker`.

    Raises
    ------
    InputError
        A check does not fit the scenario, or the transcript makes reveals that it does not have.
    """
    return Checker(scenario).findings(transcript, confidence=confidence)


def finding_lines(findings: Iterable[Finding]) -> Iterator[str]:
    """Findings as a person reads them: ``Turn 3: W2 is over budget``."""
    for one in findings:
        place = "Whole conversation" if one.turn is None else f"Turn {one.turn}"
        yield f"{place}: {one.message}"
