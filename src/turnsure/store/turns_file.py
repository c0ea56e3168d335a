"""The turns table on disk: Parquet, or CSV on request.

One row a dialogue × turn × condition × target × method; see ``docs/turns-table.md``.  A missing
confidence or outcome is a null with the failure beside it, never a number.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from turnsure.core.confidence import Confidence
from turnsure.core.digest import canonical
from turnsure.core.errors import InputError, StoreError
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.turns import TURNS_FORMAT, TurnRow, TurnsCollector, TurnsTable
from turnsure.store.parquet import DamagedParquet, ParquetTable, parquet_batches

_FORMAT_KEY = "turnsure.turns"
_Read = Callable[[TurnRow], Any]

_BATCH_ROWS = 1 << 12
"""Rows that are objects at once, when a table is written or read."""

GROUP_ROWS = 1 << 16
"""Rows of a row group of the file; a reader may take the groups one at a time."""


def _of_confidence(name: str) -> _Read:
    return lambda row: getattr(row.confidence, name) if _scored(row) else None


def _of_failure(name: str) -> _Read:
    return lambda row: None if _scored(row) else getattr(row.confidence, name)


def _scored(row: TurnRow) -> bool:
    return isinstance(row.confidence, Confidence)


_COLUMNS: Mapping[str, tuple[str, _Read]] = {
    "dialogue": ("utf8", lambda row: row.dialogue),
    "turn": ("int64", lambda row: row.turn),
    "n_turns": ("int64", lambda row: row.n_turns),
    "condition": ("utf8", lambda row: row.condition),
    "target": ("utf8", lambda row: row.target),
    "method": ("utf8", lambda row: row.method),
    "answer": ("utf8", lambda row: row.answer),
    "confidence": ("float64", _of_confidence("value")),
    "scale": ("utf8", _of_confidence("scale")),
    "path": ("utf8", _of_confidence("path")),
    "label_mass": ("float64", _of_confidence("label_mass")),
    "truncated": ("bool", _of_confidence("truncated")),
    "reading_rule": ("utf8", _of_confidence("rule")),
    "correct": ("bool", lambda row: row.outcome.correct),
    "grader": ("utf8", lambda row: row.outcome.grader),
    "match_rule": ("utf8", lambda row: row.outcome.rule),
    "matched": ("utf8", lambda row: row.outcome.matched),
    "ungraded_reason": ("utf8", lambda row: row.outcome.reason),
    "failure_stage": ("utf8", _of_failure("stage")),
    "failure_kind": ("utf8", _of_failure("kind")),
    "failure_message": ("utf8", _of_failure("message")),
    "reply": ("utf8", lambda row: row.reply),
    "method_reply": ("utf8", lambda row: row.confidence.raw),
    "meta": ("utf8", lambda row: canonical(dict(row.meta))),
}


def write_turns(table: TurnsTable, path: Path, *, protocol: str) -> None:
    """Write Parquet, or CSV when the name ends in ``.csv``; in place only when complete.

    Parameters
    ----------
    table
        The rows.
    path
        Where.
    protocol
        Digest of the protocol, stored with every row.
    """
    import arro3.core as arrow
    import arro3.io as files

    batch_type: Any = arrow.RecordBatch
    types = {name: _arrow_type(kind) for name, (kind, _) in _COLUMNS.items()}
    types["protocol"] = _arrow_type("utf8")
    schema = arrow.Schema(
        [arrow.Field(name, kind) for name, kind in types.items()],
        metadata={_FORMAT_KEY: str(TURNS_FORMAT)},
    )

    def batches() -> Iterator[Any]:
        for start in range(0, len(table), _BATCH_ROWS):
            rows = list(table.rows[start : start + _BATCH_ROWS])
            columns = [
                arrow.Array([_writable(read(row)) for row in rows], type=types[name])
                for name, (_, read) in _COLUMNS.items()
            ]
            columns.append(arrow.Array([protocol] * len(rows), type=types["protocol"]))
            yield batch_type.from_arrays(columns, schema=schema)

    stream = arrow.RecordBatchReader.from_batches(schema, batches())
    temporary = path.with_name(f".{path.name}.part")
    if path.suffix == ".csv":
        files.write_csv(stream, temporary)
    else:
        files.write_parquet(stream, temporary, max_row_group_size=GROUP_ROWS)
    temporary.replace(path)


def read_turns(path: Path) -> tuple[TurnsTable, str]:
    """Read what :func:`write_turns` wrote as Parquet.

    Returns
    -------
    tuple
        The table and the protocol digest.

    Raises
    ------
    StoreError
        The file is missing, broken, of a newer version, or mixes protocols.
    """
    collected = TurnsCollector.empty()
    protocols: set[str] = set()
    try:
        for piece in parquet_batches(path, _BATCH_ROWS):
            _check(piece, path)
            protocols |= set(piece.columns["protocol"])
            if len(protocols) > 1:
                raise StoreError(f"{path}: rows of {len(protocols)} protocols in one table")
            collected.add(_rows(piece))
        return collected.table(), next(iter(protocols), "")
    except OSError as error:
        raise StoreError(f"{path}: this turns table cannot be read ({error.strerror})") from error
    except (DamagedParquet, InputError, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path}: {error}") from error


def _check(piece: ParquetTable, path: Path) -> None:
    """Refuse what is no turns table, or a newer one."""
    version = piece.metadata.get(_FORMAT_KEY.encode())
    if version is None or not version.isdigit() or int(version) > TURNS_FORMAT:
        raise StoreError(
            f"{path}: turns table of format {version!r}; this turnsure knows {TURNS_FORMAT}"
        )
    lacking = [name for name in (*_COLUMNS, "protocol") if name not in piece.columns]
    if lacking:
        raise StoreError(f"{path}: this is no turns table; it lacks {', '.join(lacking)}")


def _rows(piece: ParquetTable) -> Iterator[TurnRow]:
    columns = [piece.columns[name] for name in _COLUMNS]
    metas: dict[str, Mapping[str, str]] = {}
    for values in zip(*columns, strict=True):
        record = dict(zip(_COLUMNS, values, strict=True))
        text = record["meta"]
        if text not in metas:
            metas[text] = json.loads(text)
        yield _row(record, metas[text])


def _writable(value: Any) -> Any:
    """Text without half surrogate pairs, which a model's JSON can hold and no file can."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _arrow_type(kind: str) -> Any:
    import arro3.core as arrow

    return {
        "utf8": arrow.DataType.utf8,
        "int64": arrow.DataType.int64,
        "float64": arrow.DataType.float64,
        "bool": arrow.DataType.bool,
    }[kind]()


def _row(record: Mapping[str, Any], meta: Mapping[str, str]) -> TurnRow:
    return TurnRow(
        dialogue=record["dialogue"],
        turn=record["turn"],
        n_turns=record["n_turns"],
        condition=record["condition"],
        target=record["target"],
        method=record["method"],
        answer=record["answer"],
        confidence=_confidence(record),
        outcome=Outcome(
            correct=record["correct"],
            grader=record["grader"],
            rule=record["match_rule"],
            matched=record["matched"],
            reason=record["ungraded_reason"],
        ),
        reply=record["reply"],
        meta=meta,
    )


def _confidence(record: Mapping[str, Any]) -> Confidence | Failure:
    if record["confidence"] is None:
        return Failure(
            stage=record["failure_stage"],
            kind=record["failure_kind"],
            message=record["failure_message"],
            dialogue=record["dialogue"],
            turn=record["turn"],
            method=record["method"],
            raw=record["method_reply"],
        )
    return Confidence(
        value=record["confidence"],
        method=record["method"],
        scale=record["scale"],
        path=record["path"],
        label_mass=record["label_mass"],
        rule=record["reading_rule"],
        truncated=record["truncated"],
        raw=record["method_reply"],
    )
