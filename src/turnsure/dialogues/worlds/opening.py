"""From what stands after ``--data`` to the dialogues of a world."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from turnsure import registry
from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError
from turnsure.dialogues.worlds.source import WorldSource

FILE = "world:"
"""What a world of one's own begins with; the file follows."""


def is_world(data: str) -> bool:
    """Whether this names a built-in world or a file that holds one, with settings or without."""
    return data.startswith(FILE) or data.partition("?")[0] in registry.names("worlds")


def world_dialogues(data: str, n: int | None = None, *, seed: int = 0) -> list[Dialogue]:
    """Dialogues of the world that is named.

    Parameters
    ----------
    data
        ``NAME`` or ``world:FILE``, then ``?`` and settings such as ``style=questions&twists=1``.
    n
        How many; all, or one for each entity, when None.
    seed
        Decides everything that is drawn.

    Raises
    ------
    InputError
        The file or a setting does not fit, or so many dialogues cannot be had.
    """
    name, _, query = data.partition("?")
    options = _options(query)
    source = _source(name)
    if not options:
        return source(n, seed=seed)
    if isinstance(source, WorldSource):
        return source(n, seed=seed, options=options)
    raise InputError(f"the world {name!r} has no settings", field="data", expected=f"{name} alone")


def _source(name: str) -> Any:
    if not name.startswith(FILE):
        return registry.load("worlds", name)
    from turnsure.dialogues.worlds.user_file import read_world

    world = read_world(Path(name.removeprefix(FILE)))
    return WorldSource(build=lambda: world)


def _options(query: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in query.split("&") if query else ():
        name, equals, text = part.partition("=")
        if not name or not equals:
            raise InputError(
                f"{part!r} is no setting", field="data", expected="NAME=VALUE, with & between them"
            )
        if name in options:
            raise InputError("the setting stands here twice", field=name, expected="each name once")
        options[name] = text
    return options
