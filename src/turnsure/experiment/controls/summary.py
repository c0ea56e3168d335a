"""The single-turn summary: the same information, told at once.

Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 5.4 and appendix C.
At turn i a summariser makes one or two sentences of the hints so far, and the state is measured
with that summary in place of the turns.  A second format, the hints joined as they stand, needs no
summariser: what differs between it and the turns is the format alone, what differs between it and
the summary is the summariser's doing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from turnsure.core.dialogue import NOTE, Dialogue, Message
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow
from turnsure.dialogues.summary import (
    SUMMARY_TEMPLATE,
    joined_statements,
    read_summary,
    summary_prefix,
    summary_request_text,
)
from turnsure.dialogues.summary_guard import check_summary
from turnsure.experiment.instrument import Instrument
from turnsure.experiment.measure import Measurement, Place
from turnsure.grading.normalise import normal

NAME = "summary"
JOINED = "joined"
"""The condition of the format without a summariser."""

SUMMARY_TOKENS = 200

_SAME = Failure(
    stage="control",
    kind="same_as_the_turn",
    message="told at once, the hints read exactly as they do turn by turn",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Measures the states under both single-turn formats.

    Attributes
    ----------
    measurement
        How a state is measured.
    summariser
        Name of the model that summarises, None for the subject.
    keep_flagged
        Whether a summary that fails the guard is measured all the same.
    """

    measurement: Measurement
    summariser: str | None
    keep_flagged: bool

    @property
    def name(self) -> str:
        return NAME

    @property
    def definition(self) -> Mapping[str, str]:
        return {
            "summariser": self.summariser or "the subject model",
            "template": SUMMARY_TEMPLATE,
            "max_tokens": str(SUMMARY_TOKENS),
            "flagged summaries": "measured" if self.keep_flagged else "left out",
        }

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can be asked for a summary."""

    def upper_bound(self) -> Summary:
        return replace(self, keep_flagged=True)

    def measure(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        rows: list[TurnRow] = []
        for turn in range(1, dialogue.n_turns + 1):
            rows += yield from self._joined(dialogue, turn)
            summary, problems = yield from self._summary(dialogue, turn)
            notes = {f"{NOTE}problems": ", ".join(problems)} if problems else {}
            if isinstance(summary, Failure):
                place = Place(dialogue=dialogue, turn=turn, condition=NAME, notes=notes)
                rows += self.measurement.missing(place, summary)
            else:
                rows += yield from self._state(dialogue, turn, NAME, notes, summary)
        return rows

    def _joined(self, dialogue: Dialogue, turn: int) -> Flow[list[TurnRow]]:
        """The state with the hints joined, where that differs from the plain turn at all."""
        prefix = dialogue.prefix(turn)
        text = joined_statements(prefix.hints)
        render = self.measurement.render
        if render(summary_prefix(prefix, text)) == render(prefix):
            place = Place(
                dialogue=dialogue, turn=turn, condition=JOINED, notes={f"{NOTE}text": text}
            )
            return self.measurement.missing(place, _SAME)
        return (yield from self._state(dialogue, turn, JOINED, {}, text))

    def _state(
        self,
        dialogue: Dialogue,
        turn: int,
        condition: str,
        notes: Mapping[str, str],
        text: str,
    ) -> Flow[list[TurnRow]]:
        prefix = dialogue.prefix(turn)
        return self.measurement.state(
            dialogue,
            summary_prefix(prefix, text),
            turn=turn,
            condition=condition,
            notes={**notes, f"{NOTE}text": text},
        )

    def _summary(self, dialogue: Dialogue, turn: int) -> Flow[tuple[str | Failure, Sequence[str]]]:
        """A summary that may be measured, or why there is none; and what the guard found."""
        hints = dialogue.prefix(turn).hints
        request = GenerationRequest(
            messages=(Message(role="user", content=summary_request_text(hints)),),
            max_tokens=SUMMARY_TOKENS,
            role="summariser",
            tag=NAME,
        )
        [reply] = yield [request]
        if isinstance(reply, Failure):
            return replace(reply, stage="control"), ()
        text = reply.texts[0] if reply.texts else ""
        summary = read_summary(text)
        if isinstance(summary, Failure):
            return summary, ()
        found = check_summary(
            summary, hints=hints, gold=dialogue.gold, task=dialogue.task, normalise=normal
        )
        kinds = sorted({one.kind for one in found.problems})
        if kinds and not self.keep_flagged:
            evidence = "; ".join(f"{one.kind}: {one.evidence}" for one in found.problems)
            failure = Failure(
                stage="control", kind="summary_flagged", message=evidence, raw=summary
            )
            return failure, kinds
        return summary, kinds


def summary(spec: RunSpec, instrument: Instrument, dialogues: Sequence[Dialogue]) -> Summary:
    """Build the control."""
    del dialogues
    return Summary(
        measurement=instrument.measurement,
        summariser=spec.summariser,
        keep_flagged=spec.keep_flagged,
    )
