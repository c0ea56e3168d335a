"""Stores as earlier versions wrote them, with statements that are not the program's."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from turnsure.core.digest import canonical, digest
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.store.wire import dump_generation, dump_request, request_key

_TABLES = (
    "CREATE TABLE models (digest TEXT PRIMARY KEY, fingerprint TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE generations (key TEXT PRIMARY KEY, "
    "model TEXT NOT NULL REFERENCES models (digest), tag TEXT NOT NULL, request TEXT NOT NULL, "
    "generation TEXT NOT NULL, created REAL NOT NULL) WITHOUT ROWID",
    "CREATE TABLE transcripts (key TEXT PRIMARY KEY, scenario TEXT NOT NULL, "
    "replicate INTEGER NOT NULL, transcript TEXT NOT NULL, created REAL NOT NULL) WITHOUT ROWID",
)


def write_old_store(
    path: Path,
    version: int,
    fingerprint: dict[str, str],
    exchanges: Iterable[tuple[GenerationRequest, Generation]] = (),
    *,
    transcripts: Iterable[tuple[str, str]] = (),
) -> None:
    """Write a store of version 1 or 2; transcripts, by key as JSON, are of the latter alone."""
    raw = sqlite3.connect(path)
    raw.execute("PRAGMA journal_mode=WAL")
    for statement in _TABLES[: version + 1]:
        raw.execute(statement)
    model = digest(fingerprint)
    raw.execute("INSERT INTO models VALUES (?, ?)", (model, canonical(fingerprint)))
    for created, (asked, came) in enumerate(exchanges):
        row = (
            request_key(model, asked), model, asked.tag, dump_request(asked),
            dump_generation(came), float(created),
        )  # fmt: skip
        raw.execute("INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?)", row)
    for key, text in transcripts:
        raw.execute("INSERT INTO transcripts VALUES (?, 's', 0, ?, 0.0)", (key, text))
    raw.execute(f"PRAGMA user_version = {version}")
    raw.commit()
    raw.close()
