"""Who meets whom, and with which methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from contest.ours import Driven, OneAtATime, compared
from contest.over_http import LlamaServer, OverHttp
from contest.peer import Peer, PeerError, PeerKind, as_json, environment
from contest.rounds import Contestant
from turnsure.core.dialogue import Dialogue
from turnsure.core.spec import RunSpec
from turnsure.experiment.setup import Setup, prepare
from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings
from turnsure.models.weights import DEFAULT_MODEL, default_model_path

NotRun = PeerError

_TORCH = ("torch==2.13.0", "transformers", "gguf", "accelerate")
PEERS: Mapping[str, PeerKind] = {
    kind.name: kind
    for kind in (
        PeerKind(
            name="transformers",
            script="on_transformers.py",
            requirements=_TORCH,
        ),
        PeerKind(
            name="uqlm",
            script="on_uqlm.py",
            requirements=("torch==2.13.0", "uqlm==0.6.7", "langchain-openai", "pyarrow<22"),
        ),
        PeerKind(
            name="lm-polygraph",
            script="on_lm_polygraph.py",
            requirements=(*_TORCH, "lm-polygraph==0.7.0"),
        ),
    )
}

OURS = ("one-lane", "one-at-a-time", "http")
"""Who plays against turnsure as it is: with one lane and all threads in it, without re-use, and
through a llama.cpp server."""

_SLOTS = 20
_BATCH = 512

_UQLM_CONTEXT = 4096
"""Tokens: it lists the samples where it asks for P(True), so its prompts are longer than ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One interleaved run.

    Attributes
    ----------
    title
        Heading of its table.
    peer
        The peer that plays, None for turnsure against itself.
    changes
        Of the defaults of a run: which methods, how many samples.
    """

    title: str
    peer: str | None = None
    changes: Mapping[str, Any]


MATCHES = (
    Match(title="All methods", changes={}),
    Match(title="All methods, against transformers", peer="transformers", changes={}),
    Match(
        title="20 samples and P(True), against UQLM",
        peer="uqlm",
        changes={"methods": ("self_consistency", "p_true"), "gold": False},
    ),
    Match(
        title="10 samples, sequence likelihood and P(True), against LM-Polygraph",
        peer="lm-polygraph",
        changes={
            "methods": ("self_consistency", "sequence_likelihood_sum", "p_true"),
            "samples": 10,
            "gold": False,
        },
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """Contestants of a match, and what to say of them in the end."""

    contestants: tuple[Contestant, ...]
    remarks: Callable[[], dict[str, Any]]


async def open_match(
    match: Match,
    *,
    folder: Path,
    environments: Path,
    threads: int,
    together: int,
    against: Sequence[str],
    seed: int,
) -> Players:
    """Put the contestants together; nothing is loaded yet.

    Parameters
    ----------
    match
        Who plays.
    folder
        For the stores.
    environments
        Where the peers live.
    threads
        Of every engine.
    together
        Dialogues that turnsure may measure at once.
    against
        Of :data:`OURS`, which ones play where turnsure plays against itself.
    seed
        Of sampling.

    Raises
    ------
    NotRun
        The peer cannot be installed.
    """
    spec = RunSpec(data="countries", limit=1, threads=threads, seed=seed, **match.changes)
    setup = prepare(spec)
    weights = default_model_path()
    whole = EmbeddedSettings(
        path=weights, context=spec.context, dialogues=together, threads=threads
    )
    ours = Driven("turnsure", setup, EmbeddedModel(DEFAULT_MODEL, whole), folder / "ours.sqlite")

    def server(context: int = spec.context) -> LlamaServer:
        return LlamaServer(weights, slots=_SLOTS, context=context, threads=threads)

    def through() -> OverHttp:
        return OverHttp("turnsure through HTTP", setup, server(), folder / "http.sqlite")

    if match.peer is None:
        one_lane = EmbeddedModel(DEFAULT_MODEL, replace(whole, lanes=1))
        make: dict[str, Callable[[], Driven | OverHttp]] = {
            "one-lane": lambda: Driven(
                "turnsure, one lane", setup, one_lane, folder / "lane.sqlite"
            ),
            "one-at-a-time": lambda: Driven(
                "one request at a time",
                setup,
                OneAtATime(one_lane, _single_slot(whole)),
                folder / "alone.sqlite",
            ),
            "http": through,
        }
        others = [make[name]() for name in against]
        return Players(
            contestants=(ours, *others), remarks=lambda: {"replies": _equal(ours, others)}
        )
    kind = PEERS[match.peer]
    python = await environment(kind, environments)
    told: dict[str, Any] = {
        "weights": str(weights),
        "threads": threads,
        "samples": spec.samples,
        "max_tokens": spec.answer_tokens,
    }
    task = _replay(ours) if match.peer == "transformers" else _question(setup)
    behind = server(_UQLM_CONTEXT) if match.peer == "uqlm" else None
    peer = Peer(kind, python, told, task, environments / f"{kind.name}.log", behind)
    players = (ours, peer) if behind is None else (ours, through(), peer)
    return Players(contestants=players, remarks=lambda: {"versions": dict(peer.versions)})


def _single_slot(settings: EmbeddedSettings) -> dict[str, Any]:
    """What a worker process is told that answers one text at a time."""
    return {
        "path": str(settings.path),
        "verbosity": -1,
        "slots": 1,
        "context": settings.context,
        "batch": _BATCH,
        "threads": settings.threads,
        "gpu_layers": 0,
        "deterministic": settings.deterministic,
    }


def _equal(ours: Driven, others: Sequence[Driven | OverHttp]) -> dict[str, Any]:
    """How many replies of each are equal to ours."""
    return {
        one.name: compared(ours.asked, (one.driven if isinstance(one, OverHttp) else one).asked)
        for one in others
    }


def _replay(ours: Driven) -> Callable[[Dialogue, int], dict[str, Any]]:
    """What turnsure asked since the last turn, to be asked again."""
    done = 0

    def task(dialogue: Dialogue, turn: int) -> dict[str, Any]:
        nonlocal done
        del dialogue, turn  # the first turn of a round brings all that is new
        new, done = ours.asked[done:], len(ours.asked)
        return {"requests": [as_json(request) for request, _ in new]}

    return task


def _question(setup: Setup) -> Callable[[Dialogue, int], dict[str, Any]]:
    """The question of a turn, in turnsure's words."""

    def task(dialogue: Dialogue, turn: int) -> dict[str, Any]:
        [message] = setup.measurement.prompt(dialogue, turn)
        return {"prompt": message.content}

    return task
