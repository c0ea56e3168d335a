"""Sharded instructions: whether a model still solves a task that is told piece by piece.

The tasks are dialogues as the reader ``sharded`` makes them: hints are the pieces, and ``full`` in
``meta`` is the task as it was written.  Every version is asked n times; an answer is read and
graded after every reply.

References
----------
Laban, Hayashi, Zhou, Neville: LLMs get lost in multi-turn conversation (2025).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from turnsure.core.dialogue import Dialogue, Message
from turnsure.core.digest import seed_from
from turnsure.core.errors import InputError
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Flow, Grader
from turnsure.core.sharded import SHARD_VERSIONS, ShardedRun, ShardVersion
from turnsure.engine.drive import Engine, Job
from turnsure.grading.extract import extract_answer
from turnsure.grading.match import MatchGrader
from turnsure.numerics.inputs import choice, whole_number

FULL = "full"
"""Name in ``meta`` of the task as it was written."""

SHARD_TAG = "sharded"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardedSettings:
    """How tasks are run.

    Attributes
    ----------
    runs
        Of every task and version.
    versions
        Which ones.
    temperature
        Of the replies; at 0 a model of one's own repeats itself, and nothing is learnt about
        unreliability.
    max_tokens
        Of a reply.
    seed
        Of all runs; each has a seed of its own.
    grader
        Says whether an answer is right: 1, or else 0.
    """

    runs: int = 10
    versions: tuple[ShardVersion, ...] = SHARD_VERSIONS
    temperature: float = 1.0
    max_tokens: int = 512
    seed: int = 0
    grader: Grader = field(default_factory=MatchGrader)

    def __post_init__(self) -> None:
        whole_number(self.runs, "runs", minimum=1)
        whole_number(self.seed, "seed", minimum=0)
        for version in self.versions:
            choice(version, "versions", SHARD_VERSIONS)
        if not self.versions or len(set(self.versions)) < len(self.versions):
            raise InputError(
                f"they are {self.versions}", field="versions", expected="one or more, each once"
            )


async def run_sharded(
    engine: Engine, tasks: Sequence[Dialogue], settings: ShardedSettings
) -> list[ShardedRun]:
    """Run every version of every task, side by side.

    Parameters
    ----------
    engine
        Its subject is tested; what its store holds is not asked again.
    tasks
        With different ids.
    settings
        Runs and versions.

    Raises
    ------
    InputError
        Two tasks have one id, or one lacks the full text that a version needs.
    BackendError
        The model cannot be reached.
    """
    return await engine.run(sharded_jobs(tasks, settings))


def sharded_jobs(tasks: Sequence[Dialogue], settings: ShardedSettings) -> list[Job[ShardedRun]]:
    """The flows of :func:`run_sharded`, task by task.

    Raises
    ------
    InputError
        Two tasks have one id, or one lacks the full text that a version needs.
    """
    twice = next((name for name, n in Counter(one.id for one in tasks).items() if n > 1), None)
    if twice is not None:
        raise InputError(f"two tasks are called {twice!r}", field="id", expected="different ids")
    return [
        Job(
            dialogue=task.id,
            flow=sharded_run(user_turns(task, version), task, version, replicate, settings),
        )
        for task in tasks
        for version in settings.versions
        for replicate in range(settings.runs)
    ]


def user_turns(task: Dialogue, version: ShardVersion) -> tuple[str, ...]:
    """What the user says at each turn, the task's instruction first.

    Raises
    ------
    InputError
        The task has no full text.
    """
    pieces = [hint.answer for hint in task.hints]
    if version == "sharded":
        return (f"{task.task}\n\n{pieces[0]}", *pieces[1:])
    if version == "concatenated":
        return ("\n".join([task.task, "", *(f"- {piece}" for piece in pieces)]),)
    full = task.meta.get(FULL)
    if full is None:
        raise InputError(
            f"the task {task.id!r} has no full text",
            field=f"meta.{FULL}",
            expected="the task as it was written",
        )
    return (f"{task.task}\n\n{full}",)


def sharded_run(
    said: Sequence[str],
    task: Dialogue,
    version: ShardVersion,
    replicate: int,
    settings: ShardedSettings,
) -> Flow[ShardedRun]:
    """One conversation: the user says its turns, whatever the replies; each reply is graded."""
    messages: list[Message] = []
    answers: list[str | None] = []
    scores: list[float] = []
    for turn, text in enumerate(said, start=1):
        messages.append(Message(role="user", content=text))
        [reply] = yield [
            GenerationRequest(
                messages=tuple(messages),
                max_tokens=settings.max_tokens,
                temperature=settings.temperature,
                seed=seed_from(settings.seed, task.id, version, replicate, turn),
                replicate=replicate,
                tag=SHARD_TAG,
            )
        ]
        if isinstance(reply, Failure):
            return ShardedRun(task=task.id, version=version, replicate=replicate, failure=reply)
        words = reply.texts[0] if reply.texts else ""
        messages.append(Message(role="assistant", content=words))
        read = extract_answer(words)
        answer = None if isinstance(read, Failure) else read.answer
        right = answer is not None and settings.grader.grade(answer, task.gold).correct
        answers.append(answer)
        scores.append(1.0 if right else 0.0)
    return ShardedRun(
        task=task.id,
        version=version,
        replicate=replicate,
        answers=tuple(answers),
        scores=tuple(scores),
    )
