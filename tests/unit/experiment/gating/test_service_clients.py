"""Many clients at once, in front of an endpoint that fails at random."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import Counter
from typing import Any

import openai
import pytest

from tests.support import gates
from tests.support.gate_service import asking


async def test_under_64_clients_and_random_failures_no_reply_is_lost_doubled_or_mislabelled(
    service, upstream
):
    """Every whole reply of the endpoint reaches the one client that asked, with its own score."""
    upstream.failing = 0.25
    got: Counter[str] = Counter()
    unscored = 0
    names = iter([f"x{place}" for place in range(300)])
    draw = random.Random(1)

    async def ask(name: str) -> Any:
        if draw.random() < 0.5:
            whole = await service.client.chat.completions.create(
                model="tiny", messages=asking(name)
            )
            return whole.id, whole.choices[0].message.content, whole.model_extra["turnsure"]
        stream = await service.client.chat.completions.create(
            model="tiny", messages=asking(name), stream=True
        )
        pieces = [piece async for piece in stream]
        text = "".join(one.choices[0].delta.content or "" for one in pieces if one.choices)
        return pieces[0].id, text, pieces[-1].model_extra["turnsure"]

    async def client() -> None:
        nonlocal unscored
        for name in names:
            while not got[name]:
                with contextlib.suppress(openai.APIError):
                    reply_id, text, added = await ask(name)
                    assert (reply_id, text) == (f"chatcmpl-{name}", rf"\boxed{{{name}}}")
                    got[name] += 1
                    if added["score"] is None:
                        unscored += 1
                        assert added["action"] == "escalate"
                    else:
                        assert added["score"] == pytest.approx(gates.share(name))

    await asyncio.gather(*(client() for _ in range(64)))
    assert len(got) == 300
    assert got == upstream.answered
    assert min(upstream.failures[kind] for kind in ("500", "429", "hang_up", "cut")) > 5
    assert 0 < unscored < 150
