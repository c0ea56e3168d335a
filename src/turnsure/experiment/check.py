"""Trying a model out: what it can do, and how well it keeps to the probes' labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from turnsure.core.errors import BackendError, CapabilityError
from turnsure.core.generation import GenerationRequest, LabelReading
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Capabilities, Session
from turnsure.engine.retry import start_patiently
from turnsure.experiment.setup import Setup
from turnsure.grading.extract import extract_answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeCheck:
    """One probe at one turn.

    Attributes
    ----------
    method, turn
        Which.
    reading
        The label distribution, or the reason why there is none.
    """

    method: str
    turn: int
    reading: LabelReading | str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """What was found out about a model.

    Attributes
    ----------
    capabilities, fingerprint
        As the back-end tells them.
    methods
        For each method None when it works, else what it lacks.
    reply, answer
        A greedy reply to the last turn of a dialogue, and the answer read from it.
    repeatable
        Whether two equally seeded samples came out equal; None when seeds are not supported.
    probes
        The label readings.
    """

    capabilities: Capabilities
    fingerprint: Mapping[str, str]
    methods: Mapping[str, str | None]
    reply: str
    answer: str | Failure
    repeatable: bool | None
    probes: tuple[ProbeCheck, ...]


async def check_model(setup: Setup, backend: Backend) -> ModelCheck:
    """Start the model, ask a few short questions, and close it.

    Raises
    ------
    BackendError
        The model cannot be reached, or fails at the plainest question.
    """
    try:
        await start_patiently(backend)
        dialogue = setup.dialogues[0]
        async with backend.session(dialogue.id) as session:
            last = setup.measurement.context(dialogue.prefix(dialogue.n_turns))
            settings = setup.measurement.settings
            ask = settings.templates["answer"].fill(last.history)
            plain = GenerationRequest(messages=ask, max_tokens=settings.answer_tokens)
            reply = (await session.generate(plain)).texts[0]
            return ModelCheck(
                capabilities=backend.capabilities,
                fingerprint=backend.fingerprint,
                methods=_methods(setup, backend),
                reply=reply,
                answer=_answer(reply, setup),
                repeatable=await _repeatable(plain, backend, session),
                probes=await _probes(setup, backend, session),
            )
    finally:
        await backend.close()


def _methods(setup: Setup, backend: Backend) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for estimator in setup.measurement.estimators:
        try:
            estimator.check(backend.capabilities, model=backend.name)
        except CapabilityError as error:
            found[estimator.name] = str(error)
        else:
            found[estimator.name] = None
    return found


def _answer(reply: str, setup: Setup) -> str | Failure:
    placeholders = setup.measurement.settings.templates["answer"].placeholder
    read = extract_answer(reply, placeholders=placeholders)
    return read if isinstance(read, Failure) else read.answer


async def _repeatable(
    request: GenerationRequest, backend: Backend, session: Session
) -> bool | None:
    if not backend.capabilities.seed:
        return None
    sampled = replace(request, temperature=1.0, seed=1)
    return (await session.generate(sampled)).texts == (await session.generate(sampled)).texts


async def _probes(setup: Setup, backend: Backend, session: Session) -> tuple[ProbeCheck, ...]:
    """Read every label probe about the gold answer at the first and at the last turn."""
    if backend.capabilities.label_probabilities == "none":
        return ()
    dialogue = setup.dialogues[0]
    checks: list[ProbeCheck] = []
    for turn in sorted({1, dialogue.n_turns}):
        context = setup.measurement.context(dialogue.prefix(turn))
        for estimator in setup.measurement.estimators:
            for request in next(estimator.estimate(context, dialogue.gold[0])):
                if request.labels is not None:
                    reading = await _reading(request, session)
                    checks.append(ProbeCheck(method=estimator.name, turn=turn, reading=reading))
    return tuple(checks)


async def _reading(request: GenerationRequest, session: Session) -> LabelReading | str:
    try:
        reading = (await session.generate(request)).labels
    except BackendError as error:
        return str(error)
    return "the model gave no label distribution" if reading is None else reading
