"""From a gate and a model's name to a model that is asked as the run asked it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from turnsure.calibration.gate_file import GateFile
from turnsure.core.errors import InputError
from turnsure.core.protocols import Backend
from turnsure.core.spec import Protocol, RunSpec
from turnsure.experiment.gating.asking import AT_RUN_TIME
from turnsure.experiment.gating.protocol import gate_instrument, gate_spec
from turnsure.experiment.gating.subject import OnMismatch, Subject
from turnsure.models.opening import open_model

_AT_ONCE = 64
"""Requests in flight at an endpoint: decisions come as they come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How to reach a model; None for what the run says.

    Attributes
    ----------
    base_url, api_key_env
        Address of an endpoint, and the environment variable with its key.
    timeout
        Seconds for one request to an endpoint.
    templates
        The wording as it is now.
    """

    base_url: str | None = None
    api_key_env: str | None = None
    timeout: float
    templates: str | Path | None = None

    def applied(self, spec: RunSpec, model: str) -> RunSpec:
        """The spec that opens a model by name."""
        given = {"base_url": self.base_url, "api_key_env": self.api_key_env}
        return replace(
            spec,
            model=model,
            timeout=self.timeout,
            concurrency=_AT_ONCE,
            **{name: value for name, value in given.items() if value is not None},
        )


def open_subject(
    file: GateFile,
    path: Path,
    model: Backend | str,
    *,
    reach: Reach,
    on_mismatch: OnMismatch,
    accept: Collection[str],
) -> Subject:
    """Build what asks; nothing is loaded, connected or compared yet.

    Raises
    ------
    InputError
        The gate cannot ask a model, a setting is wrong, or its template file is gone.
    """
    try:
        measured = _measured(file)
        spec = gate_spec(file.method, file.settings)
    except InputError as error:
        raise error.at(file=path) from None
    if reach.templates is not None:
        spec = replace(spec, templates=str(reach.templates))
    instrument = gate_instrument(spec, beside=path.parent)
    by_name = isinstance(model, str)
    return Subject(
        backend=_opened(reach.applied(spec, model)) if by_name else model,
        owned=by_name,
        instrument=instrument,
        measured=measured,
        on_mismatch=on_mismatch,
        accept=frozenset(accept),
    )


def _opened(spec: RunSpec) -> Backend:
    # Waiting longer than it would for one more attempt is no use to who waits for the decision.
    return open_model(spec, patience=AT_RUN_TIME.longest_retry_after)


def _measured(file: GateFile) -> Protocol:
    if file.protocol is None:
        raise InputError(
            "its scores were made elsewhere, so nothing says how to ask a model",
            field="protocol",
            expected="a gate built from a run, or decide_score",
        )
    return file.protocol
