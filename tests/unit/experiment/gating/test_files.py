"""Gates on disk: they come back equal; what is not as it was built is refused with the reason."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from turnsure.calibration.gate_file import (
    GATE_FORMAT,
    from_json,
    gate_schema,
    migrated,
    to_json,
)
from turnsure.core.digest import digest
from turnsure.core.errors import InputError
from turnsure.experiment.gating.files import read_gate, write_gate

Change = Callable[[dict[str, Any]], object]


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_gate(path)
    assert caught.value.file == str(path)
    return caught.value


def rewritten(path: Path, change: Change, *, renewed: bool = False) -> Path:
    """The file with a change by hand; ``renewed`` also renews the digests, as a forger would."""
    body = json.loads(path.read_text())
    change(body)
    if renewed:
        body["digests"] = {name: digest(body[name]) for name in body["digests"] if name in body}
        del body["digest"]
        body["digest"] = digest(body)
    path.write_text(json.dumps(body, indent=2))
    return path


def test_a_gate_comes_back_equal(gate_path, tmp_path):
    gate = read_gate(gate_path)
    again = tmp_path / "new" / "again.json"
    write_gate(gate, again)
    assert read_gate(again) == gate
    assert again.read_text() == gate_path.read_text()
    assert gate.digest == json.loads(gate_path.read_text())["digest"]


def test_it_is_readable_and_in_order(gate_path):
    text = gate_path.read_text()
    names = list(json.loads(text))
    assert names[:4] == ["kind", "version", "method", "rule"]
    assert names[-2:] == ["digests", "digest"]
    assert '\n  "rule": {\n    "answer_at": 0.8,\n' in text
    assert set(names) == set(gate_schema()["required"])


def test_white_space_and_order_are_no_change(gate_path):
    body = json.loads(gate_path.read_text())
    gate = read_gate(gate_path)
    gate_path.write_text(json.dumps(dict(reversed(body.items()))))
    assert read_gate(gate_path) == gate


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda body: body["rule"].update(answer_at=0.1), "rule"),
        (lambda body: body["map"]["parameters"].update(slope=9.0), "map"),
        (lambda body: body["map"].update(n_rows=10_000), "map"),
        (lambda body: body["limits"].update(expires="2999-01-01"), "limits"),
        (lambda body: body["validity"].update(turns=[1, 99]), "validity"),
        (lambda body: body["evidence"].update(guarantee="Always right."), "evidence"),
        (lambda body: body["evidence"]["held_out"]["raw"].clear(), "evidence"),
        (lambda body: body["protocol"]["model"].update(model="other"), "protocol"),
        (lambda body: body["method"].update(name="p_sufficient"), "method"),
        (lambda body: body["digests"].update(rule="0" * 64), "rule"),
        (lambda body: body["digests"].pop("rule"), "digest"),
        (lambda body: body.update(digest="0" * 64), "digest"),
        (lambda body: body.pop("digest"), "digest"),
        (lambda body: body.pop("rule"), "rule"),
        (lambda body: body.update(note="mine"), "note"),
    ],
)
def test_an_edit_by_hand_is_refused_and_its_part_named(gate_path, change, field):
    error = refusal(rewritten(gate_path, change))
    assert error.field == field


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to every text, number, flag and null."""
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return [path]
    return [leaf for name, inner in items for leaf in leaves(inner, (*path, name))]


def test_no_single_value_can_be_changed(made):
    body = json.loads(made.read_text())
    places = leaves(body)
    assert len(places) > 100
    for *path, name in places:
        spoilt = copy.deepcopy(body)
        inner = spoilt
        for step in path:
            inner = inner[step]
        inner[name] = "changed" if inner[name] != "changed" else None
        with pytest.raises(InputError):
            from_json(spoilt)


def test_the_message_says_what_to_do(gate_path):
    error = refusal(rewritten(gate_path, lambda body: body["rule"].update(answer_at=0.1)))
    assert "changed after the gate was built" in str(error)
    assert "build the gate anew" in str(error)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda body: body["rule"].update(answer_at=1.5), "rule.answer_at"),
        (lambda body: body["rule"].update(answer_at="0.5"), "rule.answer_at"),
        (lambda body: body["rule"].update(answer_at=True), "rule.answer_at"),
        (lambda body: body["rule"].update(answer_at=0.2, ask_at=0.5), "rule.ask_at"),
        (lambda body: body["rule"].update(otherwise="shrug"), "rule.otherwise"),
        (lambda body: body["rule"].update(extra=1), "rule.extra"),
        (lambda body: body["rule"].pop("ask_at"), "rule.ask_at"),
        (lambda body: body["limits"].update(most_turns=0), "limits.most_turns"),
        (lambda body: body["limits"].update(expires="tomorrow"), "limits.expires"),
        (lambda body: body["validity"].update(turns=[1]), "validity.turns"),
        (lambda body: body["evidence"].update(n_rows=0), "evidence.n_rows"),
        (lambda body: body["evidence"]["data"].update(digest="x"), "evidence.data.digest"),
        (lambda body: body["protocol"].update(digest="0" * 64), "protocol.digest"),
        (lambda body: body.update(note="mine"), "note"),
        (lambda body: body["method"].update(settings=[]), "method.settings"),
    ],
)
def test_what_the_schema_does_not_allow_is_refused_even_with_new_digests(gate_path, change, field):
    assert refusal(rewritten(gate_path, change, renewed=True)).field == field


def test_a_truncated_file_is_refused_wherever_it_was_cut(gate_path):
    text = gate_path.read_text().rstrip()
    for length in range(0, len(text), 97):
        gate_path.write_text(text[:length])
        error = refusal(gate_path)
        assert "cut short" in str(error), length
        assert " at at " not in str(error), length
    gate_path.write_text(text[:-1])
    assert "cut short" in str(refusal(gate_path))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "cut short"),
        (b"not json", "this is not JSON"),
        (b'{"kind": "turnsure gate",}', "this is not JSON"),
        (b"\x80\x04\x95", "no text in UTF-8"),
        (b"[]", "this is no gate"),
        (b'"gate"', "this is no gate"),
        (b"{}", "this is no gate"),
        (b'{"format": 1, "spec": {}}', "this is no gate"),
        (b'{"kind": "turnsure gate", "version": 1}', "digests"),
        (b'{"kind": "turnsure gate", "version": "1"}', "'version'"),
        (b'{"kind": "turnsure gate", "version": true}', "'version'"),
        (b'{"kind": "turnsure gate", "kind": "turnsure gate"}', "twice"),
        (b'{"kind": NaN}', "NaN is no number"),
        (b"[" * 100_000, "too deep"),
    ],
)
def test_another_kind_of_file_is_refused(tmp_path, content, reason):
    path = tmp_path / "gate.json"
    path.write_bytes(content)
    assert reason in str(refusal(path))


def test_a_byte_order_mark_is_no_change(gate_path):
    before = read_gate(gate_path)
    gate_path.write_bytes(b"\xef\xbb\xbf" + gate_path.read_bytes())
    assert read_gate(gate_path) == before


def test_a_folder_is_not_written_over(gate_path, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InputError, match="this is a folder"):
        write_gate(read_gate(gate_path), folder)
    assert not list(tmp_path.glob(".*"))


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    assert "no such file" in str(refusal(tmp_path / "none.json"))
    assert "this is a folder" in str(refusal(tmp_path))


def test_a_newer_version_is_refused(gate_path):
    error = refusal(rewritten(gate_path, lambda body: body.update(version=99), renewed=True))
    assert error.field == "version"
    assert "newer turnsure" in str(error)


def test_an_older_version_is_migrated_step_by_step():
    steps = {
        1: lambda body: {**body, "old": "renamed"},
        2: lambda body: {"new": body["old"]},
    }
    assert migrated({"version": 1}, migrations=steps, to=3) == {"version": 3, "new": "renamed"}
    assert migrated({"version": GATE_FORMAT}) == {"version": GATE_FORMAT}


def test_a_value_that_json_cannot_hold_exactly_does_not_exist(made):
    gate = read_gate(made)
    assert from_json(json.loads(json.dumps(to_json(gate)))) == gate
