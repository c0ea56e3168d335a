"""What ``build.json`` says of a build."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from turnsure.core.built import Played, spent_by_role
from turnsure.core.digest import digest
from turnsure.dialogues.worlds.opening import FILE as WORLD
from turnsure.experiment.building.spec import BuildSetup, BuildSpec
from turnsure.store.json_files import plain

BUILD_FORMAT = 1


def build_record(
    setup: BuildSetup,
    protocol: Mapping[str, Any],
    *,
    started: str,
    finished: str | None = None,
    games: Sequence[Played] | None = None,
) -> dict[str, Any]:
    """The whole of it, as JSON values.

    Parameters
    ----------
    setup, protocol
        What is built, and how.
    started, finished
        Time stamps; None while the build is going on.
    games
        Once they are played.
    """
    return {
        "format": BUILD_FORMAT,
        "kind": "build",
        "spec": plain(_absolute(setup.spec)),
        "protocol": protocol,
        "digest": digest(dict(protocol)),
        "entities_digest": digest([list(secret.names) for secret in setup.secrets]),
        "versions": {
            "turnsure": version("turnsure"),
            "anyascii": version("anyascii"),
            "python": platform.python_version(),
        },
        "n_entities": len(setup.secrets),
        "started": started,
        "finished": finished,
        "counts": None if games is None else _counts(games),
    }


def _counts(games: Sequence[Played]) -> dict[str, Any]:
    kept = [game for game in games if game.dropped is None]
    return {
        "n_kept": len(kept),
        "n_dropped": len(games) - len(kept),
        "dropped": _count(game.dropped.reason for game in games if game.dropped is not None),
        "refused_hints": _count(one.refused.reason for game in games for one in game.refusals),
        "mended_hints": sum(game.n_mended for game in games),
        "turns_of_kept": _count(str(len(game.hints)) for game in kept),
        "n_certified_while_wrong": sum(game.n_early for game in games),
        "spent": {role: asdict(spent) for role, spent in spent_by_role(games).items()},
    }


def _count(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())


def _absolute(spec: BuildSpec) -> BuildSpec:
    """Files by their full path."""
    entities = spec.entities
    if not entities.startswith(WORLD):
        entities = str(Path(entities).resolve())
    wording = None if spec.wording is None else str(Path(spec.wording).resolve())
    return replace(spec, entities=entities, wording=wording)
