"""Dialogues of a world, one secret after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.digest import digest
from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.chance import Chance
from turnsure.dialogues.worlds.draw import Drawer, Step
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.world import World

N_TRIES = 20
"""Drawings for one secret before it is passed over, in one round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSource:
    """A world as a source of dialogues.

    Attributes
    ----------
    build
        Makes the world, when dialogues are asked for.
    """

    build: Callable[[], World]

    def __call__(
        self, n: int | None = None, *, seed: int = 0, options: Mapping[str, str] | None = None
    ) -> list[Dialogue]:
        """Dialogues; ``options`` are settings as texts, which replace those of the world.

        Raises
        ------
        InputError
            An option does not fit, or so many different dialogues cannot be had.
        """
        world = self.build()
        return draw_dialogues(world, n, seed=seed, settings=world.settings.changed(options or {}))


def draw_dialogues(
    world: World, n: int | None = None, *, seed: int = 0, settings: WorldSettings | None = None
) -> list[Dialogue]:
    """Draw dialogues, all different.

    Every entity that its facts tell from all others is the secret once before one is again, in an
    order that the seed decides.  A secret for which no dialogue with these settings is found is
    passed over.

    Parameters
    ----------
    world
        Where they come from.
    n
        How many, at least 1; the first n of the same ones whatever n is.  None for one round.
    seed
        Decides everything that is drawn.
    settings
        The world's own when None.

    Returns
    -------
    list of Dialogue
        Each with its candidates and, for every turn, those that remain.

    Raises
    ------
    InputError
        So many different dialogues cannot be had.
    """
    if n is not None and n < 1:
        raise InputError(f"{n} dialogues are asked for", field="limit", expected="1 or more")
    settings = settings or world.settings
    drawer = Drawer(world, settings)
    writer = _Writer(world, drawer, settings)
    dialogues: list[Dialogue] = []
    known: set[tuple[Step, ...]] = set()
    secrets = drawer.secrets()
    if not secrets:
        raise InputError(
            f"no entity of the world {world.name!r} can be told from all others by its facts",
            field="data",
            expected="more facts, or a smaller least_fitting",
        )
    for round_ in range(1 if n is None else n):
        before = len(dialogues)
        for secret, script in _round(world, drawer, secrets, known, seed, round_):
            dialogues.append(writer.dialogue(secret, script, round_))
            if len(dialogues) == n:
                return dialogues
        if len(dialogues) == before:
            break
    if n is None and dialogues:
        return dialogues
    raise InputError(
        f"the world {world.name!r} gives {len(dialogues)} different dialogues with these settings"
        + (f", and {n} are asked for" if n is not None else ""),
        field="data",
        expected="fewer dialogues, a wider range of turns, or fewer twists",
    )


def _round(
    world: World,
    drawer: Drawer,
    secrets: list[int],
    known: set[tuple[Step, ...]],
    seed: int,
    round_: int,
) -> Iterator[tuple[int, tuple[Step, ...]]]:
    """Each secret with a script that is new, in the order of the round."""
    key = digest([seed, world.name, round_])
    for secret in Chance(key).shuffled(secrets):
        chance = Chance(f"{key} {secret}")
        for _ in range(N_TRIES):
            script = drawer.script(secret, chance)
            if script is not None and script not in known:
                known.add(script)
                yield secret, script
                break


class _Writer:
    """Puts scripts into words."""

    def __init__(self, world: World, drawer: Drawer, settings: WorldSettings) -> None:
        self._world = world
        self._questions = drawer.questions
        self._settings = settings
        self._candidates = tuple(entity.names[0] for entity in world.entities)
        closed = settings.candidates == "closed"
        listing = f" It is one of these: {', '.join(self._candidates)}." if closed else ""
        self._task = world.task + listing
        self._meta = {
            "world": world.name,
            "style": settings.style,
            "candidates": settings.candidates,
            "difficulty": settings.difficulty,
            "twists": str(settings.twists),
        }

    def dialogue(self, secret: int, script: tuple[Step, ...], round_: int) -> Dialogue:
        """The dialogue of one script."""
        entity = self._world.entities[secret]
        return Dialogue(
            id=f"{self._world.name}-{secret + 1}-{round_ + 1}",
            task=self._task,
            closing=self._world.closing,
            hints=tuple(self._hint(step, script) for step in script),
            gold=entity.names,
            meta={**self._meta, **entity.meta},
            candidates=self._candidates,
            remaining=tuple(_places(step.fits) for step in script),
        )

    def _hint(self, step: Step, script: tuple[Step, ...]) -> Hint:
        question = self._questions[step.clue[0]]
        answer = question.answers[step.clue[1]]
        asks = self._settings.style == "questions"
        if step.corrects is None:
            return (
                Hint(question=question.text, answer=answer.said)
                if asks
                else Hint(answer=answer.statement)
            )
        wrong = question.answers[script[step.corrects].clue[1]]
        corrects = step.corrects + 1
        if asks:
            text = f"Correction: {answer.said}, not {wrong.said}."
            return Hint(question=question.text, answer=text, corrects=corrects)
        text = f'Correction: "{wrong.statement}" was wrong. {answer.statement}'
        return Hint(answer=text, corrects=corrects)


def _places(fits: int) -> tuple[int, ...]:
    """The places of the bits that are set."""
    places: list[int] = []
    while fits:
        lowest = fits & -fits
        places.append(lowest.bit_length() - 1)
        fits ^= lowest
    return tuple(places)
