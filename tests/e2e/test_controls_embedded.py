"""All controls with the embedded model: what is asked twice, what is left, what a kill changes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from math import exp

import pytest

from turnsure.core.dialogue import Dialogue, Hint, Message
from turnsure.core.generation import GenerationRequest
from turnsure.core.turns import PLAIN
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings
from turnsure.store.turns_file import read_turns

pytestmark = pytest.mark.model

SETTINGS = [
    "--samples", "2", "--slots", "2", "--methods", "p_true,sequence_likelihood_mean",
    "--answer-tokens", "16", "--resamples", "50",
]  # fmt: skip
CONTROLS = ["--controls", "all", "--placebo-turns", "one", "--keep-flagged"]


async def test_token_logprobs_change_no_text_and_spell_the_reply(smollm2_path):
    model = EmbeddedModel("m", EmbeddedSettings(path=smollm2_path, slots=2, context=1024))
    await model.start()
    try:
        asked = GenerationRequest(
            messages=(Message(role="user", content="Name the capital of France."),), max_tokens=16
        )
        async with model.session("d") as session:
            plain = await session.generate(asked)
            told = await session.generate(replace(asked, logprobs=True))
    finally:
        await model.close()
    assert told.texts == plain.texts
    [tokens] = told.token_logprobs
    assert "".join(one.token for one in tokens) == told.texts[0]
    assert all(0.0 < exp(one.logprob) <= 1.0 for one in tokens)


def test_controls_are_added_to_a_finished_run_and_repeat_nothing(smollm2_path, tmp_path):
    out, data = tmp_path / "run", tmp_path / "d.jsonl"
    two_clues = Dialogue(
        id="peru",
        task="Name the country that the clues describe.",
        hints=(Hint(answer="It lies in the Americas."), Hint(answer="Its capital is Lima.")),
        gold=("Peru",),
        candidates=("Chad", "Mexico", "Peru"),
        remaining=((1, 2), (2,)),
    )
    write_dialogues(data, [two_clues])

    def run(*more):
        ran = subprocess.run(
            [sys.executable, "-m", "turnsure", "run", *SETTINGS,
             "--data", str(data), "--model", f"local:{smollm2_path}", "--out", str(out), *more],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        return json.loads((out / "run.json").read_text(encoding="utf-8"))

    plain = run()
    controlled = run(*CONTROLS)
    again = run(*CONTROLS)
    assert controlled["digest"] == plain["digest"]
    assert controlled["asked"]["n_from_store"] >= plain["asked"]["n_requests"]
    assert again["asked"]["n_from_store"] == again["asked"]["n_requests"]

    table, _ = read_turns(out / "turns.parquet")
    conditions = {row.condition.partition(":")[0] for row in table.rows}
    assert conditions == {PLAIN, "placebo", "joined", "summary", "supplied"}
    assert len(list((out / "variants").glob("*.parquet"))) == len(controlled["variants"])
    effects = json.loads((out / "metrics.json").read_text(encoding="utf-8"))["controls"]
    assert effects["placebo"]["n_tested"] == 1
    assert {one["condition"] for one in effects["formats"]} == {"joined", "summary"}
    assert "What the controls say" in (out / "report.html").read_text(encoding="utf-8")
