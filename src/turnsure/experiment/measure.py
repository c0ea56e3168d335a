"""One dialogue, turn by turn: ask for the answer once, then for every method's confidence in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Dialogue, Message, Prefix
from turnsure.core.digest import seed_from
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.protocols import Estimator, Flow, Grader, Reply, TurnContext
from turnsure.core.turns import TurnRow
from turnsure.engine.together import together
from turnsure.estimators.requests import answer_request
from turnsure.estimators.settings import EstimatorSettings
from turnsure.grading.extract import extract_answer
from turnsure.grading.match import mentions

PLAIN = "plain"
"""The condition of an ordinary run, without a control."""


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
        Turns a prefix into chat messages.
    targets
        Whose confidence: ``"answer"``, ``"gold"`` or both.
    seed
        Of sampling.
    """

    estimators: tuple[Estimator, ...]
    settings: EstimatorSettings
    grader: Grader
    render: Callable[[Prefix], tuple[Message, ...]]
    targets: tuple[Target, ...]
    seed: int

    def dialogue(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        """Measure all turns, one after the other: the prompt of each extends that of the last."""
        rows: list[TurnRow] = []
        for turn in range(1, dialogue.n_turns + 1):
            rows += yield from self.turn(dialogue, turn)
        return rows

    def turn(self, dialogue: Dialogue, turn: int) -> Flow[list[TurnRow]]:
        """Measure one turn."""
        context = self.context(dialogue.prefix(turn))
        [reply] = yield [answer_request(context, self.settings)]
        read = self._read(reply, dialogue.gold)
        proposed: dict[Target, str | Failure] = {"answer": read.answer, "gold": dialogue.gold[0]}
        asked: list[tuple[Target, Estimator]] = [
            (target, method) for target in self.targets for method in self.estimators
        ]
        confidences = yield from together(
            [_estimate(method, context, proposed[target]) for target, method in asked]
        )
        return [
            self._row(dialogue, turn, target, method.name, read, confidence)
            for (target, method), confidence in zip(asked, confidences, strict=True)
        ]

    def context(self, prefix: Prefix) -> TurnContext:
        """What the estimators get to know at one turn."""
        return TurnContext(
            prefix=prefix,
            history=self.render(prefix),
            seed=seed_from(self.seed, prefix.dialogue, prefix.turn),
        )

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

    def _row(
        self,
        dialogue: Dialogue,
        turn: int,
        target: Target,
        method: str,
        read: ReadAnswer,
        confidence: Confidence | Failure,
    ) -> TurnRow:
        if isinstance(confidence, Failure):
            confidence = replace(confidence, dialogue=dialogue.id, turn=turn, method=method)
        own = read.answer if isinstance(read.answer, str) else None
        gold = dialogue.gold[0]
        return TurnRow(
            dialogue=dialogue.id,
            turn=turn,
            n_turns=dialogue.n_turns,
            condition=PLAIN,
            target=target,
            method=method,
            answer=own if target == "answer" else gold,
            confidence=confidence,
            outcome=read.outcome
            if target == "answer"
            else Outcome(correct=True, grader="given", rule="gold", matched=gold),
            reply=read.reply,
            meta=dialogue.meta,
        )


def _estimate(
    method: Estimator, context: TurnContext, answer: str | Failure
) -> Flow[Confidence | Failure]:
    """Ask the method; without an answer there is nothing to be sure of, and nothing is asked."""
    if isinstance(answer, Failure):
        return answer
    return (yield from method.estimate(context, answer))
