"""The model behind a gate: compared with the one that was measured, then asked for scores."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from turnsure.core.confidence import Confidence
from turnsure.core.decided import DecisionCost
from turnsure.core.errors import BackendError, BackendUnavailable, InputError
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Estimator, TurnContext
from turnsure.core.spec import Protocol
from turnsure.engine.retry import AT_START, RetryPolicy, start_patiently
from turnsure.experiment.gating.asking import AT_RUN_TIME, Asker
from turnsure.experiment.gating.protocol import differences, of_method, refuse
from turnsure.experiment.instrument import Instrument

OnMismatch = Literal["raise", "escalate"]


@dataclass(slots=True, kw_only=True)
class Subject:
    """A model as one gate asks it.

    Attributes
    ----------
    backend
        The model.
    owned
        Whether the gate opened it, and so closes it.
    instrument
        What asks, with the one method of the gate.
    measured
        The protocol of the gate.
    on_mismatch
        What a difference does.
    accept
        Places that may differ.
    mismatch
        What differs, a sentence each, as far as it is known.
    """

    backend: Backend
    owned: bool
    instrument: Instrument
    measured: Protocol
    on_mismatch: OnMismatch
    accept: frozenset[str]
    mismatch: tuple[str, ...] = ()
    _started: bool = False
    _starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _home: asyncio.AbstractEventLoop | None = None

    @property
    def method(self) -> Estimator:
        """The one method."""
        [one] = self.instrument.measurement.estimators
        return one

    def compare_early(self) -> None:
        """Compare wording and package, and the model where it says what it is before it starts.

        Raises
        ------
        ProtocolMismatchError
            Something differs, and that is an error.
        """
        try:
            fingerprint = self.backend.fingerprint
        except BackendUnavailable:
            fingerprint = self.measured.model
        self._compare(fingerprint)

    async def start(self, policy: RetryPolicy = AT_START) -> None:
        """Start the model once, and compare what it is.

        Parameters
        ----------
        policy
            How patiently.

        Raises
        ------
        ProtocolMismatchError, CapabilityError, BackendError
            It is another model, cannot do what the method needs, or cannot be reached.
        InputError
            The gate is in use from another event loop.
        """
        loop = asyncio.get_running_loop()
        if self._home not in (None, loop):
            raise InputError(
                "this gate is in use from another event loop",
                field="gate",
                expected="one gate for decide and another one for decide_now",
            )
        self._home = loop
        if self._started:
            return
        async with self._starting:
            if not self._started:
                await start_patiently(self.backend, policy=policy)
                self.method.check(self.backend.capabilities, model=self.backend.name)
                self._compare(self.backend.fingerprint)
                self._started = True

    async def close(self) -> None:
        """Close a model that the gate opened; one that was handed in stays open."""
        self._started, self._home = False, None
        if self.owned:
            await self.backend.close()

    def mismatched(self) -> Failure | None:
        """Why no score of this model counts."""
        if not self.mismatch:
            return None
        message = str(refuse(self.mismatch))
        return Failure(stage="confidence", kind="protocol_mismatch", message=message)

    async def score(
        self, context: TurnContext, answer: str
    ) -> tuple[float | Failure, DecisionCost]:
        """Ask for the score of an answer: in [0, 1], or why there is none."""
        asker = Asker(backend=self.backend)
        try:
            await self.start(AT_RUN_TIME)
            differs = self.mismatched()
            if differs is not None:
                return differs, DecisionCost()
            found, cost = await asker.ask(
                self.method.estimate(context, answer), dialogue=context.prefix.dialogue
            )
        except BackendError as error:
            failure = Failure(stage="generation", kind=error.kind, message=str(error))
            return failure, DecisionCost(calls=asker.calls)
        return (found.value if isinstance(found, Confidence) else found), cost

    def _compare(self, fingerprint: Mapping[str, str]) -> None:
        present = of_method(self.instrument.protocol(fingerprint), self.method.name)
        found = differences(self.measured, present, accept=self.accept)
        if found and self.on_mismatch == "raise":
            raise refuse(found)
        self.mismatch = found
