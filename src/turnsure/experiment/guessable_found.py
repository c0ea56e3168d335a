"""What a model's answers say of dialogues: which are guessed, and whether hints help."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from turnsure import metrics
from turnsure.core.dialogue import Dialogue
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.tested import LEAST_DIALOGUES, Found, TestedChange
from turnsure.core.turns import PLAIN, TurnRow, TurnsTable
from turnsure.dialogues.checking.finding import Finding, Place
from turnsure.experiment.effects.pairing import (
    Values,
    corrected,
    defined,
    outcomes,
    tested_change,
)
from turnsure.experiment.guessable import NO_HINTS

NOTEWORTHY = 0.05
"""A rise that is surely smaller than this is none worth speaking of."""

_WIDTH = 1e-12

Rise = Literal["rises", "falls", "flat", "open"]
"""``"flat"``: it surely rises by less than :data:`NOTEWORTHY`; ``"open"``: it cannot be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueAnswers:
    """What became of one dialogue.

    Attributes
    ----------
    dialogue
        The id.
    guess
        The answer without any hint; None where none was given or read.
    guessed
        Whether it is right; None where there was no reply at all.
    why_none
        Why there is no guess, or why it is not graded.
    first, middle, last
        Whether the answer is right at turn 1, at turn (L + 1) // 2, and at turn L; None where it
        is not graded.
    """

    dialogue: str
    guess: str | None
    guessed: bool | None
    why_none: str | None
    first: bool | None
    middle: bool | None
    last: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """Guessing in closed worlds, against drawing one of the candidates blindly.

    Attributes
    ----------
    guessed
        The share of right guesses among dialogues with candidates.
    expected
        What chance gives: the mean of 1/n over their numbers n of candidates.
    """

    guessed: MetricResult
    expected: float

    @property
    def is_exceeded(self) -> bool:
        """Whether the whole interval lies above chance."""
        bounds = self.guessed.interval
        return bounds is not None and bounds.low > self.expected


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersFound:
    """What the answers say.

    Attributes
    ----------
    guessed
        Share of right answers without any hint, with Wilson's interval.
    chance
        The same in closed worlds beside chance; None where there is none.
    no_guess
        Replies without a hint that are not graded, by reason.
    first, middle, last
        Accuracy at turn 1, (L + 1) // 2 and L of the dialogues with two turns or more.
    n_one_turn
        Dialogues with one turn, which are in none of them.
    change
        From the first to the last turn, paired by dialogue.
    rise
        What it comes to.
    dialogues
        Each by itself, in order.
    """

    guessed: Found
    chance: Chance | None
    no_guess: Mapping[str, int]
    first: Found
    middle: Found
    last: Found
    n_one_turn: int
    change: TestedChange
    rise: Rise
    dialogues: tuple[DialogueAnswers, ...]


def answers_found(table: TurnsTable, dialogues: Sequence[Dialogue], spec: RunSpec) -> AnswersFound:
    """Evaluate the rows of :func:`turnsure.experiment.guessable.ask_answers`.

    Parameters
    ----------
    table, dialogues
        What was answered, and to which dialogues.
    spec
        Sets resamples and seed.
    """
    bare = {row.dialogue: row for row in table.select(condition=NO_HINTS).rows}
    right = outcomes(table.select(condition=PLAIN))
    closed = {one.id: 1 / len(one.candidates) for one in dialogues if one.candidates}
    long = [one for one in dialogues if one.n_turns > 1]
    first: Values = {(one.id, 1): right[one.id, 1] for one in long}
    last: Values = {(one.id, 1): right[one.id, one.n_turns] for one in long}
    change = _change(first, last, spec)
    return AnswersFound(
        guessed=_guessed(list(bare.values())),
        chance=_chance([bare[name] for name in closed], closed),
        no_guess=Counter(
            row.outcome.reason
            for row in bare.values()
            if row.reply is not None and row.outcome.reason is not None
        ),
        first=_accuracy(first),
        middle=_accuracy({(one.id, 1): right[one.id, _middle(one)] for one in long}),
        last=_accuracy(last),
        n_one_turn=len(dialogues) - len(long),
        change=change,
        rise=rise_of(change),
        dialogues=tuple(_of_dialogue(one, bare[one.id], right) for one in dialogues),
    )


def _guessed(rows: Sequence[TurnRow]) -> Found:
    """The share of right ones among the replies; a reply that names no answer is no right one."""
    name = "guessed_without_hints"
    replied = [row for row in rows if row.reply is not None]
    n_failed = len(rows) - len(replied)
    if not replied:
        return Undefined(name=name, reason="no request was answered", n_failed=n_failed)
    n_right = sum(row.outcome.correct is True for row in replied)
    return MetricResult(
        name=name,
        value=n_right / len(replied),
        interval=metrics.wilson(n_right, len(replied)),
        n_turns=len(replied),
        n_dialogues=len(replied),
        n_failed=n_failed,
        direction="lower",
        definition={"asked": "once, greedily, with the task alone", "share": "of all replies"},
        details={
            "n_guessed": n_right,
            "n_not_graded": sum(row.outcome.correct is None for row in replied),
        },
    )


def _chance(rows: Sequence[TurnRow], chances: Mapping[str, float]) -> Chance | None:
    guessed = _guessed(rows)
    if isinstance(guessed, Undefined):
        return None
    expected = [chances[row.dialogue] for row in rows if row.reply is not None]
    return Chance(guessed=guessed, expected=sum(expected) / len(expected))


def _middle(dialogue: Dialogue) -> int:
    return (dialogue.n_turns + 1) // 2


def _accuracy(right: Values) -> Found:
    """One turn of each dialogue, so that Wilson's interval holds, also where all are alike."""
    found = defined("accuracy", lambda: metrics.accuracy(list(right.values())))
    if isinstance(found, Undefined):
        return found
    graded = [one for one in right.values() if one is not None]
    return replace(
        found,
        interval=metrics.wilson(sum(one == 1 for one in graded), len(graded)),
        n_dialogues=len(graded),
    )


def _change(first: Values, last: Values, spec: RunSpec) -> TestedChange:
    both = [turn for turn in first if first[turn] is not None and last[turn] is not None]
    if not both:
        reason = "no dialogue with two turns or more is graded at its first and at its last turn"
        return TestedChange(
            change=Undefined(name="paired_change", reason=reason, n_failed=len(first))
        )
    [change] = corrected([tested_change(first, last, list(first), spec)])
    return change


def rise_of(change: TestedChange) -> Rise:
    """What a change of the share of right answers from the first to the last turn comes to."""
    found = change.change
    if not isinstance(found, MetricResult) or found.interval is None or found.n_dialogues is None:
        return "open"
    if found.n_dialogues < LEAST_DIALOGUES:
        return "open"
    if change.rises or change.falls:
        return "rises" if change.rises else "falls"
    highest = found.interval.high
    if highest - found.interval.low < _WIDTH:
        # Where no dialogue changes resampling sees no spread, however few dialogues there are.
        highest = metrics.wilson(0, found.n_dialogues).high
    return "flat" if highest < NOTEWORTHY else "open"


def _of_dialogue(dialogue: Dialogue, bare: TurnRow, right: Values) -> DialogueAnswers:
    def at(turn: int) -> bool | None:
        outcome = right[dialogue.id, turn]
        return None if outcome is None else bool(outcome)

    return DialogueAnswers(
        dialogue=dialogue.id,
        guess=bare.answer,
        guessed=None if bare.reply is None else bare.outcome.correct is True,
        why_none=bare.outcome.reason,
        first=at(1),
        middle=at(_middle(dialogue)),
        last=at(dialogue.n_turns),
    )


def findings_of(
    found: AnswersFound, places: Mapping[str, Place], *, most_guessed: float | None
) -> Iterator[Finding]:
    """What of it a check points out.

    Parameters
    ----------
    found
        The answers.
    places
        Where each dialogue stands, by id.
    most_guessed
        A larger share of guessed dialogues is an error, a fraction; None for no limit.
    """
    share = found.guessed
    if most_guessed is not None and isinstance(share, MetricResult) and share.value > most_guessed:
        yield Finding(
            kind="set_guessable",
            evidence=f"{share.details['n_guessed']} of {share.n_turns}, a share of "
            f"{share.value:.3f} where {most_guessed:g} is allowed",
            dialogue=None,
        )
    for one in found.dialogues:
        if one.guessed:
            yield Finding(
                kind="guessable",
                evidence=f"{one.guess!r} with the task alone",
                dialogue=one.dialogue,
                place=places[one.dialogue],
            )
    change = found.change.change
    if found.rise in ("falls", "flat") and isinstance(change, MetricResult):
        before, after = change.details["mean_before"], change.details["mean_after"]
        yield Finding(
            kind="answers_do_not_rise",
            evidence=f"share right at the first turn {before:.3f}, at the last {after:.3f}, in "
            f"{change.n_dialogues} dialogues",
            dialogue=None,
        )
