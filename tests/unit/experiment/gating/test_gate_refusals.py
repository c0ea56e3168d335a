"""When a gate does not work: another protocol, another file, another way of using it."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from tests.support import gates
from tests.support.gates import SURE, changed, fixed
from turnsure import Gate
from turnsure.core.errors import (
    BackendUnavailable,
    InputError,
    ProtocolMismatchError,
)
from turnsure.experiment.gating.files import read_gate, write_gate
from turnsure.models.scripted import ScriptedBackend


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"warmth": 3}, "method.settings.warmth"),
        ({"samples": 0}, "method.settings.samples"),
        ({"render": "song"}, "method.settings.render"),
    ],
)
def test_settings_that_no_run_could_have_are_refused(raw, tmp_path, changes, field):
    settings = {**read_gate(raw).settings, **changes}
    path = changed(raw, tmp_path, settings=settings)
    with pytest.raises(InputError) as caught:
        Gate.load(path, fixed(0.9))
    assert (caught.value.field, caught.value.file) == (field, str(path))


def test_what_is_there_on_one_side_only_is_a_difference(raw, tmp_path):
    gate = read_gate(raw)
    assert gate.protocol is not None
    model = {"engine": "scripted", "model": "scripted:double", "weights": "sha256:1"}
    path = changed(raw, tmp_path, protocol=replace(gate.protocol, model=model))
    with pytest.raises(ProtocolMismatchError, match=r"model\.weights is not there, and was"):
        Gate.load(path, fixed(0.9))
    del model["weights"], model["engine"]
    path = changed(raw, tmp_path, protocol=replace(gate.protocol, model=model))
    with pytest.raises(ProtocolMismatchError, match=r"model\.engine .*, and was not there"):
        Gate.load(path, fixed(0.9))


async def test_another_model_is_refused_and_named(raw):
    backend = fixed(0.9)
    backend.name = "scripted:other"
    with pytest.raises(ProtocolMismatchError, match=r"model\.model is 'scripted:other'"):
        Gate.load(raw, backend)


async def test_by_policy_a_mismatch_escalates_everything_and_asks_nothing(raw):
    backend = fixed(0.9)
    backend.name = "scripted:other"
    gate = Gate.load(raw, backend, on_mismatch="escalate")
    decision = await gate.decide(SURE, "Peru")
    assert (decision.action, backend.asked) == ("escalate", [])
    assert decision.failure is not None
    assert decision.failure.kind == "protocol_mismatch"
    assert "scripted:other" in decision.reasons[0]
    assert gate.mismatch


async def test_a_difference_can_be_accepted_by_name(raw):
    backend = fixed(0.9)
    backend.name = "scripted:other"
    gate = Gate.load(raw, backend, accept=("model.model",))
    assert (await gate.decide(SURE, "Peru")).action == "answer"


class _LateBackend(ScriptedBackend):
    """Tells what it is only once it is started, as endpoints do."""

    @property
    def fingerprint(self) -> dict[str, str]:
        if not getattr(self, "up", False):
            raise BackendUnavailable("not started")
        return {"engine": "scripted", "model": self.name}

    async def start(self) -> None:
        self.up = True


async def test_a_model_that_tells_late_is_compared_late(raw):
    mass = {"A": 0.9, "B": 0.1}
    good = _LateBackend(reply=lambda _: mass)
    assert (await Gate.load(raw, good).decide(SURE, "Peru")).action == "answer"
    gate = Gate.load(raw, _LateBackend(reply=lambda _: mass, name="scripted:other"))
    for _ in range(2):
        with pytest.raises(ProtocolMismatchError, match="scripted:other"):
            await gate.decide(SURE, "Peru")
    backend = _LateBackend(reply=lambda _: mass, name="scripted:other")
    gate = Gate.load(raw, backend, on_mismatch="escalate")
    assert (await gate.decide(SURE, "Peru")).action == "escalate"
    assert backend.asked == []


async def test_one_word_of_a_template_makes_it_refuse(tmp_path):
    wording = tmp_path / "wording.toml"
    text = (
        "[p_true]\ntext = '''{question}\nProposed: {answer}\nIs it right?\nA. True\nB. False'''\n"
    )
    wording.write_text(text)
    run, _ = await asyncio.to_thread(
        gates.run, tmp_path, templates=str(wording), given=gates.dialogues(8)
    )
    path = tmp_path / "gate.json"
    write_gate(gates.built(run, map="identity"), path)
    assert (await Gate.load(path, fixed(0.9)).decide(SURE, "Peru")).action == "answer"
    wording.write_text(text.replace("right", "correct"))
    with pytest.raises(ProtocolMismatchError, match=r"estimators\.p_true\.template.*correct"):
        Gate.load(path, fixed(0.9))
    wording.unlink()
    with pytest.raises(InputError, match="no such file"):
        Gate.load(path, fixed(0.9))
    own = tmp_path / "deployed" / "wording.toml"
    own.parent.mkdir()
    own.write_text(text)
    assert Gate.load(path, fixed(0.9), templates=own).mismatch == ()
    beside = own.parent / "gate.json"
    beside.write_text(path.read_text())
    assert Gate.load(beside, fixed(0.9)).mismatch == ()


async def test_a_closing_word_counts_as_well(made, tmp_path):
    wording = tmp_path / "wording.toml"
    wording.write_text('[history]\nclosing = "Now give an answer."\n')
    with pytest.raises(ProtocolMismatchError, match=r"rendering\.closing"):
        Gate.load(made, fixed(0.9), templates=wording)


async def test_another_version_of_the_package_is_refused(made, tmp_path):
    gate = read_gate(made)
    assert gate.protocol is not None
    older = replace(gate.protocol, package="0.0.1")
    path = changed(made, tmp_path, protocol=older)
    with pytest.raises(ProtocolMismatchError, match=r"package is .* measured as '0\.0\.1'"):
        Gate.load(path, fixed(0.9))


def test_the_sync_form_decides_the_same_from_any_thread(raw):
    async def meanwhile() -> str:
        return gate.decide_now(SURE, "Peru").action

    with Gate.load(raw, fixed(0.9)) as gate:
        first = gate.decide_now(SURE, "Peru")
        assert (first.action, first.turn) == ("answer", 1)
        found: list[str] = []
        threads = [
            threading.Thread(target=lambda: found.append(gate.decide_now(SURE, "Peru").action))
            for _ in range(8)
        ]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert found == ["answer"] * 8
        assert asyncio.run(meanwhile()) == "answer"


def test_one_gate_is_used_in_one_of_the_two_ways(raw):
    with Gate.load(raw, fixed(0.9)) as gate:
        gate.decide_now(SURE, "Peru")
        with pytest.raises(InputError, match="another event loop"):
            asyncio.run(gate.decide(SURE, "Peru"))


async def test_the_gate_closes_what_it_opened_and_nothing_else(raw):
    closed: list[bool] = []

    class Watched(ScriptedBackend):
        async def close(self) -> None:
            closed.append(True)

    async with Gate.load(raw, Watched(reply=lambda _: {"A": 0.9, "B": 0.1})) as gate:
        await gate.decide(SURE, "Peru")
    assert closed == []


async def test_without_a_model_there_is_nothing_to_ask(raw):
    with pytest.raises(InputError, match="without a model"):
        await Gate.load(raw).decide(SURE, "Peru")


def test_a_wrong_policy_is_refused(raw):
    with pytest.raises(InputError) as caught:
        Gate.load(raw, fixed(0.9), on_mismatch="ignore")
    assert caught.value.field == "on_mismatch"


def test_a_spoilt_gate_does_not_load(gate_path):
    gate_path.write_text(gate_path.read_text().replace('"answer_at": 0.8', '"answer_at": 0.2'))
    with pytest.raises(InputError) as caught:
        Gate.load(gate_path, fixed(0.9))
    assert caught.value.field == "rule"


def test_a_map_that_cannot_be_read_is_refused_with_its_place(raw, tmp_path):
    broken = {**read_gate(raw).map, "name": "platt", "parameters": {"slope": "steep"}}
    path = changed(raw, tmp_path, map=broken)
    with pytest.raises(InputError) as caught:
        Gate.load(path)
    assert caught.value.field == "map.parameters.slope"
    assert caught.value.file == str(path)
