"""One game: hints and guesses until the Guesser is right and certifies it, or the game is dropped.

Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 4.1, the Hinter-Guesser
paradigm; the guards, the prompts and the reading of uniqueness are this project's own.

A game is a flow.  The Guesser's requests are made of the task, the hints so far and its own answer,
and of nothing else: it never sees the secret.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from turnsure.core.built import (
    BuildRole,
    Dropped,
    Guess,
    Played,
    Refusal,
    RefusalReason,
    Refused,
    Secret,
    Spent,
)
from turnsure.core.dialogue import Hint, Prefix
from turnsure.core.digest import seed_from
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Flow, Grader, Reply, TurnContext
from turnsure.dialogues.hinting.guards import Position, check_hint
from turnsure.dialogues.hinting.mending import say_it
from turnsure.dialogues.hinting.reading import read_hint
from turnsure.dialogues.rendering import render
from turnsure.estimators.templates import PromptTemplate
from turnsure.experiment.building.roles import UNIQUE, Uniqueness, in_role
from turnsure.experiment.building.spec import BuildSetup
from turnsure.grading.extract import extract_answer
from turnsure.grading.normalise import normal


@dataclass(slots=True, kw_only=True)
class _Score:
    """What is written down while a game is played."""

    hints: list[Hint] = field(default_factory=list[Hint])
    guesses: list[Guess] = field(default_factory=list[Guess])
    refusals: list[Refusal] = field(default_factory=list[Refusal])
    n_mended: int = 0
    spent: dict[BuildRole, Spent] = field(
        default_factory=lambda: {"hinter": Spent(), "guesser": Spent()}
    )

    def counter(self, role: BuildRole) -> Callable[[Reply], None]:
        """What counts the replies of a role."""

        def count(reply: Reply) -> None:
            self.spent[role] = self.spent[role].plus(reply)

        return count


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How games are played.

    Attributes
    ----------
    setup
        Spec and prompts.
    grader
        Decides whether the Guesser is right.
    unique
        Asks the Guesser whether another answer fits.
    """

    setup: BuildSetup
    grader: Grader
    unique: Uniqueness

    def play(self, secret: Secret) -> Flow[Played]:
        """Play one game to its end."""
        score = _Score()
        dropped = yield from self._turns(secret, score)
        return Played(
            secret=secret,
            hints=tuple(score.hints),
            guesses=tuple(score.guesses),
            refusals=tuple(score.refusals),
            n_mended=score.n_mended,
            dropped=dropped,
            spent=score.spent,
        )

    def _turns(self, secret: Secret, score: _Score) -> Flow[Dropped | None]:
        limit = self.setup.spec.most_turns
        for turn in range(1, limit + 1):
            hint = yield from self._hint(secret, turn, score)
            if isinstance(hint, Dropped):
                return hint
            score.hints.append(hint)
            guess = yield from self._guess(secret, turn, score)
            if isinstance(guess, Dropped):
                return guess
            score.guesses.append(guess)
            if guess.right and guess.certified:
                return None
        n_right = sum(guess.right for guess in score.guesses)
        if n_right:
            evidence = f"right at {n_right} of {limit} turns"
            return Dropped(reason="never_certified", turn=limit, evidence=evidence)
        last = score.guesses[-1].answer
        said = last.message if isinstance(last, Failure) else f"the last answer was {last!r}"
        return Dropped(reason="never_right", turn=limit, evidence=said)

    def _hint(self, secret: Secret, turn: int, score: _Score) -> Flow[Hint | Dropped]:
        """A hint that every guard lets through, within the attempts."""
        spec = self.setup.spec
        position = Position(
            names=secret.names,
            task=self.setup.task(secret),
            game=spec.game,
            earlier=tuple(score.hints),
            normalise=normal,
        )
        refused: Refused | None = None
        for attempt in range(1, spec.attempts + 1):
            request = self._hint_request(secret, score.hints, attempt, refused and refused.reason)
            [reply] = yield from in_role("hinter", "hint", _once(request), score.counter("hinter"))
            if isinstance(reply, Failure):
                return _failed(reply, turn)
            text = reply.texts[0] if reply.texts else ""
            read = read_hint(text, game=spec.game)
            hint = read if isinstance(read, Refused) else say_it(read, secret.names)
            refused = hint if isinstance(hint, Refused) else check_hint(hint, position)
            if isinstance(hint, Hint) and refused is None:
                score.n_mended += hint != read
                return hint
            if refused is not None:
                score.refusals.append(
                    Refusal(turn=turn, attempt=attempt, refused=refused, reply=text)
                )
        last = score.refusals[-1].refused
        return Dropped(reason=last.reason, turn=turn, evidence=last.evidence)

    def _hint_request(
        self, secret: Secret, known: list[Hint], attempt: int, refused: RefusalReason | None
    ) -> GenerationRequest:
        spec = self.setup.spec
        return GenerationRequest(
            messages=self.setup.prompts.hinter(
                secret.names[0], known, game=spec.game, refused=refused
            ),
            max_tokens=spec.hint_tokens,
            temperature=spec.temperature,
            seed=seed_from(spec.seed, secret.names[0], len(known) + 1, attempt),
            # The store gives equal requests one reply; another attempt wants another.
            replicate=attempt - 1,
        )

    def _guess(self, secret: Secret, turn: int, score: _Score) -> Flow[Guess | Dropped]:
        context = self._context(secret, turn, score)
        count = score.counter("guesser")
        [reply] = yield from in_role(
            "guesser", "answer", _once(self._answer_request(context)), count
        )
        if isinstance(reply, Failure):
            return _failed(reply, turn)
        read = extract_answer(reply.texts[0] if reply.texts else "")
        if isinstance(read, Failure):
            return Guess(answer=read, right=False, unique=read, certified=False)
        asking = self.unique.ask(context, read.answer)
        unique = yield from in_role("guesser", UNIQUE, asking, count)
        if isinstance(unique, Failure) and unique.stage == "generation":
            return _failed(unique, turn)
        return Guess(
            answer=read.answer,
            right=self.grader.grade(read.answer, secret.names).correct is True,
            unique=unique,
            certified=not isinstance(unique, Failure) and unique > self.setup.spec.certain,
        )

    def _context(self, secret: Secret, turn: int, score: _Score) -> TurnContext:
        """What the Guesser knows: neither the secret nor what is said of it later."""
        prefix = Prefix(
            dialogue=secret.id,
            task=self.setup.task(secret),
            hints=tuple(score.hints),
            turn=turn,
            closing=secret.closing,
        )
        history = render(prefix, style="transcript", wording=self.setup.prompts.history)
        seed = seed_from(self.setup.spec.seed, secret.id, turn)
        return TurnContext(prefix=prefix, history=history, seed=seed)

    def _answer_request(self, context: TurnContext) -> GenerationRequest:
        template = PromptTemplate(name="guesser", text=self.setup.prompts.texts["guesser.text"])
        return GenerationRequest(
            messages=template.fill(context.history),
            max_tokens=self.setup.spec.answer_tokens,
            seed=context.seed,
        )


def _once(request: GenerationRequest) -> Flow[list[Reply]]:
    """Ask one thing."""
    return list((yield [request]))


def _failed(failure: Failure, turn: int) -> Dropped:
    return Dropped(
        reason="backend_failed", turn=turn, evidence=f"{failure.kind}: {failure.message}"
    )
