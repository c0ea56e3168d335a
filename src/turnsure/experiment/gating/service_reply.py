"""What the service reads out of chat requests and replies, and what it adds to them.  Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from turnsure.core.decided import Decision
from turnsure.core.digest import SHORT
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.experiment.gating.judge import Known

FIELD = "turnsure"
"""The field of a request that tells the gate more, and that of a reply in which it tells."""

DONE = b"[DONE]"

_FLAGS = ("may_ask", "irreversible")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat request as the gate needs it.

    Attributes
    ----------
    forwarded
        The body as it came, or without the gate's own field where that was there.
    messages
        As they came; checked when they are judged.
    model
        Which model is to answer; None where none is named.
    streams
        Whether the reply is to come in pieces.
    dialogue, known
        What the client tells of the conversation.
    """

    forwarded: bytes
    messages: object
    model: str | None
    streams: bool
    dialogue: str | None
    known: Known


def read_request(raw: bytes) -> ChatRequest:
    """Read the body of a chat request.

    Raises
    ------
    InputError
        It is no JSON object, or the gate's own field is wrong; names the field.
    """
    try:
        parsed: object = json.loads(raw)
    except (ValueError, RecursionError):
        raise InputError("the body is not JSON", expected="a chat request") from None
    if not isinstance(parsed, dict):
        raise InputError("the body is no JSON object", expected="a chat request")
    body = cast("dict[str, Any]", parsed)
    dialogue, known, forwarded = None, Known(), raw
    if FIELD in body:
        dialogue, known = _told(body.pop(FIELD))
        forwarded = json.dumps(body).encode("ascii")
    model = body.get("model")
    return ChatRequest(
        forwarded=forwarded,
        messages=body.get("messages"),
        model=model if isinstance(model, str) else None,
        streams=body.get("stream") is True,
        dialogue=dialogue,
        known=known,
    )


def _told(value: object) -> tuple[str | None, Known]:
    """The gate's own field of a request."""
    if not isinstance(value, dict):
        raise InputError("it is no object", field=FIELD, expected='{"may_ask": false, …}')
    told = cast("dict[str, Any]", value)
    names = ("dialogue", *Known.__annotations__)
    for name, one in told.items():
        if name not in names:
            raise InputError("unknown field", field=f"{FIELD}.{name}", expected=", ".join(names))
        if not _fits(name, one):
            raise InputError(f"it is {one!r}", field=f"{FIELD}.{name}", expected=_expected(name))
    dialogue = told.pop("dialogue", None)
    return dialogue, cast("Known", told)


def _fits(name: str, value: object) -> bool:
    if name in _FLAGS:
        return isinstance(value, bool)
    if name == "n_turns":
        return isinstance(value, int) and not isinstance(value, bool) and value >= 1
    if name == "slices":
        return isinstance(value, dict) and all(
            isinstance(one, str) for one in cast("dict[str, object]", value).values()
        )
    return isinstance(value, str) and bool(value.strip())


def _expected(name: str) -> str:
    if name in _FLAGS:
        return "true or false"
    if name == "n_turns":
        return "a whole number from 1 on"
    return "an object of texts" if name == "slices" else "a text"


@dataclass(slots=True)
class Reply:
    """What a model replied, collected from one body or from the pieces of a stream.

    Attributes
    ----------
    texts
        The pieces of the text.
    places
        Numbers of the choices seen.
    has_calls
        Whether a tool is called.
    frame
        ``id``, ``created`` and ``model`` as the pieces carry them.
    """

    texts: list[str] = field(default_factory=list[str])
    places: set[int] = field(default_factory=set[int])
    has_calls: bool = False
    frame: dict[str, Any] = field(default_factory=dict[str, Any])

    def add(self, body: object) -> None:
        """Take in a body or a piece; what is not as expected adds nothing."""
        if not isinstance(body, dict):
            return
        fields = cast("dict[str, Any]", body)
        for name in ("id", "created", "model"):
            if name in fields:
                self.frame.setdefault(name, fields[name])
        choices = fields.get("choices")
        if not isinstance(choices, list):
            return
        for place, one in enumerate(cast("list[object]", choices)):
            choice = cast("dict[str, Any]", one) if isinstance(one, dict) else {}
            index = choice.get("index", place)
            self.places.add(index if isinstance(index, int) else place)
            said: object = choice.get("message") or choice.get("delta")
            message = cast("dict[str, Any]", said) if isinstance(said, dict) else {}
            if message.get("tool_calls") or message.get("function_call"):
                self.has_calls = True
            if isinstance(message.get("content"), str):
                self.texts.append(message["content"])

    def text(self) -> str | Failure:
        """The one text, or why there is none that could be judged."""
        if self.has_calls:
            return _unjudged("the reply calls a tool, and no answer is given")
        if len(self.places) != 1:
            return _unjudged(f"the reply has {len(self.places)} choices, and one is judged")
        return "".join(self.texts) or _unjudged("the reply holds no text")


def _unjudged(message: str) -> Failure:
    return Failure(stage="answer", kind="unjudged", message=message)


def other_model(asked: str | None, measured: str) -> Failure | None:
    """Why a reply of a model that the gate does not know is not judged."""
    if asked == measured:
        return None
    return _unjudged(f"the reply is of {asked!r}, and the gate was measured on {measured!r}")


def added(decision: Decision, *, gate: str) -> dict[str, Any]:
    """What is added to a reply.

    Parameters
    ----------
    decision
        The decision.
    gate
        The gate's digest.
    """
    failure, cost = decision.failure, decision.cost
    reasons: Sequence[str] = decision.reasons
    if failure is not None and failure.stage == "generation":
        # What the model's server said may name addresses that are no business of a client.
        reasons = [f"no score counts here: the model could not be asked ({failure.kind})"]
    return {
        "confidence": decision.probability,
        "action": decision.action,
        "score": decision.score,
        "reasons": list(reasons),
        "method": decision.method,
        "turn": decision.turn,
        "failure": None if failure is None else failure.kind,
        "cost": {
            "calls": cost.calls,
            "prompt_tokens": cost.prompt_tokens,
            "completion_tokens": cost.completion_tokens,
            "seconds": round(cost.seconds, 6),
        },
        "gate": gate[:SHORT],
    }


def last_event(frame: Mapping[str, Any], extra: Mapping[str, Any]) -> bytes:
    """The event that closes a stream: a piece without a choice, in the frame of the others."""
    body: dict[str, Any] = {**frame, "object": "chat.completion.chunk", "choices": [], FIELD: extra}
    return b"data: " + json.dumps(body).encode("ascii") + b"\n\n"


@dataclass(slots=True)
class Events:
    """Cuts a stream of bytes into server-sent events, changing none of them."""

    _rest: bytes = b""

    def feed(self, piece: bytes) -> list[bytes]:
        """The events that ``piece`` completes, each with the blank line that ends it."""
        self._rest += piece
        found: list[bytes] = []
        while (end := self._end()) is not None:
            found.append(self._rest[:end])
            self._rest = self._rest[end:]
        return found

    @property
    def rest(self) -> bytes:
        """What came after the last whole event."""
        return self._rest

    def _end(self) -> int | None:
        ends = [
            place + len(mark)
            for mark in (b"\n\n", b"\r\n\r\n")
            if (place := self._rest.find(mark)) >= 0
        ]
        return min(ends, default=None)


def event_data(event: bytes) -> bytes:
    """The data of an event; empty for a comment."""
    lines = event.splitlines()
    return b"\n".join(line[5:].strip() for line in lines if line.startswith(b"data:"))


def parsed(data: bytes) -> object:
    """JSON, or None where it is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
