"""Asks a model how sure it is of what an assistant replied, at every turn of many conversations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from turnsure.core.conversation import Transcript
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend, Estimator, Flow
from turnsure.core.spec import RunSpec
from turnsure.core.suite_confidence import Scored
from turnsure.engine.counters import Counters
from turnsure.engine.drive import Engine, Job, quiet
from turnsure.engine.retry import start_patiently
from turnsure.engine.together import together
from turnsure.estimators.templates import load_templates
from turnsure.experiment.conversations.contexts import prefix_at, reply_at, run_name
from turnsure.experiment.instrument import Instrument, build_instrument, template_files
from turnsure.store.sqlite import Store

TurnScores = Sequence[Mapping[str, Scored]]
"""For each turn of a run, the scores by method."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRuns:
    """What the model said.

    Attributes
    ----------
    protocol
        Digest of how it was asked.
    scores
        Of each transcript, in the order given.
    counters
        What was asked.
    """

    protocol: str
    scores: tuple[TurnScores, ...]
    counters: Counters


def confidence_instrument(spec: RunSpec) -> Instrument:
    """What asks for the methods of a spec.

    Raises
    ------
    InputError
        A method is unknown, or cannot judge a reply that it did not make itself.
    """
    instrument = build_instrument(replace(spec, gold=False), load_templates(*template_files(spec)))
    judging = [one.name for one in instrument.measurement.estimators if "other" in one.targets]
    for one in (*instrument.measurement.estimators, *instrument.combinations):
        if one.name not in judging:
            raise InputError(
                f"{one.name!r} cannot judge a reply that another assistant gave",
                field="confidence",
                expected=", ".join(judging) or "p_true, p_sufficient",
            )
    return instrument


async def measure_transcripts(
    transcripts: Sequence[Transcript],
    instrument: Instrument,
    backend: Backend,
    store: Path,
    progress: Callable[[Counters], None] = quiet,
    *,
    concurrency: int = 8,
) -> MeasuredRuns:
    """Ask about every turn of every transcript.

    Parameters
    ----------
    transcripts
        Runs of any scenarios.
    instrument
        From :func:`confidence_instrument`.
    backend
        The model; it is started and closed here.
    store
        The database in which generations are kept and looked up.
    progress
        Told the counters after every request.
    concurrency
        Conversations at once.

    Raises
    ------
    CapabilityError
        A method cannot work with this model; nothing was asked.
    BackendError
        The model cannot be reached.
    """
    kept = Store(store)
    try:
        await start_patiently(backend)
        for estimator in instrument.measurement.estimators:
            estimator.check(backend.capabilities, model=backend.name)
        engine = Engine(backend=backend, store=kept, concurrency=concurrency, progress=progress)
        scores = await engine.run(
            [Job(dialogue=run_name(one), flow=_of_run(one, instrument)) for one in transcripts]
        )
        protocol = instrument.protocol(backend.fingerprint)
        return MeasuredRuns(
            protocol=protocol.digest, scores=tuple(scores), counters=engine.counters
        )
    finally:
        await backend.close()
        kept.close()


def _of_run(transcript: Transcript, instrument: Instrument) -> Flow[TurnScores]:
    """All turns, one after the other: the prompt of each extends that of the last."""
    scores: list[Mapping[str, Scored]] = []
    for turn in range(1, len(transcript.exchanges) + 1):
        scores += [(yield from turn_scores(transcript, turn, instrument))]
    return scores


def turn_scores(
    transcript: Transcript, turn: int, instrument: Instrument
) -> Flow[Mapping[str, Scored]]:
    """The confidence in the reply of one turn, under every method."""
    methods = instrument.measurement.estimators
    reply = reply_at(transcript, turn)
    if isinstance(reply, Failure):
        return {one.name: _placed(reply, transcript, turn, one) for one in methods}
    context = instrument.measurement.context(prefix_at(transcript, turn))
    found = yield from together([one.estimate(context, reply) for one in methods])
    return {
        one.name: _placed(score, transcript, turn, one)
        for one, score in zip(methods, found, strict=True)
    }


def _placed(score: Scored, transcript: Transcript, turn: int, method: Estimator) -> Scored:
    if not isinstance(score, Failure):
        return score
    return replace(score, dialogue=run_name(transcript), turn=turn, method=method.name)
