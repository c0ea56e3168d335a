"""The embeddings request of the OpenAI interface and its reply.  Pure."""

from __future__ import annotations

import math

from turnsure.core.errors import MalformedResponse
from turnsure.core.generation import Generation, GenerationRequest, Usage
from turnsure.models.control_tokens import without_control_tokens
from turnsure.models.openai_replies import count_at
from turnsure.models.openai_wire import Body, Json


def embedding_body(model: str, request: GenerationRequest) -> Body:
    """Body for the embedding of the last message's text by ``model``."""
    text = without_control_tokens(request.messages[-1].content)
    return {"model": model, "input": text, "encoding_format": "float"}


def read_embedding(body: Json, *, seconds: float) -> Generation:
    """The vector of the only input.

    Raises
    ------
    MalformedResponse
        There is no vector, or it holds anything but finite numbers.
    """
    match body:
        case {"data": [{"embedding": [_, *_] as listed}]}:
            vector = tuple(_number(item) for item in listed)
        case _:
            raise MalformedResponse("the reply has no embedding")
    return Generation(
        embedding=vector,
        usage=Usage(prompt_tokens=count_at(body, "usage", "prompt_tokens"), completion_tokens=0),
        seconds=seconds,
    )


def _number(item: Json) -> float:
    if isinstance(item, int | float) and not isinstance(item, bool) and math.isfinite(item):
        return float(item)
    raise MalformedResponse(f"the embedding holds {item!r}, which is no finite number")
