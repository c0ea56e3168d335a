"""The turns table on disk."""

from __future__ import annotations

import csv
from dataclasses import replace

import arro3.core as arrow
import arro3.io as files
import pytest

from turnsure.core.confidence import Confidence
from turnsure.core.errors import StoreError
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.store import turns_file
from turnsure.store.parquet import parse_parquet
from turnsure.store.scores_file import write_columns
from turnsure.store.turns_file import read_turns, write_turns

SCORED = Confidence(
    value=0.1 + 0.2,
    method="p_true",
    scale="probability",
    path="logprobs",
    label_mass=0.4,
    rule="r",
    truncated=True,
    raw='<b>"raw"</b>\n',
)
FAILED = Failure(
    stage="confidence",
    kind="unparsable",
    message="no number",
    dialogue="d,1",
    turn=2,
    method="p_true",
    raw="Sure!",
)


def row(turn, confidence, outcome, **changes):
    values = {
        "dialogue": "d,1",
        "turn": turn,
        "n_turns": 2,
        "condition": "plain",
        "target": "answer",
        "method": "p_true",
        "answer": "Perú",
        "confidence": confidence,
        "outcome": outcome,
        "reply": None,
        "meta": {"a": "b"},
    }
    return TurnRow(**{**values, **changes})


TABLE = TurnsTable.of(
    [
        row(1, SCORED, Outcome(correct=True, grader="match", rule="case", matched="PERÚ")),
        row(2, FAILED, Outcome(correct=None, grader="match", reason="no_answer"), answer=None),
    ]
)


def test_rows_come_back_as_they_were(tmp_path):
    path = tmp_path / "turns.parquet"
    write_turns(TABLE, path, protocol="abc")
    assert read_turns(path) == (TABLE, "abc")
    assert [file.name for file in tmp_path.iterdir()] == ["turns.parquet"]


def test_half_a_character_in_a_reply_loses_that_character_only(tmp_path):
    rows = [row(1, SCORED, Outcome(correct=False, grader="match", rule="none"), reply="a\ud800b")]
    write_turns(TurnsTable.of(rows), tmp_path / "t.parquet", protocol="abc")
    table, _ = read_turns(tmp_path / "t.parquet")
    assert table.rows[0].reply == "a?b"


def test_an_empty_table_is_a_table(tmp_path):
    write_turns(TurnsTable.of([]), tmp_path / "t.parquet", protocol="abc")
    assert read_turns(tmp_path / "t.parquet") == (TurnsTable(()), "")


def test_missing_values_are_nulls_for_every_reader(tmp_path):
    write_turns(TABLE, tmp_path / "turns.csv", protocol="abc")
    with (tmp_path / "turns.csv").open(newline="", encoding="utf-8") as source:
        first, second = csv.DictReader(source)
    assert (first["confidence"], first["failure_kind"]) == ("0.30000000000000004", "")
    assert (second["confidence"], second["correct"], second["answer"]) == ("", "", "")
    assert second["failure_kind"] == "unparsable"


@pytest.mark.parametrize("content", [b"", b"PAR1PAR1", b"hello", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_a_damaged_file_is_an_error(tmp_path, content, capfd):
    (tmp_path / "t.parquet").write_bytes(content)
    with pytest.raises(StoreError, match=r"t\.parquet"):
        read_turns(tmp_path / "t.parquet")
    capfd.readouterr()


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(StoreError, match=r"t\.parquet.*No such file"):
        read_turns(tmp_path / "t.parquet")


def test_a_flipped_bit_in_a_page_is_one_error_without_the_readers_words(tmp_path, capfd):
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1" + bytes(40) + b"PAR1")
    with pytest.raises(StoreError, match="damaged"):
        read_turns(path)
    assert capfd.readouterr().err == ""


def test_a_parquet_file_of_something_else_is_no_turns_table(tmp_path):
    path = tmp_path / "t.parquet"
    write_columns(path, {"x": ("int64", [1])})
    with pytest.raises(StoreError, match="turns table"):
        read_turns(path)


def many(n):
    return [
        row(
            turn,
            SCORED if turn % 3 else replace(FAILED, dialogue=f"d{n_th}", turn=turn),
            Outcome(correct=turn % 2 == 0, grader="match"),
            dialogue=f"d{n_th}",
            reply=f"Reply {n_th} of {turn}.",
            meta={"part": str(n_th % 3)},
        )
        for n_th in range(n // 2)
        for turn in (1, 2)
    ]


def test_a_long_table_is_written_and_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(turns_file, "_BATCH_ROWS", 16)
    monkeypatch.setattr(turns_file, "GROUP_ROWS", 40)
    asked = []
    pieces = turns_file.parquet_batches

    def counting(path, n_rows):
        for piece in pieces(path, n_rows):
            asked.append(piece.n)
            yield piece

    monkeypatch.setattr(turns_file, "parquet_batches", counting)
    table = TurnsTable.of(many(100))
    write_turns(table, tmp_path / "t.parquet", protocol="abc")
    assert read_turns(tmp_path / "t.parquet") == (table, "abc")
    assert sum(asked) == 100
    assert max(asked) == 16
    write_turns(table, tmp_path / "t.csv", protocol="abc")
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8") as source:
        assert [one["reply"] for one in csv.DictReader(source)] == [one.reply for one in table.rows]


def test_the_same_rows_give_the_same_bytes_wherever_they_come_from(tmp_path):
    rows = many(100)
    write_turns(TurnsTable.of(rows), tmp_path / "one.parquet", protocol="abc")
    more = TurnsTable.of([*many(300), row(1, SCORED, Outcome(correct=True, grader="x"))])
    kept = more.where(lambda one: one.dialogue in {each.dialogue for each in rows})
    write_turns(kept, tmp_path / "two.parquet", protocol="abc")
    write_turns(read_turns(tmp_path / "one.parquet")[0], tmp_path / "three.parquet", protocol="abc")
    one, two, three = (
        (tmp_path / f"{name}.parquet").read_bytes() for name in ("one", "two", "three")
    )
    assert one == two == three


def test_a_write_that_fails_leaves_the_old_table(tmp_path, monkeypatch):
    path = tmp_path / "t.parquet"
    write_turns(TABLE, path, protocol="abc")

    def breaking(value):
        raise RuntimeError(f"no room for {value}")

    monkeypatch.setattr(turns_file, "_writable", breaking)
    with pytest.raises(BaseException, match="no room"):
        write_turns(TABLE, path, protocol="new")
    monkeypatch.undo()
    assert read_turns(path) == (TABLE, "abc")


@pytest.mark.parametrize("protocols", [("a", "b"), ("a", None)])
def test_rows_of_two_protocols_are_no_table(tmp_path, protocols):
    path = tmp_path / "t.parquet"
    write_turns(TABLE, path, protocol="a")
    read = parse_parquet(path.read_bytes())
    columns = {**read.columns, "protocol": list(protocols)}
    frame = arrow.Table.from_pydict(
        {name: arrow.Array(values, type=turns_file._arrow_type(kind_of(name)))
         for name, values in columns.items()}
    )  # fmt: skip
    described = frame.schema.with_metadata({"turnsure.turns": "1"})
    files.write_parquet(frame.with_schema(described), path)
    with pytest.raises(StoreError, match="2 protocols"):
        read_turns(path)


def kind_of(name):
    return turns_file._COLUMNS.get(name, ("utf8",))[0]
