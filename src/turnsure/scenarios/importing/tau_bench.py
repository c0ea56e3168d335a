"""Runs of tau-bench: transcripts with the verdict that the benchmark's reward gives."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from turnsure.core.conversation import Ending, Transcript
from turnsure.core.errors import InputError
from turnsure.core.scenario import RunVerdict, Verdict
from turnsure.dialogues.readers.files import json_records
from turnsure.dialogues.readers.record import Record
from turnsure.scenarios.importing.conversations import exchanges_of, messages_of

STOP = "###STOP###"
"""By this the benchmark's user says that it is done."""

TRANSFER = "transfer_to_human_agents"
"""By this tool its assistant ends a conversation."""

_FULL_REWARD = 1.0 - 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class TauBenchRun:
    """One trial of one task.

    Attributes
    ----------
    transcript
        Its scenario is ``task-`` and the task's number, its replicate the trial.
    verdict
        ``pass`` for the full reward, ``fail`` for less, ``error`` where the trial broke off.
    reward
        In [0, 1].
    instruction
        What the simulated user was told; empty where the file does not say.
    policy
        What the assistant was told.
    """

    transcript: Transcript
    verdict: RunVerdict
    reward: float
    instruction: str = ""
    policy: str = ""


def read_tau_bench(path: str | Path) -> list[TauBenchRun]:
    """Read trajectories as tau-bench writes them: a JSON list of trials.

    The user's last message, to which nobody replies, is no turn; what it says decides the ending:
    ``user_stop`` for its signal, as for a transfer to a person, and ``turn_cap`` otherwise.

    Raises
    ------
    InputError
        The file cannot be read, or a trial lacks a field; names file, place and field.
    """
    made: list[TauBenchRun] = []
    for one in json_records(Path(path)):
        if isinstance(one, InputError):
            raise one
        made.append(_run(one))
    return made


def _run(record: Record) -> TauBenchRun:
    messages = messages_of(record.records("traj"))
    exchanges, unanswered = exchanges_of(messages)
    scenario = f"task-{record.whole_number('task_id')}"
    replicate = record.whole_number("trial")
    reward = _reward(record)
    info = record.record("info") if record.has("info") else None
    problem = None if info is None else info.label_or_none("error")
    if problem is None and not exchanges:
        problem = "the trial holds no turn with a reply"
    ending: Ending = "turn_cap"
    if problem is not None:
        ending = "infrastructure_error"
    elif STOP in (unanswered or "") or any(
        call.name == TRANSFER for one in exchanges[-1].replies for call in one.tool_calls
    ):
        ending = "user_stop"
    verdict: Verdict = "pass" if reward >= _FULL_REWARD else "fail"
    return TauBenchRun(
        transcript=Transcript(
            scenario=scenario,
            replicate=replicate,
            exchanges=exchanges,
            ending=ending,
            problem=problem,
        ),
        verdict=RunVerdict(
            scenario=scenario,
            replicate=replicate,
            verdict=verdict if problem is None else "error",
            reason=problem or ("" if verdict == "pass" else f"the reward is {reward:g}"),
            n_turns=len(exchanges),
        ),
        reward=reward,
        instruction=_instruction(info),
        policy="\n\n".join(one.content for one in messages if one.role == "system"),
    )


def _reward(record: Record) -> float:
    value = record.body.get("reward")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise record.wrong("reward", expected="a number in [0, 1]")
    return float(value)


def _instruction(info: Record | None) -> str:
    if info is None or not info.has("task"):
        return ""
    return info.record("task").text_or_none("instruction") or ""
