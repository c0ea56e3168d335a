"""Transcripts as JSON: whole for the store, and a line an exchange for people.

In a file of lines each exchange is a line of its own, and each conversation ends with a line that
says why it ended; so two files show line by line at which turn two runs part.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from turnsure.core.conversation import Exchange, Slip, Transcript
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError, StoreError

_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


def dump_transcript(transcript: Transcript) -> str:
    """JSON text of a transcript.

    Raises
    ------
    StoreError
        An item or the state holds something that JSON has no form for.
    """
    try:
        return json.dumps(transcript_body(transcript), separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(
            f"the transcript of {transcript.scenario!r}, run {transcript.replicate}, cannot be "
            f"kept ({error})"
        ) from error


def load_transcript(text: str) -> Transcript:
    """Read back what :func:`dump_transcript` wrote.

    Raises
    ------
    StoreError
        The text is no such JSON.
    """
    try:
        return read_transcript(json.loads(text))
    except _UNREADABLE as error:
        raise StoreError(f"a stored transcript cannot be read ({error})") from error


def transcript_body(transcript: Transcript) -> dict[str, Any]:
    """A transcript as JSON values; what is absent has no field."""
    return {
        "scenario": transcript.scenario,
        "replicate": transcript.replicate,
        "exchanges": [exchange_body(one) for one in transcript.exchanges],
        **_ending_body(transcript),
    }


def read_transcript(body: Mapping[str, Any]) -> Transcript:
    """A transcript from JSON values; a wrong one raises what Python raises."""
    return Transcript(
        scenario=body["scenario"],
        replicate=body["replicate"],
        exchanges=tuple(read_exchange(one) for one in body["exchanges"]),
        ending=body["ending"],
        problem=body.get("problem"),
        state=body.get("state"),
        slips=_read_slips(body),
    )


def exchange_body(exchange: Exchange) -> dict[str, Any]:
    """An exchange as JSON values; what is absent has no field."""
    body: dict[str, Any] = {
        "turn": exchange.turn,
        "reveals": list(exchange.reveals),
        "user": message_body(exchange.user),
        "replies": [message_body(one) for one in exchange.replies],
        "items": [dict(one) for one in exchange.items],
        "note": exchange.note,
        "slips": _slips_body(exchange.slips),
        "unserved": list(exchange.unserved),
    }
    return {name: value for name, value in body.items() if value or name in ("turn", "user")}


def read_exchange(body: Mapping[str, Any]) -> Exchange:
    """An exchange from JSON values; a wrong one raises what Python raises."""
    return Exchange(
        turn=body["turn"],
        user=read_message(body["user"]),
        replies=tuple(read_message(one) for one in body.get("replies", ())),
        reveals=tuple(body.get("reveals", ())),
        items=tuple(body.get("items", ())),
        note=body.get("note"),
        slips=_read_slips(body),
        unserved=tuple(body.get("unserved", ())),
    )


def message_body(message: Message) -> dict[str, Any]:
    """A message as JSON values, shaped as in OpenAI's interfaces but for the flat tool calls."""
    body: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        body["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        body["tool_call_id"] = message.tool_call_id
    return body


def read_message(body: Mapping[str, Any]) -> Message:
    """A message from JSON values; a wrong one raises what Python raises."""
    return Message(
        role=body["role"],
        content=body["content"],
        tool_calls=tuple(
            ToolCall(id=call["id"], name=call["name"], arguments=call["arguments"])
            for call in body.get("tool_calls", ())
        ),
        tool_call_id=body.get("tool_call_id"),
    )


def write_transcripts(path: Path, transcripts: Iterable[Transcript]) -> None:
    """Write a file of lines, whole or not at all.

    Equal transcripts give equal files: there is no time of day in them.
    """
    temporary = path.with_name(f".{path.name}.part")
    # A reply may hold half of a surrogate pair, which JSON can only hold escaped.
    with temporary.open("w", encoding="utf-8", errors="backslashreplace") as file:
        for transcript in transcripts:
            for line in _lines(transcript):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    temporary.replace(path)


def read_transcripts(path: Path) -> list[Transcript]:
    """Read a file of lines.

    Raises
    ------
    InputError
        The file is missing, or a line is no part of a transcript.
    """
    read: list[Transcript] = []
    open_runs: dict[tuple[str, int], list[Exchange]] = {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"cannot be read ({error})", file=path, expected="a file of transcripts"
        ) from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
            run = (body["scenario"], body["replicate"])
            if "turn" in body:
                open_runs.setdefault(run, []).append(read_exchange(body))
                continue
            exchanges = tuple(open_runs.pop(run, ()))
            read.append(replace(read_transcript({**body, "exchanges": ()}), exchanges=exchanges))
        except _UNREADABLE as error:
            raise InputError(
                f"this is no part of a transcript ({error})",
                file=path,
                line=number,
                expected="an exchange, or the end of a conversation",
            ) from error
    if open_runs:
        scenario, replicate = next(iter(open_runs))
        raise InputError(
            f"run {replicate} of {scenario!r} has no end", file=path, expected="a line with ending"
        )
    return read


def _lines(transcript: Transcript) -> Iterator[dict[str, Any]]:
    run = {"scenario": transcript.scenario, "replicate": transcript.replicate}
    for exchange in transcript.exchanges:
        yield {**run, **exchange_body(exchange)}
    yield {**run, **_ending_body(transcript)}


def _ending_body(transcript: Transcript) -> dict[str, Any]:
    body: dict[str, Any] = {"ending": transcript.ending}
    if transcript.problem is not None:
        body["problem"] = transcript.problem
    if transcript.state is not None:
        body["state"] = dict(transcript.state)
    if transcript.slips:
        body["slips"] = _slips_body(transcript.slips)
    return body


def _slips_body(slips: Iterable[Slip]) -> list[dict[str, str]]:
    return [{"guard": one.guard, "evidence": one.evidence, "text": one.text} for one in slips]


def _read_slips(body: Mapping[str, Any]) -> tuple[Slip, ...]:
    return tuple(
        Slip(guard=one["guard"], evidence=one["evidence"], text=one["text"])
        for one in body.get("slips", ())
    )
