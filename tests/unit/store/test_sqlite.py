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
from turnsure.store.packing import pack
from turnsure.store.sqlite import Store
from turnsure.store.wire import (
    dump_generation,
    dump_request,
    load_generation,
    request_body,
    request_key,
)

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


KEY = "0123456789abcdef" * 4


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
    store.put(KEY, MODEL, REQUEST, FULL)
    with pytest.raises(StoreError, match="UNIQUE"):
        store.put(KEY, MODEL, REQUEST, FULL)
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


def damage(tmp_path, value):
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    raw.execute("UPDATE generations SET generation = ?", (value,))
    raw.commit()
    raw.close()


def assert_unreadable(store, tmp_path):
    with pytest.raises(StoreError) as caught:
        store.get(KEY)
    for part in (str(tmp_path / "store.sqlite"), f"key {KEY}", "cannot be read"):
        assert part in str(caught.value)
    store.close()


@pytest.mark.parametrize(
    "damaged",
    ["{}", "", '{"texts": [', "[]", "7", "null", '{"texts": ["a"]}', "[" * 100_000, "\N{BULLET}"],
)
def test_a_damaged_row_is_an_error_and_no_number(tmp_path, damaged):
    store = open_store(tmp_path)
    store.put(KEY, MODEL, REQUEST, FULL)
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    [(words,)] = raw.execute("SELECT words FROM kinds")
    raw.close()
    damage(tmp_path, pack(damaged.encode(), words))
    assert_unreadable(store, tmp_path)


@pytest.mark.parametrize("damaged", ["a text", b"", b"\xff\xfe", 7])
def test_what_is_not_packed_is_an_error_and_no_number(tmp_path, damaged):
    store = open_store(tmp_path)
    store.put(KEY, MODEL, REQUEST, FULL)
    damage(tmp_path, damaged)
    assert_unreadable(store, tmp_path)


def test_a_flipped_bit_never_makes_another_generation(tmp_path):
    store = open_store(tmp_path)
    other = Generation(texts=("first", "second"), seconds=0.5)
    store.put(store.key(MODEL, REQUEST), MODEL, REQUEST, other)
    store.put(KEY, MODEL, REQUEST, FULL)
    raw = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)
    [(packed,)] = raw.execute("SELECT generation FROM generations WHERE id = 2")
    n_errors = 0
    bits = range(0, 8 * len(packed), 11)
    for bit in bits:
        flipped = bytearray(packed)
        flipped[bit // 8] ^= 1 << bit % 8
        raw.execute("UPDATE generations SET generation = ? WHERE id = 2", (bytes(flipped),))
        try:
            assert store.get(KEY) == FULL  # a few bits only fill the last byte
        except StoreError:
            n_errors += 1
    assert n_errors > len(bits) - 3
    raw.close()
    store.close()


def test_a_row_whose_words_are_lost_names_the_store(tmp_path):
    store = open_store(tmp_path)
    store.put(KEY, MODEL, REQUEST, FULL)
    store.close()
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    raw.execute("DELETE FROM kinds")
    raw.commit()
    raw.close()
    assert_unreadable(open_store(tmp_path), tmp_path)


def test_a_row_that_sqlite_cannot_decode_names_the_store(tmp_path):
    store = open_store(tmp_path)
    store.put(KEY, MODEL, REQUEST, FULL)
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    raw.execute("UPDATE generations SET generation = CAST(x'ff' AS TEXT)")
    raw.commit()
    raw.close()
    with pytest.raises(StoreError, match=r"store\.sqlite"):
        store.get(KEY)
    store.close()


def numbered(number, **changes):
    asked = Message(role="user", content=f"Which country do the clues describe? Clue {number}.")
    return replace(REQUEST, messages=(asked,), **changes)


def test_exchanges_come_out_in_the_order_of_arrival(tmp_path):
    store = open_store(tmp_path)
    asked = [numbered(number, tag="ab"[number % 2]) for number in range(6)]
    for request in asked:
        store.put(store.key(MODEL, request), MODEL, request, FULL)
    assert list(store.exchanges()) == [
        (request.tag, dump_request(request), dump_generation(FULL)) for request in asked
    ]
    damage(tmp_path, b"")
    with pytest.raises(StoreError, match=r"store\.sqlite, row 1: .*cannot be read"):
        list(store.exchanges())
    store.close()


def test_tags_without_end_are_kept_without_words_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr("turnsure.store.sqlite._MOST_DICTIONARIES", 2)
    store = open_store(tmp_path)
    asked = [numbered(number, tag=f"tag {number}") for number in range(5)]
    for request in asked:
        store.put(store.key(MODEL, request), MODEL, request, FULL)
    assert [store.get(store.key(MODEL, request)) for request in asked] == [FULL] * 5
    store.close()
    raw = sqlite3.connect(tmp_path / "store.sqlite")
    assert [bool(words) for (words,) in raw.execute("SELECT words FROM kinds")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    raw.close()


def test_a_generation_costs_the_same_few_pages_however_many_there_are(tmp_path):
    frame = 4096 + 24  # a page and its header in the log
    store = open_store(tmp_path)
    raw = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)
    log = tmp_path / "store.sqlite-wal"
    n_frames = n_plain = 0
    for number in range(1200):
        request = numbered(number, tag="t")
        n_plain += len(dump_request(request)) + len(dump_generation(FULL))
        if number >= 1100:
            raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        store.put(store.key(MODEL, request), MODEL, request, FULL)
        if number >= 1100:
            n_frames += log.stat().st_size // frame
    store.close()
    raw.close()
    assert 200 <= n_frames <= 300  # the last of the table and one of the index; rarely a new one
    assert (tmp_path / "store.sqlite").stat().st_size < n_plain / 3
