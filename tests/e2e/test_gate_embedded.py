"""A gate built from a real run, in front of the embedded model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from turnsure import Gate
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import ProtocolMismatchError
from turnsure.core.spec import RunSpec
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.experiment.gating.build import BuildSettings, build_gate
from turnsure.experiment.gating.conversation import messages_of
from turnsure.experiment.gating.files import read_gate, write_gate
from turnsure.experiment.gating.sources import read_source
from turnsure.experiment.setup import prepare
from turnsure.models.opening import open_model
from turnsure.pipeline import measure
from turnsure.store.turns_file import read_turns

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def folder(smollm2_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run on the closed world, and a gate built from it."""
    path = tmp_path_factory.mktemp("gate")
    spec = RunSpec(
        data="countries", model=f"local:{smollm2_path}", limit=1, methods=("p_true",), gold=False,
        answer_tokens=12, slots=2, resamples=20,
    )  # fmt: skip
    setup = prepare(spec)
    measure(setup, open_model(spec), path / "run")
    settings = BuildSettings(
        rule=DecisionRule(answer_at=0.5, ask_at=0.0), map="identity", resamples=20
    )
    gate = build_gate(read_source(path / "run"), settings, date="2026-01-01T00:00:00+00:00")
    write_gate(gate, path / "gate.json")
    return path


async def test_a_replayed_stream_gets_the_run_s_own_scores(folder, smollm2_path):
    table, _ = read_turns(folder / "run" / "turns.parquet")
    rows = {(row.dialogue, row.turn): row for row in table.rows}
    [dialogue] = read_dialogues(folder / "run" / "dialogues.jsonl")
    async with Gate.load(folder / "gate.json", f"local:{smollm2_path}") as gate:
        n_scored = 0
        for turn in range(1, dialogue.n_turns + 1):
            row = rows[dialogue.id, turn]
            if row.answer is None:
                continue
            decision = await gate.decide(
                messages_of(dialogue.prefix(turn)), row.answer, dialogue=dialogue.id
            )
            n_scored += 1
            assert decision.score == pytest.approx(row.confidence.value, abs=1e-6)
            assert decision.action == ("answer" if decision.score >= 0.5 else "ask")
            assert decision.cost.calls == 1
            assert decision.cost.prompt_tokens
    assert n_scored


def test_one_word_of_the_wording_makes_it_refuse(folder, smollm2_path, tmp_path):
    wording = tmp_path / "wording.toml"
    wording.write_text('[history]\nclosing = "Now give an answer."\n')
    with pytest.raises(ProtocolMismatchError, match=r"rendering\.closing"):
        Gate.load(folder / "gate.json", f"local:{smollm2_path}", templates=wording)


def test_another_way_to_run_the_model_makes_it_refuse(folder, smollm2_path, tmp_path):
    gate = read_gate(folder / "gate.json")
    path = tmp_path / "gate.json"
    write_gate(replace(gate, settings={**gate.settings, "slots": 3}), path)
    with pytest.raises(ProtocolMismatchError, match=r"model\.schedule"):
        Gate.load(path, f"local:{smollm2_path}")
