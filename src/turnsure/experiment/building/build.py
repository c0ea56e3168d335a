"""Play all games of a build, and write what is kept.

::

    OUT.jsonl        the dialogues that are kept
    OUT.build/
      store.sqlite   every request and generation; a build that was stopped goes on from here
      games.jsonl    every game, kept or dropped: hints, guesses, refused hints
      build.json     settings, protocol and its digest, models, versions, counts
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.built import BuildRole, Built, Played
from turnsure.core.dialogue import Dialogue
from turnsure.core.digest import SHORT, digest
from turnsure.core.errors import InputError, StoreError
from turnsure.core.generation import RequestRole
from turnsure.core.protocols import Backend
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.engine.counters import Counters
from turnsure.engine.drive import Engine, Job, quiet
from turnsure.engine.retry import start_patiently
from turnsure.experiment.building.game import Rules
from turnsure.experiment.building.record import BUILD_FORMAT, build_record
from turnsure.experiment.building.roles import uniqueness
from turnsure.experiment.building.spec import BuildSetup
from turnsure.experiment.model_names import model_label
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.run_record import now
from turnsure.grading.match import MatchGrader
from turnsure.metrics.rates import wilson
from turnsure.store.json_files import plain, write_json
from turnsure.store.sqlite import Store


@dataclass(frozen=True, slots=True)
class BuildFolder:
    """Where a build keeps what is not its dialogues, beside the file that holds them."""

    out: Path

    @property
    def path(self) -> Path:
        """The folder: the file's name with the ending ``.build``."""
        return self.out.with_suffix(".build")

    @property
    def build_json(self) -> Path:
        return self.path / "build.json"

    @property
    def games(self) -> Path:
        return self.path / "games.jsonl"

    @property
    def report(self) -> Path:
        return self.path / "build.md"

    @property
    def run(self) -> RunFolder:
        """The lock and the store."""
        return RunFolder(self.path)


def build_dialogues(
    setup: BuildSetup,
    hinter: Backend,
    guesser: Backend,
    out: str | Path,
    progress: Callable[[Counters], None] = quiet,
) -> Built:
    """Play a game for every secret, and write the dialogues of those that are kept.

    A build that was stopped, however roughly, is finished by calling this again: generations that
    the folder's store holds are not asked again.  Where no game is kept, no file is written.

    Parameters
    ----------
    setup
        From :func:`turnsure.experiment.building.spec.prepare_build`.
    hinter, guesser
        The models, which may be one and the same; they are started and closed here.
    out
        The file of dialogues; the build's folder stands beside it.
    progress
        Told the counters after every request.

    Raises
    ------
    InputError
        The file stands there already and no build wrote it.
    StoreError
        Another process builds here, or a finished build of another protocol is here.
    BackendError
        A model cannot be reached.
    """
    folder = BuildFolder(Path(out))
    if folder.out.suffix == folder.path.suffix or folder.out.is_dir():
        raise InputError("this is no file of dialogues", file=folder.out, expected="OUT.jsonl")
    if folder.out.exists() and not folder.build_json.exists():
        raise InputError(
            "this file is there already, and no build wrote it",
            file=folder.out,
            field="out",
            expected="the name of a new file",
        )
    with folder.run.locked():
        store = Store(folder.run.store)
        try:
            return asyncio.run(_build(setup, (hinter, guesser), folder, store, progress))
        finally:
            store.close()


async def _build(
    setup: BuildSetup,
    models: tuple[Backend, Backend],
    folder: BuildFolder,
    store: Store,
    progress: Callable[[Counters], None],
) -> Built:
    hinter, guesser = models
    started = now()
    distinct = [hinter] if guesser is hinter else [hinter, guesser]
    try:
        for model in distinct:
            await start_patiently(model)
        unique = uniqueness(setup.prompts, guesser.capabilities)
        named: dict[BuildRole, Backend] = {"hinter": hinter, "guesser": guesser}
        prints = {role: {"name": one.name, **one.fingerprint} for role, one in named.items()}
        protocol = setup.protocol(prints, unique.definition)
        _keep_other_builds(folder, digest(protocol))
        write_json(folder.build_json, build_record(setup, protocol, started=started))
        engine = _engine(setup, named, store, progress)
        rules = Rules(setup=setup, grader=MatchGrader(), unique=unique)
        games = await engine.run(
            [Job(dialogue=secret.id, flow=rules.play(secret)) for secret in setup.secrets]
        )
    finally:
        for model in distinct:
            await model.close()
    record = build_record(setup, protocol, started=started, finished=now(), games=games)
    _write_games(folder.games, games)
    _write_kept(folder.out, setup, games, record)
    write_json(folder.build_json, record)
    counters = engine.counters
    return Built(
        games=tuple(games),
        kept_rate=wilson(sum(game.dropped is None for game in games), len(games)),
        facts=_facts(setup, named, unique.definition, record),
        digest=record["digest"],
        seed=setup.spec.seed,
        n_requests=counters.n_requests,
        n_from_store=counters.n_from_store,
        n_failed=counters.n_failed,
    )


def _engine(
    setup: BuildSetup,
    models: Mapping[BuildRole, Backend],
    store: Store,
    progress: Callable[[Counters], None],
) -> Engine:
    """Seat the model that wants its requests in order where the engine heeds that."""
    first: BuildRole = "guesser" if models["guesser"].capabilities.ordered else "hinter"
    others: dict[RequestRole, Backend] = {
        role: one for role, one in models.items() if one is not models[first]
    }
    return Engine(
        backend=models[first],
        others=others,
        store=store,
        concurrency=setup.spec.concurrency,
        progress=progress,
    )


def _keep_other_builds(folder: BuildFolder, protocol: str) -> None:
    """Refuse to write over the finished build of another protocol."""
    if not folder.build_json.exists():
        return
    try:
        kept = cast("dict[str, Any]", json.loads(folder.build_json.read_text(encoding="utf-8")))
        version, finished, other = kept["format"], kept["finished"], str(kept["digest"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder.build_json}: cannot be read ({error})") from error
    if version != BUILD_FORMAT:
        raise StoreError(f"{folder.build_json}: this is no build.json of format {BUILD_FORMAT}")
    if finished and other != protocol:
        raise StoreError(
            f"{folder.path} holds a finished build of another protocol ({other[:SHORT]}); choose "
            "another file with --out"
        )


def _write_games(path: Path, games: list[Played]) -> None:
    lines = [json.dumps(plain(game), ensure_ascii=False, allow_nan=False) for game in games]
    temporary = path.with_name(f".{path.name}.part")
    # A reply may hold half of a surrogate pair, which JSON can only hold escaped.
    text = "".join(f"{line}\n" for line in lines)
    temporary.write_text(text, encoding="utf-8", errors="backslashreplace")
    temporary.replace(path)


def _write_kept(
    out: Path, setup: BuildSetup, games: list[Played], record: Mapping[str, Any]
) -> None:
    """Write the dialogues; an earlier build's file goes when there are none."""
    kept = [_dialogue(setup, game, record) for game in games if game.dropped is None]
    if kept:
        write_dialogues(out, kept)
    else:
        out.unlink(missing_ok=True)


def _dialogue(setup: BuildSetup, game: Played, record: Mapping[str, Any]) -> Dialogue:
    models = record["protocol"]["models"]
    secret = game.secret
    return Dialogue(
        id=secret.id,
        task=setup.task(secret),
        hints=game.hints,
        gold=secret.names,
        closing=secret.closing,
        meta={
            **secret.meta,
            "builder": "hinter-guesser",
            "game": setup.spec.game,
            "hinter": model_label(models["hinter"]["name"]),
            "guesser": model_label(models["guesser"]["name"]),
            "n_turns": str(len(game.hints)),
            "first_right": str(game.first_right),
            "build": record["digest"][:SHORT],
        },
    )


def _facts(
    setup: BuildSetup,
    models: Mapping[BuildRole, Backend],
    unique: Mapping[str, str],
    record: Mapping[str, Any],
) -> tuple[tuple[str, str], ...]:
    spec = setup.spec
    reading = unique["reading"]
    if reading == "sampled":
        reading += f" ({unique['samples']} letters an order)"
    return (
        ("Game", spec.game),
        ("Entities", spec.entities),
        *((role.capitalize(), one.name) for role, one in models.items()),
        ("Turn limit", str(spec.most_turns)),
        ("Attempts a hint", str(spec.attempts)),
        ("Hinter's temperature", f"{spec.temperature:g}"),
        ("Certified above", f"{spec.certain:g}"),
        ("Uniqueness read by", reading),
        ("Wording digest", record["protocol"]["wording_digest"][:SHORT]),
        ("Protocol digest", record["digest"][:SHORT]),
        ("Seed", str(spec.seed)),
    )
