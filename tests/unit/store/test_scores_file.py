"""Tables of scores as files."""

from __future__ import annotations

import subprocess
import sys

import arro3.core as arrow
import arro3.io as files
import pytest

from turnsure.core.errors import InputError
from turnsure.store.scores_file import read_columns, write_columns


def written(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_csv_keeps_text_and_says_where_each_row_begins(tmp_path):
    raw = read_columns(written(tmp_path, "s.csv", '\ufeffid , p\n\n1,"two\nlines"\n"a,b",0.5\n'))
    assert raw.columns == {"id": ["1", "a,b"], "p": ["two\nlines", "0.5"]}
    assert raw.lines == [3, 5]
    assert raw.n == 2


def test_tabs_stand_between_the_fields_of_a_tsv_file(tmp_path):
    raw = read_columns(written(tmp_path, "s.tsv", "id\tp\na,b\t1\n"))
    assert raw.columns == {"id": ["a,b"], "p": ["1"]}


def test_json_lines_may_lack_fields(tmp_path):
    raw = read_columns(written(tmp_path, "s.txt", '\n{"id": 1}\n\n{"id": 2, "p": 0.5}\n'))
    assert raw.columns == {"id": [1, 2], "p": [None, 0.5]}
    assert raw.lines == [2, 4]


def test_parquet_comes_back_as_it_was_written(tmp_path):
    path = tmp_path / "s.parquet"
    write_columns(
        path, {"id": ("utf8", ["a", "b"]), "p": ("float64", [0.5, None]),
               "right": ("bool", [True, None]), "turn": ("int64", [1, 2])}
    )  # fmt: skip
    raw = read_columns(path)
    assert raw.columns == {
        "id": ["a", "b"], "p": [0.5, None], "right": [True, None], "turn": [1, 2],
    }  # fmt: skip
    assert raw.lines is None
    assert str(raw.error(1, "p", "it is odd", expected="even")) == (
        f"{path}, field 'p': row 2: it is odd (expected even)"
    )
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("s.csv", "", "the file holds no row"),
        ("s.csv", "id,p\n", "the file holds no row"),
        ("s.csv", "id,id\n1,2\n", "line 1: two columns are called 'id'"),
        ("s.csv", "id,p\n1,2\n\n1\n", "line 4: there are 1 fields (expected 2"),
        ("s.csv", 'id,p\n1,2\n"1,2\n', "line 3: this is not CSV"),
        ("s.csv", b"id,p\n1,\xff\n", "line 2: this is not UTF-8"),
        ("s.csv", "id\tp\n1\t2\n", "line 1: the heading is one field (expected commas"),
        ("s.csv", "id;p\n1;2\n", "line 1: the heading is one field (expected commas"),
        (
            "s.jsonl",
            '{"id": 1}\n{"id": \n',
            "line 2: this is not JSON: expecting value at column 8",
        ),
        ("s.jsonl", '{"id": 1}\n[1]\n', "line 2: this is a JSON array"),
        ("s.json", '[{"id": 1}]', "line 1: this is a JSON array (expected one JSON object a line)"),
        ("s.jsonl", '{"id": 1}\n{"p": 0, "p": 1}\n', "line 2: two columns are called 'p'"),
        ("s.jsonl", '{"id": 1}\n7\n', "line 2: this is a JSON value"),
        ("s.jsonl", '{"\\ud800": 1}\n', r"field '\ud800' holds half a surrogate pair"),
        ("s.jsonl", f'{{"id": {"9" * 5000}}}\n', "line 1: this JSON cannot be read"),
        ("s.jsonl", '{"id": ' * 100_000, "line 1: this JSON cannot be read"),
        ("s.parquet", b"PAR1 and then nonsense PAR1", "this Parquet file is damaged"),
    ],
)
def test_a_broken_file_is_one_line_that_says_where(tmp_path, name, content, says):
    path = written(tmp_path, name, content)
    with pytest.raises(InputError) as caught:
        read_columns(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_columns(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="this is a folder"):
        read_columns(tmp_path)


def test_two_parquet_columns_of_one_name_are_refused(tmp_path):
    kind = arrow.DataType.float64()
    schema = arrow.Schema([arrow.Field("p", kind), arrow.Field("p", kind)])
    values = [arrow.Array([value], type=kind) for value in (0.1, 0.9)]
    path = tmp_path / "s.parquet"
    files.write_parquet(arrow.Table.from_arrays(values, schema=schema), path)
    with pytest.raises(InputError, match="two columns are called 'p'"):
        read_columns(path)


DAMAGED = b"PAR1" + bytes(40) + b"PAR1"


def test_a_parquet_file_that_was_cut_off_is_told(tmp_path):
    with pytest.raises(InputError, match="this is no complete Parquet file"):
        read_columns(written(tmp_path, "s.parquet", b"PAR1"))


def test_the_parquet_readers_own_words_do_not_reach_the_user(tmp_path, capfd):
    with pytest.raises(InputError, match="this Parquet file is damaged"):
        read_columns(written(tmp_path, "s.parquet", DAMAGED))
    print("after", file=sys.stderr)
    assert capfd.readouterr().err == "after\n"


def test_a_damaged_parquet_file_is_told_without_an_error_stream_too(tmp_path):
    path = written(tmp_path, "s.parquet", DAMAGED)
    code = (
        "import os, sys; os.close(2)\n"
        "from turnsure.core.errors import InputError\n"
        "from turnsure.store.scores_file import read_columns\n"
        "try: read_columns(sys.argv[1])\n"
        "except InputError as error: print(error)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code, path], capture_output=True, check=False)
    assert b"this Parquet file is damaged" in ran.stdout
