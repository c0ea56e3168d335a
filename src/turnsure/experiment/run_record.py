"""What ``run.json`` says of a run."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from turnsure.core.evaluation import Ledger, RunCost, Spending
from turnsure.core.spec import Protocol, RunSpec
from turnsure.dialogues.worlds.opening import FILE as WORLD_FILE
from turnsure.engine.counters import Counters, Spent
from turnsure.experiment.controls.protocols import Protocols
from turnsure.experiment.setup import Setup
from turnsure.store.json_files import plain

WHOLE = "all"
"""The tag of all methods and steps together."""


def run_record(
    setup: Setup,
    protocol: Protocol,
    fingerprint: Mapping[str, str],
    *,
    summariser: Mapping[str, str] | None = None,
    started: str,
    finished: str | None,
    counters: Counters | None = None,
) -> dict[str, Any]:
    """The whole of it, as JSON values.

    Parameters
    ----------
    setup, protocol
        What is run, and under which protocol.
    fingerprint
        The model's; the variants' protocols need it.
    summariser
        The fingerprint of the model that writes summaries, where it is another one.
    started, finished
        Time stamps; None while the run is going on.
    counters
        What was asked, once it is known.
    """
    variants = _variants(setup, fingerprint)
    return {
        "spec": plain(absolute(setup.spec)),
        "protocol": protocol.body,
        "digest": protocol.digest,
        "controls": {one.name: dict(one.definition) for one in setup.controls},
        "summariser": None if summariser is None else dict(summariser),
        "variants": {name: variant.body for name, variant in variants.items()},
        "variant_digests": {name: variant.digest for name, variant in variants.items()},
        "versions": {
            **{name: version(name) for name in ("turnsure", "numpy", "countryinfo", "tzdata")},
            "python": platform.python_version(),
        },
        "n_dialogues": len(setup.dialogues),
        "n_turns": setup.n_turns,
        "started": started,
        "finished": finished,
        "asked": None if counters is None else plain(run_cost(counters)),
    }


def _variants(setup: Setup, fingerprint: Mapping[str, str]) -> dict[str, Protocol]:
    return {
        name: instrument.protocol(fingerprint)
        for control in setup.controls
        if isinstance(control, Protocols)
        for name, instrument in control.variants.items()
    }


def absolute(spec: RunSpec) -> RunSpec:
    """Files by their full path, so that ``run.json`` can be run from anywhere."""
    return replace(
        spec,
        data=_data(spec.data),
        templates=None if spec.templates is None else str(Path(spec.templates).resolve()),
        model=_model(spec.model),
        summariser=None if spec.summariser is None else _model(spec.summariser),
        placebo_pool=None if spec.placebo_pool is None else _if_there(spec.placebo_pool),
        wordings=tuple(str(Path(file).resolve()) for file in spec.wordings),
    )


def _data(name: str) -> str:
    """A file or a world's file by its full path; a built-in world stays as it is."""
    if not name.startswith(WORLD_FILE):
        return _if_there(name)
    file, mark, settings = name.removeprefix(WORLD_FILE).partition("?")
    return f"{WORLD_FILE}{Path(file).resolve()}{mark}{settings}"


def _if_there(name: str) -> str:
    """The full path of a file; a name of something built in stays as it is."""
    return str(Path(name).resolve()) if Path(name).exists() else name


def _model(name: str) -> str:
    kind, _, file = name.partition(":")
    return f"local:{Path(file).resolve()}" if kind == "local" and file else name


def run_cost(counters: Counters) -> RunCost:
    """What the engine counted."""
    return RunCost(
        n_requests=counters.n_requests,
        n_from_store=counters.n_from_store,
        n_failed=counters.n_failed,
        whole=_spending(WHOLE, counters),
        ledger=_ledger(counters),
    )


def _ledger(counters: Counters) -> Ledger:
    whole = Spent()
    for spent in counters.ledger.values():
        whole.include(spent)
    return Ledger(
        whole=_spending(WHOLE, whole),
        by_tag=tuple(_spending(tag, spent) for tag, spent in sorted(counters.ledger.items())),
    )


def read_cost(asked: object) -> RunCost | None:
    """What :func:`run_record` wrote under ``asked``; None where that is missing or older."""
    try:
        body = cast("dict[str, Any]", asked)
        ledger: dict[str, Any] = body["ledger"]
        return RunCost(
            **{name: int(body[name]) for name in ("n_requests", "n_from_store", "n_failed")},
            whole=Spending(**body["whole"]),
            ledger=Ledger(
                whole=Spending(**ledger["whole"]),
                by_tag=tuple(Spending(**one) for one in ledger["by_tag"]),
            ),
        )
    except (KeyError, TypeError, ValueError):
        return None


def _spending(tag: str, spent: Spent) -> Spending:
    return Spending(
        tag=tag,
        n_sent=spent.n_sent,
        prompt_tokens=spent.prompt_tokens,
        evaluated_tokens=spent.prompt_tokens - spent.cached_tokens,
        distinct_tokens=None if spent.n_unlimited else spent.new_tokens,
        completion_tokens=spent.completion_tokens,
        n_uncounted=spent.n_uncounted,
        seconds=spent.seconds,
    )


def now() -> str:
    """The time as text."""
    return datetime.now(tz=UTC).isoformat(timespec="seconds")
