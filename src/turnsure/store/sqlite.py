"""The store: every request and generation of a run, in one SQLite file.

Each generation, and each finished test conversation, is committed as it arrives, so a run that is
killed at any moment loses nothing that was finished; running again reads it from here.

Generations lie in the order in which they came, so that keeping one touches the end of the file
and one page of the index of keys, however many there are.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from turnsure.core.conversation import Transcript
from turnsure.core.digest import canonical, digest
from turnsure.core.errors import StoreError
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.store.migrations import migrate, short_key
from turnsure.store.packing import pack, unpack, words_of
from turnsure.store.transcripts import dump_transcript, load_transcript
from turnsure.store.wire import dump_generation, dump_request, load_generation, request_key

_MOST_DICTIONARIES = 1000
"""Kinds with words of their own, should somebody's tags never end."""

_SETTINGS = (
    # WAL with NORMAL loses nothing when the process is killed; a power cut may cost the last few
    # generations, which are then asked again.
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    # 16 MB of log before it is folded into the file: a page of the index is then written back
    # once for several keys that came to lie on it.
    "PRAGMA wal_autocheckpoint=4000",
    # 64 MB: the index of a million keys fits.
    "PRAGMA cache_size=-65536",
)


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
        self._digests: dict[tuple[tuple[str, str], ...], str] = {}
        self._kinds: dict[tuple[str, str], int] = {}
        self._words: dict[int, bytes] = {}
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
            for setting in _SETTINGS:
                self._connection.execute(setting)
            migrate(self._connection, path)
        except sqlite3.Error as error:
            raise StoreError(f"{path}: this store cannot be opened ({error})") from error

    def key(self, fingerprint: Mapping[str, str], request: GenerationRequest) -> str:
        """The key under which the generation of ``request`` by this model is kept."""
        return request_key(self._digest(fingerprint), request)

    def get(self, key: str) -> Generation | None:
        """The generation kept under ``key``, or None.

        Raises
        ------
        StoreError
            It is damaged, or the file cannot be read.
        """
        found = self._first(
            "SELECT generation, kind FROM generations WHERE key = ?", short_key(key)
        )
        if found is None:
            return None
        try:
            return load_generation(unpack(found[0], self._words_of(found[1])))
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
        asked = dump_request(request).encode("ascii")
        came = dump_generation(generation).encode("ascii")
        kind = self._kinds.get((self._digest(fingerprint), request.tag))
        if kind is None:
            kind = self._add_kind(fingerprint, request.tag, words_of(asked, came))
        words = self._words_of(kind)
        self._first(
            "INSERT INTO generations (key, kind, request, generation, created) "
            "VALUES (?, ?, ?, ?, ?)",
            short_key(key),
            kind,
            pack(asked, words),
            pack(came, words),
            self._clock(),
        )

    def exchanges(self) -> Iterator[tuple[str, str, str]]:
        """Tag, request and generation of all that is kept, as JSON texts, in order of arrival.

        Raises
        ------
        StoreError
            One is damaged, or the file cannot be read.
        """
        following = (
            "SELECT generations.id, tag, request, generation, words "
            "FROM generations JOIN kinds ON kinds.id = kind "
            "WHERE generations.id > ? ORDER BY generations.id LIMIT 1"
        )
        last = 0
        while found := self._first(following, last):
            last, tag, request, generation, words = found
            try:
                yield tag, unpack(request, words), unpack(generation, words)
            except StoreError as error:
                raise StoreError(f"{self._path}, row {last}: {error}") from error

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

    def _digest(self, fingerprint: Mapping[str, str]) -> str:
        items = tuple(fingerprint.items())
        found = self._digests.get(items)
        if found is None:
            found = self._digests[items] = digest(dict(fingerprint))
        return found

    def _add_kind(self, fingerprint: Mapping[str, str], tag: str, words: bytes) -> int:
        """The number of what one model is asked under one tag, which may be there already."""
        model = self._digest(fingerprint)
        self._first(
            "INSERT OR IGNORE INTO models VALUES (?, ?)", model, canonical(dict(fingerprint))
        )
        self._first(
            "INSERT OR IGNORE INTO kinds (model, tag, words) "
            "VALUES (?, ?, CASE WHEN (SELECT count(*) FROM kinds) < ? THEN ? ELSE x'' END)",
            model,
            tag,
            _MOST_DICTIONARIES,
            words,
        )
        found = self._first("SELECT id FROM kinds WHERE model = ? AND tag = ?", model, tag)
        if found is None:
            raise StoreError(f"{self._path}: what is asked as {tag!r} cannot be entered")
        kind = self._kinds[model, tag] = int(found[0])
        return kind

    def _words_of(self, kind: int) -> bytes:
        if kind not in self._words:
            found = self._first("SELECT words FROM kinds WHERE id = ?", kind)
            if found is None:
                raise StoreError("a stored text cannot be read (the words of its kind are lost)")
            self._words[kind] = found[0]
        return self._words[kind]

    def _first(self, statement: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row; fetched here, since a damaged file may show only then."""
        try:
            return self._connection.execute(statement, values).fetchone()
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}") from error
