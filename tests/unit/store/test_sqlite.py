"""The store on a real file."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from turnsure.core.dialogue import Message, ToolCall
from turnsure.core.errors import StoreError
from turnsure.core.generation import (
    Generation,
    GenerationRequest,
    LabelReading,
    TokenLogprob,
    Usage,
)
from turnsure.store.sqlite import Store
from turnsure.store.wire import dump_generation, load_generation, request_body, request_key

MODEL = {"engine": "x", "weights": "sha256:1"}
REQUEST = GenerationRequest(
    messages=(Message(role="user", content="Où? \ud800"),), max_tokens=5, temperature=1.0, seed=3
)
FULL = Generation(
    texts=("a", "bé\n"),
    finish_reasons=("stop", "length"),
    labels=LabelReading(
        mass={"A": 0.1 + 0.2, "B": 1e-300},
        truncated=("B",),
        n_top=20,
        outside={" x": 0.25},
        variants={" A": 0.1},
    ),
    token_logprobs=((TokenLogprob(token="a", logprob=-0.1),), ()),
    embedding=(0.1 + 0.2, -1e-300),
    usage=Usage(prompt_tokens=7, cached_tokens=None, completion_tokens=2),
    seconds=0.25,
)


def open_store(tmp_path, **options):
    return Store(tmp_path / "store.sqlite", **options)


def test_a_generation_comes_back_to_the_last_bit():
    assert load_generation(dump_generation(FULL)) == FULL


def test_what_is_put_is_there_after_opening_again(tmp_path):
    first = open_store(tmp_path)
    key = first.key(MODEL, REQUEST)
    assert first.get(key) is None
    first.put(key, MODEL, REQUEST, FULL)
    first.close()
    second = open_store(tmp_path)
    assert second.get(key) == FULL
    assert len(second) == 1
    second.close()


def test_a_key_is_never_written_twice(tmp_path):
    store = open_store(tmp_path)
    store.put("k", MODEL, REQUEST, FULL)
    with pytest.raises(StoreError, match="UNIQUE"):
        store.put("k", MODEL, REQUEST, FULL)
    store.close()


@pytest.mark.parametrize(
    "change",
    [
        {"messages": (Message(role="user", content="Où?"),)},
        {"messages": (Message(role="system", content="Où? \ud800"),)},
        {"max_tokens": 6},
        {"temperature": 0.9},
        {"n": 2},
        {"labels": ("A", "B")},
        {"logprobs": True},
        {"embed": True},
        {"stop": ("\n",)},
        {"seed": 4},
        {"replicate": 1},
    ],
)
def test_whatever_changes_the_question_changes_the_key(change):
    assert request_key("m", replace(REQUEST, **change)) != request_key("m", REQUEST)


def test_another_model_has_other_keys(tmp_path):
    store = open_store(tmp_path)
    assert store.key(MODEL, REQUEST) != store.key({**MODEL, "weights": "sha256:2"}, REQUEST)
    store.close()


@pytest.mark.parametrize("change", [{"tag": "p_true"}, {"role": "judge"}])
def test_who_asks_and_why_does_not_change_the_key(change):
    assert request_key("m", replace(REQUEST, **change)) == request_key("m", REQUEST)


def test_the_seed_of_a_greedy_request_has_no_effect():
    greedy = replace(REQUEST, temperature=0.0)
    assert request_key("m", greedy) == request_key("m", replace(greedy, seed=99))


def test_the_keys_stay_what_they_are():
    # A changed key would make every kept generation unfindable; bump the store's version then.
    plain = GenerationRequest(messages=(Message(role="user", content="Hi"),), max_tokens=5)
    assert request_key("m", plain) == (
        "3cdc90bdde0075fc1ed8bbcc47f0847d1d4763a25f7d763dce7f9ed5d3a3be60"
    )


def test_what_was_not_known_to_an_older_version_is_not_in_its_form():
    assert not {"logprobs", "embed"} & set(request_body(REQUEST))
    assert request_body(replace(REQUEST, logprobs=True))["logprobs"] is True
    assert "embedding" not in dump_generation(replace(FULL, embedding=()))
    assert load_generation(dump_generation(replace(FULL, embedding=()))).embedding == ()


def test_tool_calls_are_part_of_the_question():
    called = Message(
        role="assistant", content="", tool_calls=(ToolCall(id="1", name="f", arguments="{}"),)
    )
    bare = Message(role="assistant", content="")
    assert request_key("m", replace(REQUEST, messages=(called,))) != request_key(
        "m", replace(REQUEST, messages=(bare,))
    )


def test_a_newer_store_is_refused(tmp_path):
    open_store(tmp_path).close()
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    raw.execute("PRAGMA user_version = 99")
    raw.close()
    with pytest.raises(StoreError, match="version 99"):
        open_store(tmp_path)


def test_a_file_that_is_no_store_is_refused(tmp_path):
    (tmp_path / "store.sqlite").write_text("hello " * 1000)
    with pytest.raises(StoreError, match=r"store\.sqlite.*cannot be opened"):
        open_store(tmp_path)


@pytest.mark.parametrize(
    "damaged", ["{}", "", '{"texts": [', "[]", "7", "null", '{"texts": ["a"]}', "[" * 100_000]
)
def test_a_damaged_row_is_an_error_and_no_number(tmp_path, damaged):
    store = open_store(tmp_path)
    store.put("the-key", MODEL, REQUEST, FULL)
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    raw.execute("UPDATE generations SET generation = ?", (damaged,))
    raw.commit()
    raw.close()
    with pytest.raises(StoreError) as caught:
        store.get("the-key")
    for part in (str(tmp_path / "store.sqlite"), "key the-key", "cannot be read"):
        assert part in str(caught.value)
    store.close()


def test_a_row_that_sqlite_cannot_decode_names_the_store(tmp_path):
    store = open_store(tmp_path)
    store.put("k", MODEL, REQUEST, FULL)
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    raw.execute("UPDATE generations SET generation = CAST(x'ff' AS TEXT)")
    raw.commit()
    raw.close()
    with pytest.raises(StoreError, match=r"store\.sqlite"):
        store.get("k")
    store.close()
