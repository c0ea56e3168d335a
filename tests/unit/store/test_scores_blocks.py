"""Long tables of scores come in pieces."""

from __future__ import annotations

import pytest

from turnsure.core.errors import InputError
from turnsure.store.scores_file import read_blocks, read_columns, write_columns

TEXT = '\ufeffid , p\n\n1,"two\nlines"\n"a,b",0.5\n\nc,1\n'


@pytest.mark.parametrize("n_rows", [1, 2, 3, 100])
def test_the_pieces_of_a_csv_are_the_whole(tmp_path, n_rows):
    path = tmp_path / "s.csv"
    path.write_text(TEXT, encoding="utf-8")
    whole, pieces = read_columns(path), list(read_blocks(path, n_rows=n_rows))
    for name, column in whole.columns.items():
        assert [value for piece in pieces for value in piece.columns[name]] == column
    assert [line for piece in pieces for line in piece.lines] == whole.lines == [3, 5, 7]
    assert [piece.n for piece in pieces] == [
        min(n_rows, 3 - start) for start in range(0, 3, n_rows)
    ]


def test_tabs_part_the_fields_of_a_tsv_file(tmp_path):
    path = tmp_path / "s.tsv"
    path.write_text("id\tp\na,b\t1\n", encoding="utf-8")
    [piece] = read_blocks(path)
    assert piece.columns == {"id": ["a,b"], "p": ["1"]}


def test_other_formats_come_as_one_piece(tmp_path):
    path = tmp_path / "s.txt"
    path.write_text('\n{"id": 1}\n{"id": 2, "p": 0.5}\n', encoding="utf-8")
    [piece] = read_blocks(path, n_rows=1)
    assert piece == read_columns(path)


@pytest.mark.parametrize(
    ("content", "says", "line"),
    [
        (b"", "the file holds no row", None),
        (b"id,p\n", "the file holds no row", None),
        (b"id,p\n1,2\n3\n", "there are 1 fields", 3),
        (b"id,p\n1,2\n3,\xff\n", "this is not UTF-8", 3),
        (b'id,p\n1,2\n3,"4\n', "this is not CSV", 3),
        (b"id,id\n1,2\n", "two columns are called 'id'", 1),
    ],
)
def test_what_is_broken_is_said_with_its_line(tmp_path, content, says, line):
    path = tmp_path / "s.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_blocks(path, n_rows=1))
    assert says in caught.value.problem
    assert caught.value.line == line


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path, says in ((tmp_path / "none.csv", "no such file"), (tmp_path, "this is a folder")):
        with pytest.raises(InputError, match=says):
            next(read_blocks(path))


@pytest.mark.parametrize("n_rows", [1, 2, 3, 100])
def test_the_pieces_of_a_parquet_file_are_the_whole(tmp_path, n_rows):
    path = tmp_path / "s.parquet"
    write_columns(path, {"id": ("utf8", ["a", None, "c"]), "p": ("float64", [0.1, 0.2, None])})
    whole, pieces = read_columns(path), list(read_blocks(path, n_rows=n_rows))
    for name, column in whole.columns.items():
        assert [value for piece in pieces for value in piece.columns[name]] == column
    places = [piece.place(row) for piece in pieces for row in range(piece.n)]
    assert places == ["row 1", "row 2", "row 3"]
    assert max(piece.n for piece in pieces) <= n_rows
    assert "row 3: odd" in str(pieces[-1].error(pieces[-1].n - 1, "p", "odd", expected="even"))


@pytest.mark.parametrize("cut", [(0, -40), (0, 8), (40, None)])
def test_a_damaged_parquet_file_is_refused(tmp_path, cut, capfd):
    path = tmp_path / "s.parquet"
    write_columns(path, {"p": ("float64", [0.1] * 500)})
    content = path.read_bytes()
    path.write_bytes(b"PAR1" + content[slice(*cut)] + b"PAR1")
    with pytest.raises(InputError, match="Parquet file"):
        list(read_blocks(path, n_rows=10))
    assert capfd.readouterr().err == ""


def test_a_parquet_file_without_rows_is_refused(tmp_path):
    path = tmp_path / "s.parquet"
    write_columns(path, {"p": ("float64", [])})
    with pytest.raises(InputError, match="the file holds no row"):
        list(read_blocks(path))
