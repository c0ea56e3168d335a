"""Supplied answers: whether a plausible wrong answer gets nearly the confidence of the right one.

The gold answer and the model's own are judged in the run itself; here the same methods judge wrong
ones: candidates of the closed world that still fit the hints, candidates that no longer do (those
that fitted longest first), and other answers that the model gave when it was sampled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from turnsure.core.dialogue import NOTE, Dialogue
from turnsure.core.digest import seed_from
from turnsure.core.errors import InputError
from turnsure.core.generation import Generation
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.protocols import Capabilities, Estimator, Flow
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow
from turnsure.estimators.requests import answer_request
from turnsure.experiment.instrument import Instrument
from turnsure.experiment.measure import Measurement, Place
from turnsure.grading.match import mentions

NAME = "supplied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplied:
    """Measures the confidence in wrong answers.

    Attributes
    ----------
    measurement
        How; its methods that can judge any answer are asked.
    sources
        Where wrong answers come from.
    n
        At most so many a turn from each source.
    seed
        Chooses among equally good candidates.
    """

    measurement: Measurement
    sources: tuple[str, ...]
    n: int
    seed: int

    @property
    def name(self) -> str:
        return NAME

    @property
    def definition(self) -> Mapping[str, str]:
        return {
            "sources": ", ".join(self.sources),
            "answers of each": str(self.n),
            "seed": str(self.seed),
        }

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Judging another answer needs no more than judging the own one."""

    def upper_bound(self) -> Supplied:
        return self

    def measure(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        methods = _judging(self.measurement)
        rows: list[TurnRow] = []
        for turn in range(1, dialogue.n_turns + 1):
            used = list(dialogue.gold)
            for source in self.sources:
                wrong = yield from self._wrong(source, dialogue, turn)
                if isinstance(wrong, Failure):
                    rows += self._failed(wrong, source, dialogue, turn, methods)
                    continue
                kept = [one for one in wrong if not self._among(one, used)][: self.n]
                used += kept
                for k, answer in enumerate(kept, start=1):
                    place = Place(
                        dialogue=dialogue,
                        turn=turn,
                        condition=f"{NAME}:{source}:{k}",
                        notes={f"{NOTE}source": source},
                    )
                    rows += yield from self.measurement.supplied(place, answer, methods)
        return rows

    def _failed(
        self,
        failure: Failure,
        source: str,
        dialogue: Dialogue,
        turn: int,
        methods: Sequence[Estimator],
    ) -> list[TurnRow]:
        """Rows that say why a source could give no answer."""
        place = Place(
            dialogue=dialogue,
            turn=turn,
            condition=f"{NAME}:{source}:1",
            notes={f"{NOTE}source": source},
        )
        outcome = Outcome(correct=None, grader=self.measurement.grader.name, reason=failure.kind)
        return [
            place.row(
                method.name, failure, target="other", answer=None, outcome=outcome, reply=None
            )
            for method in methods
        ]

    def _wrong(self, source: str, dialogue: Dialogue, turn: int) -> Flow[list[str] | Failure]:
        """Candidates for a wrong answer, the best first."""
        if source == "samples":
            return (yield from self._sampled(dialogue, turn))
        fitting = set(dialogue.candidates_at(turn))
        if source == "remaining":
            return self._drawn(fitting, dialogue, turn)
        wrong: list[str] = []
        for earlier in range(turn - 1, 0, -1):
            left = set(dialogue.candidates_at(earlier)) - fitting
            wrong += self._drawn(left - set(wrong), dialogue, turn)
        return wrong + self._drawn(set(dialogue.candidates) - fitting - set(wrong), dialogue, turn)

    def _drawn(self, candidates: set[str], dialogue: Dialogue, turn: int) -> list[str]:
        """In an order that the seed decides."""
        return sorted(
            candidates, key=lambda one: seed_from(self.seed, f"{dialogue.id} {one}", turn)
        )

    def _sampled(self, dialogue: Dialogue, turn: int) -> Flow[list[str] | Failure]:
        """Wrong answers among the samples that self-consistency draws, the most frequent first.

        The model's own answer, which the run judges already, is none of them.
        """
        settings = self.measurement.settings
        context = self.measurement.context(dialogue.prefix(turn))
        own, reply = yield [
            answer_request(context, settings),
            answer_request(context, settings, samples=settings.samples),
        ]
        if isinstance(reply, Failure):
            return replace(reply, stage="control")
        own_texts = own.texts if isinstance(own, Generation) else ()
        given = settings.read_answer(own_texts[0]) if own_texts else None
        wrong = self._by_frequency(reply, dialogue)
        return [one for one in wrong if given is None or not settings.same_answer(one, given)]

    def _by_frequency(self, reply: Generation, dialogue: Dialogue) -> list[str]:
        settings = self.measurement.settings
        groups: list[list[str]] = []
        for text in reply.texts:
            answer = settings.read_answer(text)
            if answer is None:
                continue
            right = self.measurement.grader.grade(answer, dialogue.gold).correct
            if right is not False or mentions(answer, dialogue.gold):
                continue
            group = next((one for one in groups if settings.same_answer(one[0], answer)), None)
            if group is None:
                groups.append([answer])
            else:
                group.append(answer)
        return [group[0] for group in sorted(groups, key=len, reverse=True)]

    def _among(self, answer: str, others: Sequence[str]) -> bool:
        return any(self.measurement.grader.same(answer, other) for other in others)


def _judging(measurement: Measurement) -> list[Estimator]:
    """The methods that can judge any answer."""
    return [one for one in measurement.estimators if "other" in one.targets]


def supplied(spec: RunSpec, instrument: Instrument, dialogues: Sequence[Dialogue]) -> Supplied:
    """Build the control.

    Raises
    ------
    InputError
        No method can judge a supplied answer, or there is no gold answer to compare with.
    """
    del dialogues
    if not _judging(instrument.measurement):
        raise InputError(
            "no method of this run can judge a supplied answer",
            field="controls",
            expected="a method that can, such as p_true, beside the control 'supplied'",
        )
    if not spec.gold:
        raise InputError(
            "wrong answers are compared with the gold answer, which is not measured",
            field="gold",
            expected="--gold beside the control 'supplied'",
        )
    return Supplied(
        measurement=instrument.measurement,
        sources=spec.supplied_from,
        n=spec.supplied_answers,
        seed=spec.seed,
    )
