"""Which clues a dialogue gives, in which order, and which of them are false at first.

Everything is drawn with one stream of chance and compared as integers, so one seed gives one
script on every computer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

from turnsure.dialogues.worlds.chance import Chance
from turnsure.dialogues.worlds.facts import Question
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.world import Entity, World

Clue: TypeAlias = tuple[int, int]
"""Places of a question, and of one of its answers."""

N_WEIGHED = 16
"""Facts that are weighed against one another at a turn."""

N_TWIST_TRIES = 40
"""Places of twists that are tried for one list of clues."""

_ONE_BIT = 1_000_000
"""Information is counted in millionths of a bit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One hint of a script.

    Attributes
    ----------
    clue
        What is said.
    fits
        The entities that fit everything said up to here, each thing as it was last said, as bits.
    corrects
        The place, from 0, of the step whose clue was false; None for most.
    """

    clue: Clue
    fits: int
    corrects: int | None = None


class Drawer:
    """Draws scripts from a world."""

    def __init__(self, world: World, settings: WorldSettings) -> None:
        self.settings = settings
        self.questions = world.questions()
        n = len(world.entities)
        self._everyone = (1 << n) - 1
        self._fits = [[answer.fits for answer in one.answers] for one in self.questions]
        self._surprise = [round(_ONE_BIT * k * math.log2(k)) if k else 0 for k in range(n + 1)]
        named = [
            {place for place, one in enumerate(self.questions) if _names(entity, one)}
            for entity in world.entities
        ]
        self._sayable = [
            [
                (question, answer)
                for question, one in enumerate(self._fits)
                if question not in named[place]
                for answer, fits in enumerate(one)
                if fits.bit_count() >= world.least_fitting
            ]
            for place in range(n)
        ]
        self._true = [
            [clue for clue in sayable if self._fits_of(clue) >> place & 1]
            for place, sayable in enumerate(self._sayable)
        ]

    def secrets(self) -> list[int]:
        """The entities that all their clues together tell from every other."""
        return [
            place
            for place, clues in enumerate(self._true)
            if self._common(self._fits_of(clue) for clue in clues) == 1 << place
        ]

    def script(self, secret: int, chance: Chance) -> tuple[Step, ...] | None:
        """One dialogue's hints, or None when this drawing led nowhere.

        Every step leaves fewer candidates than the one before, but for a correction, which leaves
        more; the last step leaves the secret, and no earlier one leaves a single candidate.
        """
        twists = self.settings.twists
        # A false clue is never the last, so there is at least one more than there are false ones.
        least = max(self.settings.min_turns - twists, twists + 1)
        most = self.settings.max_turns - twists
        clues = self._clues(secret, least, most, chance)
        if self.settings.difficulty == "hard":
            clues = self._telling_last(clues)
        if not least <= len(clues) <= most:
            return None
        if not twists:
            return self._played([(clue, None) for clue in clues])
        for _ in range(N_TWIST_TRIES):
            played = self._played(self._twisted(secret, clues, chance))
            if played is not None:
                return played
        return None

    def _clues(self, secret: int, least: int, most: int, chance: Chance) -> list[Clue]:
        """True clues that leave the secret alone; none when this drawing found none.

        How many there shall be is drawn.  Then questions are drawn at each turn, of different
        facts, and the one is asked whose expected gain of information is nearest to what each
        turn left has to bring.
        """
        wanted = least + chance.below(most - least + 1)
        left, alone = self._everyone, 1 << secret
        pool = [(clue, self._fits_of(clue)) for clue in chance.shuffled(self._true[secret])]
        clues: list[Clue] = []
        while left != alone:
            turn = len(clues) + 1
            # A clue that narrows nothing now never will, since fewer are left later.
            pool = [(clue, fits) for clue, fits in pool if left & fits != left]
            ending: list[Clue] = []
            weighed: dict[str, Clue] = {}
            for clue, fits in pool:
                if left & fits == alone:
                    ending.append(clue)
                elif len(weighed) < N_WEIGHED:
                    weighed.setdefault(self.questions[clue[0]].fact, clue)
            if turn > most or not (weighed or ending):
                return []
            if ending and turn >= least and (turn >= wanted or not weighed):
                clues.append(ending[0])
            elif weighed and turn == 1 and self.settings.difficulty == "easy":
                clues.append(self._most_telling(list(weighed.values()), wanted))
            elif weighed:
                clues.append(self._nearest(list(weighed.values()), left, wanted - turn + 1))
            else:
                return []
            left &= self._fits_of(clues[-1])
        return clues

    def _most_telling(self, clues: Sequence[Clue], turns: int) -> Clue:
        """The clue true of the fewest entities that leaves a step for each other turn."""
        sizes = [self._fits_of(clue).bit_count() for clue in clues]
        roomy = [size for size in sizes if size >= turns]
        return clues[sizes.index(min(roomy) if roomy else max(sizes))]

    def _nearest(self, clues: Sequence[Clue], left: int, turns: int) -> Clue:
        """The clue whose question brings, on average, about what identification needs a turn."""
        needed = self._surprise[left.bit_count()]
        gains = [self._gain(clue[0], left) for clue in clues]
        off = [abs(gain * max(turns, 1) - needed) for gain in gains]
        return clues[off.index(min(off))]

    def _gain(self, question: int, left: int) -> int:
        """Entropy of a question's answer among the candidates, times how many they are."""
        surprise = self._surprise
        rest = sum(surprise[(left & fits).bit_count()] for fits in self._fits[question])
        return surprise[left.bit_count()] - rest

    def _telling_last(self, clues: Sequence[Clue]) -> list[Clue]:
        """The clues that leave the most come first; those that then say nothing are left out."""
        waiting, ordered, left = list(clues), list[Clue](), self._everyone
        while waiting := [clue for clue in waiting if left & self._fits_of(clue) != left]:
            remaining = [(left & self._fits_of(clue)).bit_count() for clue in waiting]
            ordered.append(waiting[remaining.index(max(remaining))])
            left &= self._fits_of(ordered[-1])
        return ordered

    def _twisted(
        self, secret: int, clues: Sequence[Clue], chance: Chance
    ) -> list[tuple[Clue, int | None]]:
        """The clues with some made false at first, and their corrections between later ones."""
        n = len(clues)
        false = chance.shuffled(range(n - 1))[: self.settings.twists]
        said = list(clues)
        corrected: dict[int, list[int]] = {}
        for place in false:
            others = [
                clue
                for clue in self._sayable[secret]
                if clue[0] == clues[place][0] and clue != clues[place]
            ]
            if not others:
                return []
            said[place] = others[chance.below(len(others))]
            corrected.setdefault(place + chance.below(n - 1 - place), []).append(place)
        script: list[tuple[Clue, int | None]] = []
        step_of: list[int] = []
        for place, clue in enumerate(said):
            step_of.append(len(script))
            script.append((clue, None))
            script += [(clues[one], step_of[one]) for one in corrected.get(place, ())]
        return script

    def _played(self, script: Sequence[tuple[Clue, int | None]]) -> tuple[Step, ...] | None:
        """What each step leaves, or None when one leaves too many or too few."""
        standing: list[int] = []
        steps: list[Step] = []
        left = self._everyone
        for clue, corrects in script:
            fits = self._fits_of(clue)
            if corrects is None:
                standing.append(fits)
                after = left & fits
                moved = 0 < after.bit_count() < left.bit_count()
            else:
                standing.append(self._everyone)
                standing[corrects] = fits
                after = self._common(standing)
                moved = after.bit_count() > left.bit_count()
            is_last = len(standing) == len(script)
            if not moved or (after.bit_count() == 1) != is_last:
                return None
            steps.append(Step(clue=clue, fits=after, corrects=corrects))
            left = after
        return tuple(steps) or None

    def _fits_of(self, clue: Clue) -> int:
        return self._fits[clue[0]][clue[1]]

    def _common(self, sets: Iterable[int]) -> int:
        return reduce(int.__and__, sets, self._everyone)


def _names(entity: Entity, question: Question) -> bool:
    """Whether the question or an answer to it names the entity, and so gives something away."""
    words = [question.text, *(answer.statement for answer in question.answers)]
    words += [answer.said for answer in question.answers]
    return entity.is_named_in("\n".join(words))
