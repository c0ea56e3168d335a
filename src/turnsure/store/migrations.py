"""How a store's file becomes one of the present version, whatever version it has."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from turnsure.core.errors import StoreError
from turnsure.store.packing import pack, words_of

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE models (
        digest TEXT PRIMARY KEY,
        fingerprint TEXT NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE generations (
        key TEXT PRIMARY KEY,
        model TEXT NOT NULL REFERENCES models (digest),
        tag TEXT NOT NULL,
        request TEXT NOT NULL,
        generation TEXT NOT NULL,
        created REAL NOT NULL
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE transcripts (
        key TEXT PRIMARY KEY,
        scenario TEXT NOT NULL,
        replicate INTEGER NOT NULL,
        transcript TEXT NOT NULL,
        created REAL NOT NULL
    ) WITHOUT ROWID
    """,
    """
    ALTER TABLE generations RENAME TO generations_2;
    CREATE TABLE kinds (
        id INTEGER PRIMARY KEY,
        model TEXT NOT NULL REFERENCES models (digest),
        tag TEXT NOT NULL,
        words BLOB NOT NULL,
        UNIQUE (model, tag)
    );
    CREATE TABLE generations (
        id INTEGER PRIMARY KEY,
        key BLOB NOT NULL UNIQUE,
        kind INTEGER NOT NULL REFERENCES kinds (id),
        request BLOB NOT NULL,
        generation BLOB NOT NULL,
        created REAL NOT NULL
    );
    INSERT INTO kinds (model, tag, words)
        SELECT model, tag, (
            SELECT words_of(CAST(request AS BLOB), CAST(generation AS BLOB))
            FROM generations_2 AS one
            WHERE one.model = every.model AND one.tag = every.tag
            LIMIT 1
        )
        FROM (SELECT DISTINCT model, tag FROM generations_2) AS every;
    INSERT INTO generations (key, kind, request, generation, created)
        SELECT
            short_key(key),
            kinds.id,
            pack(CAST(request AS BLOB), words),
            pack(CAST(generation AS BLOB), words),
            created
        FROM generations_2 AS old
        CROSS JOIN kinds ON kinds.model = old.model AND kinds.tag = old.tag
        ORDER BY old.created, old.key;
    DROP TABLE generations_2
    """,
)
"""Statements that lead from each version to the next; only ever appended to.

Of version 3 on, generations lie in order of arrival and hold few bytes: a key is half a digest,
model and tag are one number, and texts are packed with the words of their kind.
"""

_KEY_BYTES = 16
"""Of the 32 of a digest.  Among a million keys two are alike with a chance of 10**-27."""


def short_key(key: str) -> bytes:
    """The part of a key, which is a digest in hexadecimal, that finds a generation."""
    return bytes.fromhex(key)[:_KEY_BYTES]


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Make all tables, or bring older ones up to date; all of it happens or nothing.

    Parameters
    ----------
    connection
        In autocommit mode.
    path
        For the words of an error.

    Raises
    ------
    StoreError
        The store is of a newer version.
    sqlite3.Error
        It is broken, or another process holds it.
    """
    found = _version(connection)
    if found > len(MIGRATIONS):
        raise StoreError(
            f"{path}: this store has version {found}, and this turnsure knows up to "
            f"{len(MIGRATIONS)}; use a newer turnsure"
        )
    if found == len(MIGRATIONS):
        return
    connection.create_function("short_key", 1, short_key, deterministic=True)
    connection.create_function("words_of", 2, words_of, deterministic=True)
    connection.create_function("pack", 2, pack, deterministic=True)
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been first while this one waited.
        for step in range(_version(connection), len(MIGRATIONS)):
            for statement in MIGRATIONS[step].split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {step + 1}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    if found:
        # Gives the room of the old tables back; where that cannot be done, it is used by and by.
        with contextlib.suppress(sqlite3.OperationalError):
            connection.execute("VACUUM")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
