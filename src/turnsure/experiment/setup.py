"""From a spec to what a run works with: dialogues, the instrument, and controls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from turnsure import registry
from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError
from turnsure.core.protocols import Capabilities, Flow
from turnsure.core.spec import Protocol, RunSpec
from turnsure.core.turns import TurnRow
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.dialogues.worlds.opening import is_world, world_dialogues
from turnsure.estimators.templates import load_templates
from turnsure.experiment.controls.base import Control
from turnsure.experiment.instrument import Instrument, build_instrument, template_files
from turnsure.experiment.measure import Measurement


def load_dialogues(spec: RunSpec) -> list[Dialogue]:
    """The dialogues that a spec names: a world with its settings, or a file."""
    if is_world(spec.data):
        return world_dialogues(spec.data, spec.limit, seed=spec.seed)
    path = Path(spec.data)
    if not path.exists():
        worlds = ", ".join(registry.names("worlds"))
        raise InputError(
            f"there is no file {spec.data!r}", field="data", expected=f"a file, or one of {worlds}"
        )
    return read_dialogues(path, task=spec.task, limit=spec.limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """A spec made ready, before any model is touched.

    Attributes
    ----------
    spec
        What was asked.
    dialogues
        What is measured.
    instrument
        How.
    controls
        What is measured besides, in the order of the spec.
    """

    spec: RunSpec
    dialogues: tuple[Dialogue, ...]
    instrument: Instrument
    controls: tuple[Control, ...] = ()

    @property
    def measurement(self) -> Measurement:
        """How a turn is measured."""
        return self.instrument.measurement

    @property
    def n_turns(self) -> int:
        """Turns of all dialogues together."""
        return sum(dialogue.n_turns for dialogue in self.dialogues)

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Raise a CapabilityError, before the first call, when a method cannot work."""
        for estimator in self.measurement.estimators:
            estimator.check(capabilities, model=model)
        for control in self.controls:
            control.check(capabilities, model=model)

    def protocol(self, fingerprint: Mapping[str, str]) -> Protocol:
        """Everything that makes this run's scores what they are; controls have their own words."""
        return self.instrument.protocol(fingerprint)

    def dialogue(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        """Everything that is asked about one dialogue: the plain turns, then the controls."""
        rows = yield from self.measurement.dialogue(dialogue)
        for control in self.controls:
            rows += yield from control.measure(dialogue)
        return rows

    def upper_bound(self) -> Setup:
        """The same run asking as much as it may ask."""
        return replace(self, controls=tuple(one.upper_bound() for one in self.controls))


def prepare(spec: RunSpec) -> Setup:
    """Load the dialogues and build methods and controls.

    Raises
    ------
    InputError
        A file or a name in the spec is wrong.
    """
    instrument = build_instrument(spec, load_templates(*template_files(spec)))
    dialogues = tuple(load_dialogues(spec))
    controls: tuple[Control, ...] = tuple(
        registry.load("controls", name)(spec, instrument, dialogues) for name in spec.controls
    )
    return Setup(spec=spec, dialogues=dialogues, instrument=instrument, controls=controls)
