"""One dialogue, turn by turn: ask for the answer once, then for every method's confidence in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Dialogue, Message, Prefix
from turnsure.core.digest import seed_from
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.protocols import Estimator, Flow, Grader, Reply, TurnContext
from turnsure.core.turns import PLAIN, TurnRow
from turnsure.engine.together import together
from turnsure.estimators.requests import answer_request
from turnsure.estimators.settings import EstimatorSettings
from turnsure.grading.extract import extract_answer
from turnsure.grading.match import mentions

Render = Callable[[Prefix], tuple[Message, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """The model's answer at one turn: the reply, what was read from it, and whether it is right."""

    reply: str | None
    answer: str | Failure
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """How every turn of every dialogue is measured.

    Attributes
    ----------
    estimators
        In the order of the tables.
    settings
        What the estimators were built with.
    grader
        Decides whether answers are right.
    render
        Turns a prefix into the chat messages that ask for the answer.
    targets
        Whose confidence: ``"answer"``, ``"gold"`` or both.
    seed
        Of sampling.
    evidence
        Turns a prefix into the chat messages that the methods get to see, where a control shows
        them something else; None for the same as ``render``.
    """

    estimators: tuple[Estimator, ...]
    settings: EstimatorSettings
    grader: Grader
    render: Render
    targets: tuple[Target, ...]
    seed: int
    evidence: Render | None = None

    def dialogue(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        """Measure all turns, one after the other: the prompt of each extends that of the last."""
        rows: list[TurnRow] = []
        for turn in range(1, dialogue.n_turns + 1):
            rows += yield from self.turn(dialogue, turn)
        return rows

    def turn(self, dialogue: Dialogue, turn: int) -> Flow[list[TurnRow]]:
        """Measure one turn."""
        return self.state(dialogue, dialogue.prefix(turn), turn=turn)

    def state(
        self,
        dialogue: Dialogue,
        prefix: Prefix,
        *,
        turn: int,
        condition: str = PLAIN,
        notes: Mapping[str, str] | None = None,
    ) -> Flow[list[TurnRow]]:
        """Measure what a model answers, and how sure it is, when it sees ``prefix``.

        Parameters
        ----------
        dialogue
            Whose accepted answers decide.
        prefix
            What is seen: the dialogue's own at a plain turn, another one under a control.
        turn
            Under which turn the rows are filed, 1..n_turns.
        condition, notes
            What the rows are marked with; the notes join the dialogue's meta.
        """
        context = self.context(prefix)
        [reply] = yield [answer_request(context, self.settings)]
        read = self._read(reply, dialogue.gold)
        proposed: dict[Target, str | Failure] = {"answer": read.answer, "gold": dialogue.gold[0]}
        asked: list[tuple[Target, Estimator]] = [
            (target, method)
            for target in self.targets
            for method in self.estimators
            if target in method.targets
        ]
        shown = self._shown(context)
        confidences = yield from together(
            [_estimate(method, shown, proposed[target]) for target, method in asked]
        )
        place = Place(dialogue=dialogue, turn=turn, condition=condition, notes=notes or {})
        return [
            place.row(
                method.name,
                confidence,
                target=target,
                answer=_own(read.answer) if target == "answer" else dialogue.gold[0],
                outcome=read.outcome if target == "answer" else _given(dialogue.gold[0]),
                reply=read.reply,
            )
            for (target, method), confidence in zip(asked, confidences, strict=True)
        ]

    def missing(self, place: Place, failure: Failure) -> list[TurnRow]:
        """The rows of a state that could not be made: each holds the reason."""
        return [
            place.row(
                method.name,
                failure,
                target=target,
                answer=None,
                outcome=Outcome(correct=None, grader=self.grader.name, reason=failure.kind),
                reply=None,
            )
            for target in self.targets
            for method in self.estimators
            if target in method.targets
        ]

    def supplied(
        self, place: Place, answer: str, methods: Sequence[Estimator]
    ) -> Flow[list[TurnRow]]:
        """Measure the confidence in an answer that is neither the model's own nor the gold one."""
        shown = self._shown(self.context(place.dialogue.prefix(place.turn)))
        confidences = yield from together([one.estimate(shown, answer) for one in methods])
        outcome = self.grader.grade(answer, place.dialogue.gold)
        return [
            place.row(
                method.name, confidence, target="other", answer=answer, outcome=outcome, reply=None
            )
            for method, confidence in zip(methods, confidences, strict=True)
        ]

    def context(self, prefix: Prefix) -> TurnContext:
        """What the estimators get to know at one turn."""
        return TurnContext(
            prefix=prefix,
            history=self.render(prefix),
            seed=seed_from(self.seed, prefix.dialogue, prefix.turn),
        )

    def _shown(self, context: TurnContext) -> TurnContext:
        if self.evidence is None:
            return context
        return replace(context, history=self.evidence(context.prefix))

    def prompt(self, dialogue: Dialogue, turn: int) -> tuple[Message, ...]:
        """The messages that ask for the answer at one turn."""
        return answer_request(self.context(dialogue.prefix(turn)), self.settings).messages

    def _read(self, reply: Reply, gold: Sequence[str]) -> ReadAnswer:
        if isinstance(reply, Failure):
            return self._unread(None, replace(reply, stage="answer"))
        text = reply.texts[0] if reply.texts else ""
        extracted = extract_answer(text, placeholders=self.settings.templates["answer"].placeholder)
        if isinstance(extracted, Failure):
            return self._unread(text, extracted)
        outcome = self.grader.grade(extracted.answer, gold)
        if (
            extracted.rule == "statement"
            and not outcome.correct
            and mentions(extracted.answer, gold)
        ):
            outcome = Outcome(correct=None, grader=self.grader.name, reason="mentioned")
        return ReadAnswer(reply=text, answer=extracted.answer, outcome=outcome)

    def _unread(self, reply: str | None, failure: Failure) -> ReadAnswer:
        outcome = Outcome(correct=None, grader=self.grader.name, reason=failure.kind)
        return ReadAnswer(reply=reply, answer=failure, outcome=outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where rows belong.

    Attributes
    ----------
    dialogue, turn
        The turn, 1..n_turns.
    condition
        ``"plain"``, or the control's.
    notes
        What the control wants to be known of the row.
    """

    dialogue: Dialogue
    turn: int
    condition: str
    notes: Mapping[str, str] = field(default_factory=dict[str, str])

    def row(
        self,
        method: str,
        confidence: Confidence | Failure,
        *,
        target: Target,
        answer: str | None,
        outcome: Outcome,
        reply: str | None,
    ) -> TurnRow:
        """One row; a failure learns where it happened."""
        if isinstance(confidence, Failure):
            confidence = replace(
                confidence, dialogue=self.dialogue.id, turn=self.turn, method=method
            )
        return TurnRow(
            dialogue=self.dialogue.id,
            turn=self.turn,
            n_turns=self.dialogue.n_turns,
            condition=self.condition,
            target=target,
            method=method,
            answer=answer,
            confidence=confidence,
            outcome=outcome,
            reply=reply,
            meta={**self.dialogue.meta, **self.notes},
        )


def _own(answer: str | Failure) -> str | None:
    return answer if isinstance(answer, str) else None


def _given(gold: str) -> Outcome:
    return Outcome(correct=True, grader="given", rule="gold", matched=gold)


def _estimate(
    method: Estimator, context: TurnContext, answer: str | Failure
) -> Flow[Confidence | Failure]:
    """Ask the method; without an answer there is nothing to be sure of, and nothing is asked."""
    if isinstance(answer, Failure):
        return answer
    return (yield from method.estimate(context, answer))
