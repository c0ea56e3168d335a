"""What a build is asked to do, and what it is made ready with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from turnsure import registry
from turnsure.core.built import Game, Secret
from turnsure.core.digest import digest
from turnsure.core.errors import InputError
from turnsure.dialogues.hinting.entities import read_secrets
from turnsure.dialogues.hinting.prompts import Prompts, load_prompts
from turnsure.dialogues.worlds.opening import FILE as WORLD
from turnsure.dialogues.worlds.opening import is_world, world_dialogues
from turnsure.estimators.templates import swap_labels
from turnsure.experiment.building.roles import unique_template
from turnsure.grading.match import mentions
from turnsure.grading.normalise import normal

DEFAULT_TURNS: Mapping[Game, int] = {"20q": 20, "guess": 12}
"""The first by the game's name; the second is well above the 7.3 turns of the paper's dialogues."""

_LEAST = {
    "turns": 1,
    "attempts": 1,
    "limit": 1,
    "seed": 0,
    "concurrency": 1,
    "hint_tokens": 1,
    "answer_tokens": 1,
}
_WORLD_SETTINGS = frozenset({"style", "candidates", "difficulty", "twists"})
"""Notes on a world's own hints, which are not those that are built."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSpec:
    """Everything a build is told, models aside.

    Attributes
    ----------
    game
        ``"20q"``: yes-or-no questions; ``"guess"``: open questions and clues.
    entities
        A file of secrets, or ``world:NAME`` for those of a world.
    turns
        After so many hints a game is dropped; None for the game's own number.
    attempts
        How often a hint is asked for at most at one turn.
    temperature
        Of the Hinter, above 0, so that another attempt brings another hint; the Guesser is greedy.
    certain
        The Guesser certifies when it gives its answer a larger probability than this of being the
        only one that fits, in both orders of the options; in [0, 1).
    hint_tokens, answer_tokens
        Token limits of a hint and of an answer.
    task
        What the Guesser is asked, for secrets that bring no task.
    wording
        A file that replaces prompts.
    limit
        The first so many secrets.
    seed
        Of sampling and of a world's order.
    concurrency
        Games in flight.
    """

    game: Game
    entities: str
    turns: int | None = None
    attempts: int = 3
    temperature: float = 0.7
    certain: float = 0.5
    hint_tokens: int = 80
    answer_tokens: int = 32
    task: str | None = None
    wording: str | None = None
    limit: int | None = None
    seed: int = 0
    concurrency: int = 8

    def __post_init__(self) -> None:
        if self.game not in get_args(Game):
            raise InputError(
                f"there is no game {self.game!r}",
                field="game",
                expected=" or ".join(get_args(Game)),
            )
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name} is {value}", field=name, expected=f"{least} or more")
        if not 0 < self.temperature < math.inf:
            raise InputError(
                f"temperature is {self.temperature}", field="temperature", expected="above 0"
            )
        if not 0 <= self.certain < 1:
            raise InputError(
                f"certain is {self.certain}", field="certain", expected="0 or more, and below 1"
            )
        for name in ("entities", "task", "wording"):
            value = getattr(self, name)
            if value is not None and not value.strip():
                raise InputError(f"{name} is empty", field=name, expected="a value")

    @property
    def most_turns(self) -> int:
        """The turn limit."""
        return DEFAULT_TURNS[self.game] if self.turns is None else self.turns


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSetup:
    """A spec made ready, before any model is touched."""

    spec: BuildSpec
    prompts: Prompts
    secrets: tuple[Secret, ...]

    def task(self, secret: Secret) -> str:
        """What the Guesser is asked."""
        return secret.task or self.spec.task or self.prompts.task(self.spec.game)

    @property
    def most_requests(self) -> int:
        """How many requests the build makes at most, repeated attempts aside."""
        return len(self.secrets) * self.spec.most_turns * _REQUESTS_A_TURN

    def protocol(
        self, fingerprints: Mapping[str, Mapping[str, str]], uniqueness: Mapping[str, str]
    ) -> dict[str, Any]:
        """Everything that decides what is built of a secret."""
        spec = self.spec
        return {
            "builder": "hinter-guesser",
            "game": spec.game,
            "models": {role: dict(one) for role, one in fingerprints.items()},
            "wording": dict(self.prompts.definition),
            "wording_digest": digest(dict(self.prompts.definition)),
            "uniqueness": dict(uniqueness),
            "task": spec.task,
            "turns": spec.most_turns,
            "attempts": spec.attempts,
            "temperature": spec.temperature,
            "certain": spec.certain,
            "hint_tokens": spec.hint_tokens,
            "answer_tokens": spec.answer_tokens,
            "seed": spec.seed,
        }


_REQUESTS_A_TURN = 4
"""A hint, an answer, and the question about uniqueness in both orders."""


def prepare_build(spec: BuildSpec) -> BuildSetup:
    """Read secrets and prompts.

    Raises
    ------
    InputError
        A file or a world cannot be read, the options of the question about uniqueness cannot be
        swapped, or the task names a secret.
    """
    prompts = load_prompts(None if spec.wording is None else Path(spec.wording))
    swap_labels(unique_template(prompts))  # complains of a wording that cannot be swapped
    setup = BuildSetup(spec=spec, prompts=prompts, secrets=_secrets(spec))
    if not spec.entities.startswith(WORLD):
        for secret in setup.secrets:
            if mentions(setup.task(secret), secret.names):
                raise InputError(
                    f"the task itself names the entity {secret.names[0]!r}",
                    field="task",
                    expected="a task that names no entity (--task)",
                )
    return setup


def _secrets(spec: BuildSpec) -> tuple[Secret, ...]:
    if not spec.entities.startswith(WORLD):
        return read_secrets(
            Path(spec.entities), prefix=spec.game, limit=spec.limit, normalise=normal
        )
    name = spec.entities.removeprefix(WORLD)
    if not is_world(name) and not Path(name.partition("?")[0]).exists():
        raise InputError(
            f"there is no world {name!r}",
            field="entities",
            expected=f"{WORLD} and one of {', '.join(registry.names('worlds'))}, or a world's file",
        )
    found: dict[str, Secret] = {}
    data = name if is_world(name) else spec.entities
    for dialogue in world_dialogues(data, spec.limit, seed=spec.seed):
        meta = {key: text for key, text in dialogue.meta.items() if key not in _WORLD_SETTINGS}
        found.setdefault(
            dialogue.gold[0],
            Secret(
                id=f"{spec.game}-{dialogue.id}",
                names=dialogue.gold,
                meta=meta,
                task=spec.task or dialogue.task,
                closing=dialogue.closing,
            ),
        )
    return tuple(found.values())
