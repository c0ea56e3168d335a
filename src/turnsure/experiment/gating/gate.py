"""The gate at run time: ask for one score, decide, and never answer where there is none."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar, Unpack, get_args

from turnsure.calibration.gate_file import GateFile
from turnsure.core.decided import Decision
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Backend
from turnsure.experiment.gating.conversation import Given, prefix_of
from turnsure.experiment.gating.files import read_gate
from turnsure.experiment.gating.judge import Circumstances, Judge, Known
from turnsure.experiment.gating.loop_thread import LoopThread
from turnsure.experiment.gating.opening import Reach, open_subject
from turnsure.experiment.gating.subject import OnMismatch, Subject
from turnsure.grading.extract import extract_answer

T = TypeVar("T")


class Gate:
    """A gate in front of a model.

    Use :meth:`load`.  One gate serves any number of decisions at once; :meth:`decide` belongs to
    the event loop that called it first, :meth:`decide_now` to a thread of the gate's own, and one
    gate is used in one of the two ways.

    Parameters
    ----------
    judge
        What decides.
    subject
        The model, None for a gate that is asked with scores alone.
    """

    def __init__(self, judge: Judge, subject: Subject | None) -> None:
        self._judge = judge
        self._subject = subject
        self._thread: LoopThread | None = None

    @classmethod
    def load(
        cls,
        path: str | Path,
        model: Backend | str | None = None,
        *,
        base_url: str | None = None,
        api_key_env: str | None = None,
        timeout: float = 30.0,
        templates: str | Path | None = None,
        on_mismatch: OnMismatch = "raise",
        accept: Collection[str] = (),
        today: Callable[[], datetime.date] = datetime.date.today,
    ) -> Gate:
        """Read a gate and put it in front of a model.

        Parameters
        ----------
        path
            The artefact.
        model
            A back-end, or a model by name (``openai:NAME``, ``local:FILE.gguf``), reached as in the
            run; None for a gate that is only asked with scores (:meth:`decide_score`).
        base_url, api_key_env
            Where a named endpoint is, and the variable with its key; None for the run's.
        timeout
            Seconds for one request to a named endpoint; someone waits for the decision.
        templates
            The wording as it is now; None for the file of the run, where it is or beside the gate.
        on_mismatch
            What a difference of model, wording or package does: an error, or every decision
            escalates and nothing is asked.
        accept
            Places that may differ, such as ``model.base_url``.
        today
            The day, for gates that expire.

        Raises
        ------
        InputError
            The artefact is not as it was built, or a setting is wrong.
        ProtocolMismatchError
            Model, wording or package are not those of the gate; names what differs.  What only a
            started endpoint tells is compared by :meth:`start`.
        """
        if on_mismatch not in get_args(OnMismatch):
            raise InputError(
                f"it is {on_mismatch!r}", field="on_mismatch", expected="'raise' or 'escalate'"
            )
        file = read_gate(path)
        try:
            judge = Judge.of(file, today=today)
        except InputError as error:
            raise error.at(file=path) from None
        if model is None:
            return cls(judge, None)
        reach = Reach(
            base_url=base_url, api_key_env=api_key_env, timeout=timeout, templates=templates
        )
        subject = open_subject(
            file, Path(path), model, reach=reach, on_mismatch=on_mismatch, accept=accept
        )
        subject.compare_early()
        return cls(judge, subject)

    @property
    def file(self) -> GateFile:
        """The artefact."""
        return self._judge.file

    @property
    def mismatch(self) -> tuple[str, ...]:
        """What differs from the gate's protocol, a sentence each, as far as it is known."""
        return () if self._subject is None else self._subject.mismatch

    async def start(self) -> None:
        """Reach the model and compare it with the gate's; else the first decision does it.

        Raises
        ------
        ProtocolMismatchError
            The model is not the gate's.
        CapabilityError
            It cannot do what the method needs.
        BackendError
            It cannot be reached.
        """
        await self._model().start()

    async def close(self) -> None:
        """Release a model that the gate opened; a back-end that was handed in stays open."""
        if self._subject is not None:
            await self._subject.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def decide(
        self,
        messages: Sequence[Given],
        answer: str | Failure,
        *,
        dialogue: str | None = None,
        **known: Unpack[Known],
    ) -> Decision:
        """Decide about an answer.

        Parameters
        ----------
        messages
            The conversation up to the user's last message; see
            :mod:`turnsure.experiment.gating.conversation` for what it stands for.
        answer
            The proposed answer alone, as :meth:`read` finds it in a reply.
        dialogue
            Its id, which seeds the sampling; None to take a digest of the conversation.
        known
            ``n_turns`` (how long the dialogue is going to be), ``may_ask``, ``irreversible``,
            ``act``, ``slices``: see :class:`~turnsure.experiment.gating.judge.Circumstances`.

        Raises
        ------
        InputError
            The messages are no list of messages, or the gate has no model.
        ProtocolMismatchError, CapabilityError
            As :meth:`start`.
        """
        subject, validity = self._model(), self.file.validity
        at = Circumstances(**known)
        prefix = prefix_of(
            messages, task=validity.task, closing=validity.closing, dialogue=dialogue
        )
        if isinstance(prefix, Failure):
            return self._judge.decide(prefix, at)
        context = subject.instrument.measurement.context(prefix)
        at = replace(
            at,
            turn=prefix.turn,
            task=prefix.task,
            characters=sum(len(one.content) for one in context.history),
        )
        blocked = _no_answer(answer) or self._judge.blocked(at) or subject.mismatched()
        if blocked is not None:
            return self._judge.decide(blocked, at)
        score, cost = await subject.score(context, str(answer))
        return self._judge.decide(score, at, cost)

    def decide_now(
        self,
        messages: Sequence[Given],
        answer: str | Failure,
        *,
        dialogue: str | None = None,
        **known: Unpack[Known],
    ) -> Decision:
        """:meth:`decide` for code without an event loop; the same parameters."""
        return self._run(self.decide(messages, answer, dialogue=dialogue, **known))

    def decide_score(
        self, score: float | Failure, *, turn: int | None = None, **known: Unpack[Known]
    ) -> Decision:
        """Decide about a score that was made elsewhere, under the gate's own protocol.

        Nothing can check that it was: that is the caller's word.

        Parameters
        ----------
        score
            In [0, 1], or why there is none.
        turn
            1-based; None where scores have no turns.
        known
            As for :meth:`decide`.

        Raises
        ------
        InputError
            The score is no number in [0, 1].
        """
        if not isinstance(score, Failure) and (isinstance(score, bool) or not 0.0 <= score <= 1.0):
            raise InputError(f"it is {score!r}", field="score", expected="a number in [0, 1]")
        return self._judge.decide(score, replace(Circumstances(**known), turn=turn))

    def read(self, reply: str) -> str | Failure:
        """The answer that a reply gives, read as the run read it; or why there is none."""
        settings = self._model().instrument.measurement.settings
        found = extract_answer(reply, placeholders=settings.templates["answer"].placeholder)
        return found if isinstance(found, Failure) else found.answer

    def close_now(self) -> None:
        """:meth:`close` for code without an event loop."""
        self._run(self.close())
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_now()

    def _model(self) -> Subject:
        if self._subject is None:
            raise InputError(
                "the gate was loaded without a model",
                field="model",
                expected="Gate.load(path, model), or decide_score",
            )
        return self._subject

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._thread is None:
            self._thread = LoopThread()
        return self._thread.run(work)


def _no_answer(answer: str | Failure) -> Failure | None:
    if isinstance(answer, Failure):
        return answer
    if answer.strip():
        return None
    return Failure(stage="answer", kind="no_answer", message="there is no answer to judge")
