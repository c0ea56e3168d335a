"""From a spec to what a run works with: dialogues, methods, rendering, protocol."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from turnsure import registry
from turnsure.core.confidence import Target
from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Estimator
from turnsure.core.spec import Protocol, RunSpec
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.dialogues.rendering import HistoryWording, render
from turnsure.estimators.settings import EstimatorSettings
from turnsure.estimators.templates import Templates, load_templates
from turnsure.experiment.measure import Measurement
from turnsure.grading.extract import extract_answer
from turnsure.grading.match import MatchGrader


def load_dialogues(spec: RunSpec) -> list[Dialogue]:
    """The dialogues that a spec names: a built-in world, or a file."""
    if spec.data in registry.names("worlds"):
        return registry.load("worlds", spec.data)(spec.limit, seed=spec.seed)
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
    measurement
        How.
    wording
        The words around the hints.
    """

    spec: RunSpec
    dialogues: tuple[Dialogue, ...]
    measurement: Measurement
    wording: HistoryWording

    @property
    def n_turns(self) -> int:
        """Turns of all dialogues together."""
        return sum(dialogue.n_turns for dialogue in self.dialogues)

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Raise a CapabilityError, before the first call, when a method cannot work."""
        for estimator in self.measurement.estimators:
            estimator.check(capabilities, model=model)

    def protocol(self, fingerprint: Mapping[str, str]) -> Protocol:
        """Everything that makes this run's scores what they are."""
        settings = self.measurement.settings
        return Protocol(
            model=fingerprint,
            rendering={"style": self.spec.render, **self.wording.definition},
            answer={
                **settings.templates["answer"].definition,
                "max_tokens": str(settings.answer_tokens),
                "grader": self.measurement.grader.name,
                "seed": str(self.spec.seed),
            },
            estimators={one.name: one.definition for one in self.measurement.estimators},
            package=version("turnsure"),
        )


def prepare(spec: RunSpec) -> Setup:
    """Load the dialogues and build the methods.

    Raises
    ------
    InputError
        A file or a name in the spec is wrong.
    """
    templates = load_templates(None if spec.templates is None else Path(spec.templates))
    wording = HistoryWording.of(templates.history)
    settings = _settings(spec, templates)
    estimators: tuple[Estimator, ...] = tuple(
        registry.load("estimators", name)(settings) for name in spec.methods
    )
    targets: tuple[Target, ...] = ("answer", "gold") if spec.gold else ("answer",)
    return Setup(
        spec=spec,
        dialogues=tuple(load_dialogues(spec)),
        measurement=Measurement(
            estimators=estimators,
            settings=settings,
            grader=MatchGrader(),
            render=functools.partial(render, style=spec.render, wording=wording),
            targets=targets,
            seed=spec.seed,
        ),
        wording=wording,
    )


def _settings(spec: RunSpec, templates: Templates) -> EstimatorSettings:
    def read_answer(text: str) -> str | None:
        read = extract_answer(text, placeholders=templates["answer"].placeholder)
        return None if isinstance(read, Failure) else read.answer

    return EstimatorSettings(
        templates=templates,
        samples=spec.samples,
        temperature=spec.temperature,
        label_reading=spec.label_reading,
        answer_tokens=spec.answer_tokens,
        number_tokens=spec.number_tokens,
        analysis_tokens=spec.analysis_tokens,
        read_answer=read_answer,
        same_answer=MatchGrader().same,
    )
