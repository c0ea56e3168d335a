"""From a model's name on the command line to a back-end."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from turnsure.core.errors import InputError
from turnsure.core.protocols import Backend
from turnsure.core.spec import RunSpec
from turnsure.files.arrival import Progress
from turnsure.models.pacing import LONGEST_PAUSE
from turnsure.models.weights import DEFAULT_MODEL, default_model_path, is_fetched

if TYPE_CHECKING:
    from turnsure.models.openai_probe import DeclaredCapabilities

FORMS = f"{DEFAULT_MODEL}, local:FILE.gguf, or openai:NAME with --base-url"


def open_model(
    spec: RunSpec,
    *,
    dialogues: int = 1,
    verbose: bool = False,
    download: Progress | None = None,
    patience: float = LONGEST_PAUSE,
) -> Backend:
    """The back-end for ``spec.model``; nothing is loaded or connected yet.

    Parameters
    ----------
    spec
        Names the model and how to reach it.
    dialogues
        How many there are to ask at once.
    verbose
        Let an embedded engine's log through.
    download
        Told how far the download of the default weights is, when one is needed.
    patience
        Seconds for which a pause that an endpoint asks for is waited for at most.

    Raises
    ------
    InputError
        The name has none of the known forms, or a setting is wrong.
    MissingExtraError
        The embedded engine is not installed.
    """
    kind, _, rest = spec.model.partition(":")
    if spec.model == DEFAULT_MODEL:
        return _embedded(spec, None, dialogues, verbose, download)
    if kind == "local" and rest:
        return _embedded(spec, Path(rest), dialogues, verbose, download)
    if kind == "openai" and rest:
        return _endpoint(spec, rest, patience)
    raise InputError(f"{spec.model!r} names no model", field="model", expected=FORMS)


def _embedded(
    spec: RunSpec, path: Path | None, dialogues: int, verbose: bool, download: Progress | None
) -> Backend:
    from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings, require_engine

    require_engine()  # before a download that would be of no use
    return EmbeddedModel(
        spec.model,
        EmbeddedSettings(
            path=default_model_path(download) if path is None else path,
            context=spec.context,
            slots=spec.slots,
            lanes=spec.lanes,
            dialogues=dialogues,
            threads=spec.threads,
            gpu_layers=spec.gpu_layers,
            deterministic=spec.deterministic is not False,
            verbose=verbose,
        ),
    )


def _endpoint(spec: RunSpec, name: str, patience: float) -> Backend:
    from turnsure.models.openai_endpoint import OpenAIEndpoint

    if spec.base_url is None:
        raise InputError(
            "an endpoint needs an address",
            field="base_url",
            expected="--base-url, such as http://127.0.0.1:8000/v1",
        )
    return OpenAIEndpoint(
        name,
        base_url=spec.base_url,
        api_key=os.environ.get(spec.api_key_env) or None,
        key_variable=spec.api_key_env,
        dialect=spec.dialect,
        declared=_declared(spec),
        timeout=spec.timeout,
        concurrency=spec.concurrency,
        requests_per_minute=spec.requests_per_minute,
        tokens_per_minute=spec.tokens_per_minute,
        patience=patience,
        embedding_model=spec.embedding_model,
        deterministic=spec.deterministic is True,
    )


def _declared(spec: RunSpec) -> DeclaredCapabilities:
    from turnsure.models.openai_probe import DeclaredCapabilities

    top = spec.top_logprobs
    return DeclaredCapabilities(
        label_probabilities=None if top is None else "top_k" if top else "none",
        max_top_logprobs=top,
        max_n=spec.max_n,
        seed=spec.seeding,
        prefill=spec.prefill,
    )


def known_fingerprint(spec: RunSpec) -> Mapping[str, str] | None:
    """The fingerprint, where it is known without fetching, loading or asking the model.

    Raises
    ------
    InputError, MissingExtraError
        As :func:`open_model` does.
    """
    if spec.model == DEFAULT_MODEL and not is_fetched():
        return None
    model = open_model(spec)
    return None if spec.model.startswith("openai:") else model.fingerprint
