"""Asking a model the answers to dialogues, once without any hint and once at every turn.

Answers only: no method asks how sure the model is.  What is asked at a turn, and how it is graded,
is what a run does, so a dialogue that is guessed here would be guessed there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Dialogue
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Capabilities, Flow, Reply, TurnContext
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.engine.counters import Counters
from turnsure.engine.drive import Engine, Job, quiet
from turnsure.engine.retry import start_patiently
from turnsure.estimators.requests import OWN_ANSWER
from turnsure.estimators.templates import load_templates
from turnsure.experiment.instrument import build_instrument, template_files
from turnsure.experiment.measure import Measurement, Render
from turnsure.experiment.run_folder import RunFolder
from turnsure.experiment.setup import Setup
from turnsure.store.sqlite import Store

NO_HINTS = "no_hints"
"""The condition of the rows that were asked for without any hint."""


@dataclass(frozen=True, slots=True)
class AnswersOnly:
    """The method of those who want no confidence: it asks nothing."""

    @property
    def name(self) -> str:
        return "answers_only"

    @property
    def targets(self) -> tuple[Target, ...]:
        return OWN_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        return {}

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can answer."""

    def estimate(
        self, context: TurnContext, answer: str
    ) -> Generator[Sequence[GenerationRequest], Sequence[Reply], Confidence | Failure]:
        """Say that nobody asked."""
        del context, answer
        yield from ()
        return Failure(stage="confidence", kind="not_asked", message="only the answer was asked")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoHints:
    """Asks for the answer when nothing is known but the task.

    Dialogues with one task, and one closing, are asked the same: since the request does not name
    the dialogue, the model is asked once and the reply is graded for each of them.

    Attributes
    ----------
    measurement
        How a state is measured; its rendering leaves all hints out, with the words that announce
        them.
    """

    measurement: Measurement

    @property
    def name(self) -> str:
        return NO_HINTS

    @property
    def definition(self) -> Mapping[str, str]:
        return {"shown": "the task alone", "decoding": "greedy, one reply"}

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can answer."""

    def upper_bound(self) -> NoHints:
        return self

    def measure(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        # The seed of a request comes from the name in its prefix.
        nobody = replace(dialogue.prefix(1), dialogue=NO_HINTS)
        return (yield from self.measurement.state(dialogue, nobody, turn=1, condition=NO_HINTS))


def answers_setup(spec: RunSpec, dialogues: Sequence[Dialogue]) -> Setup:
    """Make ready what :func:`ask_answers` asks.

    Parameters
    ----------
    spec
        Says how the answer is asked for: rendering, wording, token limit and seed.
    dialogues
        At least one, no id twice.

    Raises
    ------
    InputError
        The wording cannot be used.
    """
    templates = load_templates(*template_files(spec))
    instrument = build_instrument(spec, templates)
    hidden = build_instrument(spec, templates, hide_hints=True).measurement.evidence
    measurement = replace(instrument.measurement, estimators=(AnswersOnly(),), targets=OWN_ANSWER)
    bare: Render = measurement.render if hidden is None else hidden
    return Setup(
        spec=spec,
        dialogues=tuple(dialogues),
        instrument=replace(instrument, measurement=measurement, combinations=()),
        controls=(NoHints(measurement=replace(measurement, render=bare)),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a model answered.

    Attributes
    ----------
    table
        A row a dialogue and turn, and one a dialogue under :data:`NO_HINTS`.
    fingerprint
        The model's.
    counters
        What was asked this time.
    """

    table: TurnsTable
    fingerprint: Mapping[str, str]
    counters: Counters


def ask_answers(
    setup: Setup, backend: Backend, folder: Path, progress: Callable[[Counters], None] = quiet
) -> Answers:
    """Ask for all answers; what the folder's store holds is not asked again.

    Parameters
    ----------
    setup
        Of :func:`answers_setup`.
    backend
        The model; it is started and closed here.
    folder
        Holds the store; made when absent.
    progress
        Told the counters after every request.

    Raises
    ------
    StoreError
        Another process writes to the folder.
    BackendError
        The model cannot be reached.
    """
    run = RunFolder(folder)
    with run.locked():
        store = Store(run.store)
        try:
            return asyncio.run(_ask(setup, backend, store, progress))
        finally:
            store.close()


async def _ask(
    setup: Setup, backend: Backend, store: Store, progress: Callable[[Counters], None]
) -> Answers:
    try:
        await start_patiently(backend)
        engine = Engine(
            backend=backend, store=store, concurrency=setup.spec.concurrency, progress=progress
        )
        rows = await engine.run(
            [Job(dialogue=one.id, flow=setup.dialogue(one)) for one in setup.dialogues]
        )
        fingerprint = dict(backend.fingerprint)
    finally:
        await backend.close()
    return Answers(
        table=TurnsTable.of(row for of_dialogue in rows for row in of_dialogue),
        fingerprint=fingerprint,
        counters=engine.counters,
    )
