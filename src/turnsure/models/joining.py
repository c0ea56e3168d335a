"""Putting together what several requests brought."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence

from turnsure.core.generation import Generation, Usage


def join_generations(parts: Sequence[Generation]) -> Generation:
    """One generation from several requests for parts of the same samples."""
    if len(parts) == 1:
        return parts[0]
    return Generation(
        texts=tuple(text for part in parts for text in part.texts),
        finish_reasons=tuple(reason for part in parts for reason in part.finish_reasons),
        token_logprobs=tuple(tokens for part in parts for tokens in part.token_logprobs),
        usage=Usage(
            prompt_tokens=_sum(part.usage.prompt_tokens for part in parts),
            cached_tokens=_sum(part.usage.cached_tokens for part in parts),
            new_tokens=_sum(part.usage.new_tokens for part in parts),
            completion_tokens=_sum(part.usage.completion_tokens for part in parts),
        ),
        seconds=sum(part.seconds for part in parts),
    )


async def join_at_once(parts: Iterable[Coroutine[None, None, Generation]]) -> Generation:
    """One generation from several requests at once; the first error ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(part) for part in parts]
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None
    return join_generations([task.result() for task in tasks])


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
