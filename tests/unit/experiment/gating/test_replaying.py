"""A run replayed under a gate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import gates
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import InputError, LeakageError, ProtocolMismatchError
from turnsure.dialogues.worlds.opening import world_dialogues
from turnsure.experiment.gating.files import read_gate
from turnsure.experiment.gating.replaying import replay_gate
from turnsure.store.turns_file import read_turns


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on dialogues that no gate was built on."""
    given = gates.dialogues(20, prefix="e")
    return gates.run(tmp_path_factory.mktemp("other"), given=given)[0]


@pytest.fixture
def gate(made):
    return replace(read_gate(made), rule=DecisionRule(answer_at=0.72, ask_at=0.0))


def test_the_gate_s_policy_is_what_its_decisions_come_to(gate, other):
    """Counted by hand from the turns table: the first turn at or above the threshold answers."""
    from turnsure.experiment.gating.judge import gate_map

    table, _ = read_turns(other / "turns.parquet")
    rows = table.select(target="answer", method="p_true").rows
    fitted = gate_map(gate)
    answered: dict[str, bool] = {}
    asked: dict[str, int] = {}
    for row in sorted(rows, key=lambda one: (one.dialogue, one.turn)):
        if row.dialogue in answered:
            continue
        asked[row.dialogue] = row.turn - 1
        if fitted.apply(row.confidence.value)[0] >= 0.72:
            answered[row.dialogue] = bool(row.outcome.correct)
    [policy, *_] = replay_gate(gate, other, resamples=20).policies
    assert policy.name == "gate"
    assert (policy.n_dialogues, policy.n_answered) == (20, len(answered))
    assert policy.n_right == sum(answered.values())
    assert policy.questions.value == pytest.approx(sum(asked.values()) / 20)
    assert 0 < len(answered) < 20


def test_rivals_and_curve(gate, other):
    found = replay_gate(gate, other, resamples=20)
    names = [one.name for one in found.policies]
    assert names[0] == "gate"
    assert {"always the first turn", "turn 2", "always the last turn", "oracle"} <= set(names)
    assert found.curve.points
    assert (found.in_sample, found.notes) == (False, ())


def test_dialogues_that_the_gate_was_built_on_are_refused_or_marked(gate, measured, tmp_path):
    with pytest.raises(LeakageError, match="24 of the 24"):
        replay_gate(gate, measured)
    assert replay_gate(gate, measured, in_sample=True, resamples=20).in_sample
    given = [*gates.dialogues(1), *gates.dialogues(5, prefix="f")]
    mixed, _ = gates.run(tmp_path, given=given)
    with pytest.raises(LeakageError, match="1 of the 6"):
        replay_gate(gate, mixed)


def test_an_equal_id_of_another_dialogue_is_no_leak(gate, tmp_path):
    given = [replace(one, task="Name the city.") for one in gates.dialogues(6)]
    run, _ = gates.run(tmp_path, given=given)
    assert not replay_gate(gate, run, resamples=20).in_sample


def test_a_run_under_another_protocol_is_refused_unless_accepted(gate, tmp_path):
    run, _ = gates.run(tmp_path, given=gates.dialogues(6, prefix="g"), seed=5)
    with pytest.raises(ProtocolMismatchError, match=r"accept answer\.seed\)$"):
        replay_gate(gate, run)
    assert replay_gate(gate, run, accept=("answer.seed",), resamples=20).policies


def test_turns_at_which_the_gate_decides_nothing_count_as_not_there(gate, other):
    limited = replace(gate, limits=replace(gate.limits, most_turns=2))
    found = replay_gate(limited, other, resamples=20)
    assert "20 turns after turn 2" in found.notes[0]
    last = next(one for one in found.policies if one.name == "always the last turn")
    assert last.questions.value == 1.0


def test_a_file_of_scores_says_no_protocol(gate, other):
    with pytest.raises(InputError, match="under which protocol"):
        replay_gate(gate, other / "turns.parquet")


def test_gates_of_scores_are_replayed_on_scores(tmp_path, other):
    def written(name: str, prefix: str) -> Path:
        path = tmp_path / name
        lines = [
            json.dumps(
                {
                    "id": f"{prefix}{place}",
                    "turn": turn,
                    "score": gates.share(f"{prefix}{place}{turn}"),
                    "correct": gates.share(f"{turn}{prefix}{place}") < turn / 4,
                }
            )
            for place in range(30)
            for turn in (1, 2, 3)
        ]
        path.write_text("\n".join(lines) + "\n")
        return path

    built = gates.built(written("fit.jsonl", "a"), map="identity")
    assert replay_gate(built, written("new.jsonl", "b"), resamples=20).policies[0].n_dialogues == 30
    assert replay_gate(built, other, resamples=20).policies[0].n_dialogues == 20
    with pytest.raises(LeakageError):
        replay_gate(built, written("again.jsonl", "a"))
    flat = tmp_path / "flat.csv"
    flat.write_text("id,score,correct\nz,0.5,1\n")
    with pytest.raises(InputError, match="no turns"):
        replay_gate(built, flat)


def test_on_a_closed_world_the_ideal_is_known(tmp_path):
    given = world_dialogues("countries-gain", 12, seed=1)
    run, _ = gates.run(tmp_path / "fit", given=list(given[:6]))
    new, _ = gates.run(tmp_path / "new", given=list(given[6:]))
    built = gates.built(run, map="identity")
    found = replay_gate(built, new, resamples=20)
    assert found.policies[-1].name.startswith("ideal")
    assert found.policies[0].n_before_identified is not None
