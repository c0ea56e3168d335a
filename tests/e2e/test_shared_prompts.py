"""All methods of a turn begin with the same tokens: those of the history, whole."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.flows import drive, label_mass, texts
from turnsure.core.generation import GenerationRequest
from turnsure.core.spec import RunSpec
from turnsure.experiment.setup import prepare
from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings
from turnsure.models.llama_wire import LEDGER, text_body
from turnsure.registry import ESTIMATORS

pytestmark = pytest.mark.model

END_OF_MESSAGE = 5
"""Tokens that close a message and open the reply in this model's template."""


def reply(request: GenerationRequest):
    if request.labels:
        return label_mass(**dict.fromkeys(request.labels, 0.5))
    return texts(*["\\boxed{Chad}"] * request.n)


def n_shared(left: list[int], right: list[int]) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next(
        (place for place, (one, other) in pairs if one != other), min(map(len, (left, right)))
    )


@pytest.mark.parametrize("render", ["transcript", "chat"])
async def test_every_method_shares_the_tokens_of_the_history(smollm2_path, render):
    spec = RunSpec(data="countries", limit=1, methods=tuple(ESTIMATORS), render=render)
    setup = prepare(spec)
    [dialogue] = setup.dialogues
    turn = min(3, dialogue.n_turns)
    history = setup.measurement.context(dialogue.prefix(turn)).history
    _, asked = drive(setup.measurement.turn(dialogue, turn), reply)
    assert {"answer", "p_true", "p_sufficient", "cot_verb"} <= {one.tag for one in asked}

    model = EmbeddedModel("m", EmbeddedSettings(path=smollm2_path, slots=1, threads=1))
    await model.start()

    async def tokens(request: GenerationRequest) -> list[int]:
        body = text_body(replace(request, max_tokens=1, logprobs=False), n=1, seed=0)
        return (await model._lanes[0].ask(body))[LEDGER]["prompt"]

    try:
        whole = await tokens(GenerationRequest(messages=history, max_tokens=1))
        shared = {
            one.tag: n_shared(whole, await tokens(one))
            for one in asked
            if one.messages[: len(history) - 1] == history[:-1]
        }
    finally:
        await model.close()
    assert set(shared) == {one.tag for one in asked}
    # At most the last token may grow into what follows it.
    assert min(shared.values()) >= len(whole) - END_OF_MESSAGE - 1
