"""Transcripts in the store, and in a file of lines."""

from __future__ import annotations

import json
import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.old_stores import write_old_store
from turnsure.core.conversation import Exchange, Slip, Transcript
from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import InputError, StoreError
from turnsure.store.sqlite import Store
from turnsure.store.transcripts import (
    dump_transcript,
    load_transcript,
    read_transcripts,
    write_transcripts,
)

texts = st.text(max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
slips = st.builds(Slip, guard=texts, evidence=texts, text=texts)
calls = st.builds(ToolCall, id=texts, name=texts, arguments=texts)
replies = st.builds(
    Message,
    role=st.sampled_from(["assistant", "tool"]),
    content=texts,
    tool_calls=st.lists(calls, max_size=2).map(tuple),
    tool_call_id=st.none() | texts,
)


@st.composite
def transcripts(draw: st.DrawFn) -> Transcript:
    exchanges = tuple(
        Exchange(
            turn=turn,
            user=Message(role="user", content=draw(texts)),
            replies=tuple(draw(st.lists(replies, max_size=2))),
            reveals=tuple(draw(st.lists(texts, max_size=2))),
            items=tuple(draw(st.lists(st.dictionaries(texts, values, max_size=2), max_size=2))),
            note=draw(st.none() | st.text(min_size=1, max_size=5)),
            slips=tuple(draw(st.lists(slips, max_size=1))),
            unserved=tuple(draw(st.lists(texts, max_size=1))),
        )
        for turn in range(1, draw(st.integers(1, 4)))
    )
    return Transcript(
        scenario=draw(texts),
        replicate=draw(st.integers(0, 99)),
        exchanges=exchanges,
        ending=draw(st.sampled_from(["script_end", "user_invalid", "assistant_error"])),
        problem=draw(st.none() | texts),
        state=draw(st.none() | st.dictionaries(texts, values, max_size=2)),
        slips=tuple(draw(st.lists(slips, max_size=1))),
    )


ONE = Transcript(
    scenario="flat",
    replicate=3,
    exchanges=(
        Exchange(
            turn=1,
            user=Message(role="user", content="Où? \ud800 \u2028"),
            replies=(Message(role="assistant", content="Là."),),
            items=({"id": "B1"},),
        ),
    ),
    ending="script_end",
)


@given(transcripts())
def test_a_transcript_comes_back_as_it_was(transcript):
    assert load_transcript(dump_transcript(transcript)) == transcript


def test_a_file_of_lines_comes_back_as_it_was(tmp_path):
    path = tmp_path / "transcripts.jsonl"
    other = Transcript(scenario="flat", replicate=4, exchanges=(), ending="user_invalid")

    @settings(max_examples=30)
    @given(st.lists(transcripts(), max_size=3, unique_by=lambda one: (one.scenario, one.replicate)))
    def check(runs):
        write_transcripts(path, runs)
        assert read_transcripts(path) == runs

    check()
    write_transcripts(path, [ONE, other])
    assert read_transcripts(path) == [ONE, other]
    assert "Là." in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "no part of a transcript"),
        ("[]", "no part of a transcript"),
        ('{"scenario": "a"}', "no part of a transcript"),
        ('{"scenario": "a", "replicate": 0}', "no part of a transcript"),
        ('{"scenario": "a", "replicate": 0, "turn": 0, "user": {}}', "no part of a transcript"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, said):
    path = tmp_path / "transcripts.jsonl"
    write_transcripts(path, [ONE])
    path.write_text(path.read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=said) as caught:
        read_transcripts(path)
    assert caught.value.line == 3


def test_what_json_cannot_hold_is_refused():
    odd = Transcript(
        scenario="a", replicate=0, exchanges=(), ending="script_end", state={"a": object()}
    )
    with pytest.raises(StoreError, match="'a', run 0, cannot be kept"):
        dump_transcript(odd)


def test_the_store_keeps_transcripts_by_key(tmp_path):
    store = Store(tmp_path / "store.sqlite")
    assert store.get_transcript("k") is None
    store.put_transcript("k", ONE)
    store.close()
    store = Store(tmp_path / "store.sqlite")
    assert store.get_transcript("k") == ONE
    assert len(store) == 0
    store.close()


@pytest.mark.parametrize("damaged", ["{}", "", "[]", "7", "[" * 100_000])
def test_a_damaged_transcript_names_store_and_key(tmp_path, damaged):
    path = tmp_path / "store.sqlite"
    store = Store(path)
    store.put_transcript("the-key", ONE)
    raw = sqlite3.connect(path)
    raw.execute("UPDATE transcripts SET transcript = ?", (damaged,))
    raw.commit()
    raw.close()
    with pytest.raises(StoreError) as caught:
        store.get_transcript("the-key")
    for part in (str(path), "the-key", "cannot be read"):
        assert part in str(caught.value)
    store.close()


def test_an_older_store_gets_the_table_and_keeps_what_it_has(tmp_path):
    path = tmp_path / "store.sqlite"
    write_old_store(path, 1, {"engine": "x"})
    store = Store(path)
    store.put_transcript("k", ONE)
    store.close()
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT fingerprint FROM models").fetchall() == [('{"engine":"x"}',)]
    assert raw.execute("PRAGMA user_version").fetchone() == (3,)
    [(text,)] = raw.execute("SELECT transcript FROM transcripts")
    assert json.loads(text)["scenario"] == "flat"
    raw.close()


def test_an_older_store_keeps_its_conversations(tmp_path):
    path = tmp_path / "store.sqlite"
    write_old_store(path, 2, {"engine": "x"}, transcripts=[("k", dump_transcript(ONE))])
    store = Store(path)
    assert store.get_transcript("k") == ONE
    store.close()
