"""Stores of earlier versions keep all that they hold."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys

import pytest

from tests.support.old_stores import write_old_store
from turnsure.core.dialogue import Message
from turnsure.core.errors import StoreError
from turnsure.core.generation import Generation, GenerationRequest, LabelReading
from turnsure.store.migrations import MIGRATIONS, short_key
from turnsure.store.sqlite import Store
from turnsure.store.wire import dump_generation, dump_request

MODEL = {"engine": "x", "weights": "sha256:1"}


def exchange(number, tag):
    asked = GenerationRequest(
        messages=(Message(role="user", content=f"Which country? Clue {number}. \ud800"),),
        max_tokens=5,
        tag=tag,
    )
    mass = {"A": 0.1 + number / 1000, "B": 1e-300}
    return asked, Generation(texts=(f"é {number}",), labels=LabelReading(mass=mass, n_top=2))


EXCHANGES = [exchange(number, "pq"[number % 3 == 0]) for number in range(200)]


def version(path):
    raw = sqlite3.connect(path)
    [(found,)] = raw.execute("PRAGMA user_version")
    raw.close()
    return found


def assert_whole(path):
    store = Store(path)
    assert len(store) == len(EXCHANGES)
    assert [store.get(store.key(MODEL, asked)) for asked, _ in EXCHANGES] == [
        came for _, came in EXCHANGES
    ]
    assert list(store.exchanges()) == [
        (asked.tag, dump_request(asked), dump_generation(came)) for asked, came in EXCHANGES
    ]
    store.close()


@pytest.mark.parametrize("older", [1, 2])
def test_an_older_store_keeps_every_generation_and_its_key(tmp_path, older):
    path = tmp_path / "store.sqlite"
    write_old_store(path, older, MODEL, EXCHANGES)
    before = path.stat().st_size
    assert_whole(path)
    assert version(path) == len(MIGRATIONS)
    assert path.stat().st_size < before / 2
    assert_whole(path)


def test_an_older_store_goes_on(tmp_path):
    path = tmp_path / "store.sqlite"
    write_old_store(path, 2, MODEL, EXCHANGES)
    store = Store(path)
    for asked, came in (exchange(1000, "p"), exchange(1001, "new")):
        store.put(store.key(MODEL, asked), MODEL, asked, came)
        assert store.get(store.key(MODEL, asked)) == came
    store.close()
    raw = sqlite3.connect(path)
    assert raw.execute("SELECT count(*) FROM models").fetchone() == (1,)
    assert raw.execute("SELECT count(*) FROM kinds").fetchone() == (3,)
    assert raw.execute("SELECT min(created), max(created) FROM generations").fetchone()[0] == 0.0
    assert raw.execute("PRAGMA foreign_key_check").fetchall() == []
    assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    raw.close()


def test_an_old_row_that_is_damaged_is_alone_in_that(tmp_path):
    path = tmp_path / "store.sqlite"
    write_old_store(path, 2, MODEL, EXCHANGES)
    raw = sqlite3.connect(path)
    raw.execute(
        "UPDATE generations SET generation = CAST(x'ff' AS TEXT) WHERE request LIKE '%Clue 7.%'"
    )
    raw.commit()
    raw.close()
    store = Store(path)
    for number, (asked, came) in enumerate(EXCHANGES):
        if number == 7:
            with pytest.raises(StoreError, match="cannot be read"):
                store.get(store.key(MODEL, asked))
        else:
            assert store.get(store.key(MODEL, asked)) == came
    store.close()


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "store.sqlite"
    write_old_store(path, 2, MODEL, EXCHANGES)
    monkeypatch.setattr(
        "turnsure.store.migrations.MIGRATIONS", (*MIGRATIONS[:2], f"{MIGRATIONS[2]}; SELECT oops")
    )
    with pytest.raises(StoreError, match=r"store\.sqlite.*oops"):
        Store(path)
    monkeypatch.undo()
    assert version(path) == 2
    assert_whole(path)


KILLED = """
import os, signal, sys
from pathlib import Path
from turnsure.store import migrations, sqlite

calls, pack = iter(range(10**9)), migrations.pack


def killing(text, words):
    if next(calls) == 250:
        os.kill(os.getpid(), signal.SIGKILL)
    return pack(text, words)


migrations.pack = killing
sqlite.Store(Path(sys.argv[1]))
"""


def test_a_migration_that_is_killed_half_way_starts_again(tmp_path):
    path = tmp_path / "store.sqlite"
    write_old_store(path, 2, MODEL, EXCHANGES)
    ran = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
    assert ran.returncode == -signal.SIGKILL
    assert version(path) == 2
    assert_whole(path)


def test_a_key_is_found_by_half_of_its_digest():
    assert short_key("0123456789abcdef" * 4) == bytes.fromhex("0123456789abcdef" * 2)
