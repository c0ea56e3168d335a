"""The store: every request and generation of a run, in one SQLite file.

Each generation, and each finished test conversation, is committed as it arrives, so a run that is
killed at any moment loses nothing that was finished; running again reads it from here.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from turnsure.core.conversation import Transcript
from turnsure.core.digest import canonical, digest
from turnsure.core.errors import StoreError
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.store.transcripts import dump_transcript, load_transcript
from turnsure.store.wire import dump_generation, dump_request, load_generation, request_key

_MIGRATIONS: tuple[str, ...] = (
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
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE transcripts (
        key TEXT PRIMARY KEY,
        scenario TEXT NOT NULL,
        replicate INTEGER NOT NULL,
        transcript TEXT NOT NULL,
        created REAL NOT NULL
    ) WITHOUT ROWID;
    """,
)
"""Statements that lead from each version to the next; only ever appended to."""


class Store:
    """Requests and generations, keyed by model fingerprint, request and replicate.

    Parameters
    ----------
    path
        The SQLite file; made when absent, migrated when older.
    clock
        Seconds since the epoch, for the time stamps.

    Raises
    ------
    StoreError
        The file is not such a store, is broken, or is of a newer version.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
            # WAL with NORMAL loses nothing when the process is killed; a power cut may cost the
            # last few generations, which are then asked again.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._migrate()
        except sqlite3.Error as error:
            raise StoreError(f"{path}: this store cannot be opened ({error})") from error

    def key(self, fingerprint: Mapping[str, str], request: GenerationRequest) -> str:
        """The key under which the generation of ``request`` by this model is kept."""
        return request_key(digest(dict(fingerprint)), request)

    def get(self, key: str) -> Generation | None:
        """The generation kept under ``key``, or None.

        Raises
        ------
        StoreError
            It is damaged, or the file cannot be read.
        """
        found = self._first("SELECT generation FROM generations WHERE key = ?", key)
        if found is None:
            return None
        try:
            return load_generation(found[0])
        except StoreError as error:
            problem = str(error)
        except RecursionError:
            problem = "a stored generation cannot be read (it is nested too deeply)"
        raise StoreError(
            f"{self._path}, key {key}: {problem}; put a copy of the file in its place, or delete "
            "it to ask everything anew"
        )

    def put(
        self,
        key: str,
        fingerprint: Mapping[str, str],
        request: GenerationRequest,
        generation: Generation,
    ) -> None:
        """Keep a generation; on the disk when this returns."""
        model = digest(dict(fingerprint))
        self._first(
            "INSERT OR IGNORE INTO models VALUES (?, ?)", model, canonical(dict(fingerprint))
        )
        self._first(
            "INSERT INTO generations VALUES (?, ?, ?, ?, ?, ?)",
            key,
            model,
            request.tag,
            dump_request(request),
            dump_generation(generation),
            self._clock(),
        )

    def get_transcript(self, key: str) -> Transcript | None:
        """The finished conversation kept under ``key``, or None.

        Raises
        ------
        StoreError
            It is damaged, or the file cannot be read.
        """
        found = self._first("SELECT transcript FROM transcripts WHERE key = ?", key)
        if found is None:
            return None
        try:
            return load_transcript(found[0])
        except StoreError as error:
            raise StoreError(f"{self._path}, key {key}: {error}") from error

    def put_transcript(self, key: str, transcript: Transcript) -> None:
        """Keep a finished conversation; on the disk when this returns.

        One that is kept under the key already is replaced.
        """
        self._first(
            "INSERT OR REPLACE INTO transcripts VALUES (?, ?, ?, ?, ?)",
            key,
            transcript.scenario,
            transcript.replicate,
            dump_transcript(transcript),
            self._clock(),
        )

    def __len__(self) -> int:
        found = self._first("SELECT count(*) FROM generations")
        return 0 if found is None else int(found[0])

    def close(self) -> None:
        """Close the file; safe to call twice."""
        self._connection.close()

    def _first(self, statement: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row; fetched here, since a damaged file may show only then."""
        try:
            return self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error

    def _migrate(self) -> None:
        (version,) = self._connection.execute("PRAGMA user_version").fetchone()
        if version > len(_MIGRATIONS):
            raise StoreError(
                f"{self._path}: this store has version {version}, and this turnsure knows up to "
                f"{len(_MIGRATIONS)}; use a newer turnsure"
            )
        for step in range(version, len(_MIGRATIONS)):
            self._connection.executescript(
                f"BEGIN; {_MIGRATIONS[step]} PRAGMA user_version = {step + 1}; COMMIT;"
            )
