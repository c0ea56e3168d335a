"""The measuring instrument: methods, rendering and grading, and the protocol that names them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from turnsure import registry
from turnsure.core.confidence import Target
from turnsure.core.dialogue import Message, Prefix
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Estimator
from turnsure.core.spec import Protocol, RunSpec
from turnsure.dialogues.rendering import HistoryWording, render
from turnsure.estimators.settings import EstimatorSettings
from turnsure.estimators.templates import Templates
from turnsure.experiment.combine import Combination, asking_methods, combinations
from turnsure.experiment.measure import Measurement, Render
from turnsure.grading.extract import extract_answer
from turnsure.grading.match import MatchGrader


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """What measures.

    Attributes
    ----------
    measurement
        How a turn is measured.
    rendering
        Style and wording of the dialogue, for the protocol.
    combinations
        Methods that combine the others.
    """

    measurement: Measurement
    rendering: Mapping[str, str]
    combinations: tuple[Combination, ...] = ()

    def protocol(self, fingerprint: Mapping[str, str]) -> Protocol:
        """Everything that makes this instrument's scores what they are, with this model."""
        settings = self.measurement.settings
        return Protocol(
            model=fingerprint,
            rendering=self.rendering,
            answer={
                **settings.templates["answer"].definition,
                "max_tokens": str(settings.answer_tokens),
                "grader": self.measurement.grader.name,
                "seed": str(self.measurement.seed),
            },
            estimators={
                one.name: one.definition
                for one in (*self.measurement.estimators, *self.combinations)
            },
            package=version("turnsure"),
        )


def build_instrument(
    spec: RunSpec, templates: Templates, *, hide_hints: bool = False
) -> Instrument:
    """Build methods and rendering.

    Parameters
    ----------
    spec
        Methods, limits, rendering and seed.
    templates
        The wording.
    hide_hints
        Show the methods the task and the proposed answer alone; the answer itself is still asked
        for with all hints.

    Raises
    ------
    InputError
        A method or a part of the wording is unknown.
    """
    try:
        wording = HistoryWording.of(templates.history)
    except InputError as error:
        raise error.at(file=spec.templates) from None
    settings = _settings(spec, templates)
    estimators: tuple[Estimator, ...] = tuple(
        registry.load("estimators", name)(settings) for name in asking_methods(spec)
    )
    targets: tuple[Target, ...] = ("answer", "gold") if spec.gold else ("answer",)
    shown: Render = functools.partial(render, style=spec.render, wording=wording)
    rendering = {"style": spec.render, **wording.definition}
    if hide_hints:
        rendering["hints shown to the methods"] = "none"
    return Instrument(
        measurement=Measurement(
            estimators=estimators,
            settings=settings,
            grader=MatchGrader(),
            render=shown,
            targets=targets,
            seed=spec.seed,
            evidence=_without_hints(spec, wording) if hide_hints else None,
        ),
        rendering=rendering,
        combinations=combinations(spec),
    )


def template_files(spec: RunSpec) -> list[Path]:
    """The template files of a spec, of which there may be none."""
    return [] if spec.templates is None else [Path(spec.templates)]


def _without_hints(spec: RunSpec, wording: HistoryWording) -> Render:
    """The task alone: no hint, and no words that announce any."""
    bare = replace(wording, intro="")

    def shown(prefix: Prefix) -> tuple[Message, ...]:
        return render(replace(prefix, hints=()), style=spec.render, wording=bare)

    return shown


def _settings(spec: RunSpec, templates: Templates) -> EstimatorSettings:
    def read_answer(text: str) -> str | None:
        read = extract_answer(text, placeholders=templates["answer"].placeholder)
        return None if isinstance(read, Failure) else read.answer

    return EstimatorSettings(
        templates=templates,
        samples=spec.samples,
        temperature=spec.temperature,
        adaptive_batch=spec.adaptive_batch,
        adaptive_half_width=spec.adaptive_half_width,
        adaptive_level=spec.adaptive_level,
        label_reading=spec.label_reading,
        answer_tokens=spec.answer_tokens,
        number_tokens=spec.number_tokens,
        analysis_tokens=spec.analysis_tokens,
        guesses_tokens=spec.guesses_tokens,
        guesses=spec.guesses,
        grouping=spec.grouping,
        embeddings=spec.embedding_model is not None,
        embedding_threshold=spec.embedding_threshold,
        answer_logprobs=any(name.startswith("sequence_likelihood") for name in spec.methods),
        read_answer=read_answer,
        same_answer=MatchGrader().same,
    )
