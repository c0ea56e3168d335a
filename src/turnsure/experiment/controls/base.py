"""The seam of a control: more rows for a dialogue, under conditions of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from turnsure.core.dialogue import Dialogue
from turnsure.core.protocols import Capabilities, Flow
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow
from turnsure.experiment.instrument import Instrument


class Control(Protocol):
    """A condition, or several, measured beside the plain turns.

    Factories ``(RunSpec, Instrument, dialogues) -> Control`` are registered by name.  A new control
    is one such file, one in ``experiment/effects`` that evaluates its rows, a field of
    ``ControlEffects`` for what it found, and a chapter of the report.
    """

    @property
    def name(self) -> str: ...

    @property
    def definition(self) -> Mapping[str, str]:
        """What makes its rows what they are, for ``run.json``."""
        ...

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Raise a CapabilityError, before the first call, when it cannot work with this model."""
        ...

    def measure(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        """Ask for what the plain turns did not ask."""
        ...

    def upper_bound(self) -> Control:
        """The same control asking as much as it may ask, for a dry run."""
        ...


Factory = Callable[[RunSpec, Instrument, Sequence[Dialogue]], Control]
