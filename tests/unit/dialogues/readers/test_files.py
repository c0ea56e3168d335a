"""Files that are empty, missing, broken, huge or in another encoding: told in one line each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnsure import registry
from turnsure.core.errors import InputError
from turnsure.dialogues.readers.files import csv_records, json_records
from turnsure.dialogues.readers.log import ReadLog
from turnsure.dialogues.readers.record import Record

READERS = pytest.mark.parametrize("name", registry.READERS)
ENDING = {"grace": ".csv", "quizbowl_packet": ".csv"}
NEEDED = ("id", "text")


@pytest.fixture
def refused(tmp_path):
    """Write a file for a reader, which refuses it; return the error."""

    def error_of(name: str, content: bytes, ending: str | None = None) -> InputError:
        file = tmp_path / f"set{ending or ENDING.get(name, '.json')}"
        file.write_bytes(content)
        with pytest.raises(InputError) as caught:
            list(registry.load("readers", name)(file))
        assert caught.value.file == str(file)
        return caught.value

    return error_of


@READERS
@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n"])
def test_an_empty_file(refused, name, content):
    assert refused(name, content).problem == "the file is empty"
    if name not in ENDING:
        assert refused(name, content, ".jsonl").problem == "the file is empty"


@READERS
def test_a_missing_file(name, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        list(registry.load("readers", name)(tmp_path / "none.json"))


@pytest.mark.parametrize("name", sorted({*registry.READERS} - {"twenty_questions"}))
def test_a_folder(name, tmp_path):
    with pytest.raises(InputError, match="this is a folder"):
        list(registry.load("readers", name)(tmp_path))


@READERS
def test_bytes_that_are_no_utf8(refused, name):
    error = refused(name, b"id\n\xff\n")
    assert error.line == 2
    assert "byte 1 is not UTF-8" in error.problem


@pytest.mark.parametrize("name", sorted({*registry.READERS} - {"grace", "quizbowl_packet"}))
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'[\n{"a": 1},\n', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"id": ' + b"9" * 5_000 + b"}", "cannot be read"),
        (b'{"id": 1, "id": 2}', "stands here twice"),
        (b"[]", "no record became a dialogue (there is none)"),
        (b"[3]", "3 is no JSON object"),
        (b"null", "None is no JSON object"),
    ],
)
def test_what_is_no_list_of_records(refused, name, content, says):
    assert says in refused(name, content).problem


def test_a_document_with_a_list_of_another_kind(refused):
    error = refused("qanta", b'{"questions": {"a": 1}}')
    assert (error.field, error.expected) == ("questions", "a list of objects")


def test_a_broken_document_names_the_line(refused):
    error = refused("sharded", b'[\n{"a": 1}\n{"a": 2}]')
    assert error.line == 3
    assert "at column 1" in error.problem


class TestJson:
    def bodies(self, file) -> list[object]:
        return [one.body if isinstance(one, Record) else one.line for one in json_records(file)]

    @pytest.mark.parametrize("ending", [".json", ".jsonl", ".NDJSON", ".txt"])
    def test_lines_are_told_from_documents(self, tmp_path, ending):
        file = tmp_path / f"a{ending}"
        file.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\r\n{"a": "x\xe2\x80\xa8y"}')
        assert self.bodies(file) == [{"a": 1}, {"a": "x\u2028y"}]

    def test_a_bad_line_is_handed_on_in_its_place(self, tmp_path):
        file = tmp_path / "a.jsonl"
        file.write_bytes(b'{"a": 1}\n{"a": \n\xff\n[1]\n{"a": 2}')
        assert self.bodies(file) == [{"a": 1}, 2, 3, 4, {"a": 2}]

    def test_nan_is_a_missing_value(self, tmp_path):
        file = tmp_path / "a.json"
        file.write_text('[{"a": NaN, "b": -Infinity}]')
        assert self.bodies(file) == [{"a": None, "b": None}]

    def test_a_huge_field(self, tmp_path):
        file = tmp_path / "a.jsonl"
        file.write_text(json.dumps({"a": "x" * 3_000_000}))
        [body] = self.bodies(file)
        assert len(body["a"]) == 3_000_000


class TestCsv:
    def rows(self, tmp_path, content: bytes) -> list[Record | InputError]:
        file = tmp_path / "a.csv"
        file.write_bytes(content)
        return list(csv_records(file, needed=NEEDED))

    def test_mark_line_ends_quotes_and_blank_lines(self, tmp_path):
        rows = self.rows(tmp_path, b'\xef\xbb\xbfID , text\r\n\r\n1,"a ""b""\r\nc"\r\n,\r\n2,d\r\n')
        assert [(row.line, row.body) for row in rows] == [
            (3, {"id": "1", "text": 'a "b"\r\nc'}),
            (6, {"id": "2", "text": "d"}),
        ]

    def test_a_huge_field(self, tmp_path):
        [row] = self.rows(tmp_path, b"id,text\n1," + b"x" * 1_000_000)
        assert len(row.body["text"]) == 1_000_000

    def test_a_row_of_another_length_is_handed_on(self, tmp_path):
        _, error = self.rows(tmp_path, b"id,text\n1,a\n2,b,c\n")
        assert str(error).endswith("line 3: there are 3 fields (expected 2, as in the heading)")

    @pytest.mark.parametrize(
        ("content", "line", "says"),
        [
            (b'id,text\n1,"a\n', 2, "not CSV"),
            (b'id,text\n1,"a"b\n', 2, "not CSV"),
            (b"id,answer\n1,a\n", 1, "no column 'text'"),
            (b"id,text,ID\n1,a,b\n", 1, "two columns are called 'id'"),
        ],
    )
    def test_what_is_no_table(self, tmp_path, content, line, says):
        with pytest.raises(InputError, match=says) as caught:
            self.rows(tmp_path, content)
        assert caught.value.line == line


def test_long_questions_and_answer_lines_are_read_in_linear_time(tmp_path):
    """By the square of the question's length this would take 160 billion steps, and not end."""
    file = tmp_path / "a.csv"
    question, answer = "A clue. " * 50_000, "Ruby " + "(or A)" * 20_000
    file.write_text(f"tossup_index,question,answer\n1,{question},{answer}\n")
    [one] = registry.load("readers", "grace")(file)
    assert (one.n_turns, len(one.gold)) == (50_000, 2)


def test_one_log_for_several_files(tmp_path):
    log = ReadLog()
    for name in ("a", "b"):
        file = tmp_path / f"{name}.csv"
        file.write_text("id,answer,text\n1,Ruby,A clue.\n")
        list(registry.load("readers", "quizbowl_packet")(file, log=log))
    assert (log.report().n_records, log.report().n_turns) == (2, 2)


def test_a_file_without_dialogues_is_not_blamed_on_the_file_before(tmp_path):
    log = ReadLog()
    talk = {"task": "GR", "id": 1, "history": [{"user": "a", "bot": "b"}]}
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text(f'{json.dumps(talk)}\n{{"task": "GR"}}\n')
    other.write_text(json.dumps({**talk, "history": []}))
    read = registry.load("readers", "mtbench101")
    assert len(list(read(one, log=log))) == 1
    with pytest.raises(InputError) as caught:
        list(read(other, log=log))
    assert caught.value.file == str(other)
    assert "(an empty conversation: 1)" in caught.value.problem
    assert log.report().n_records == 3


def test_the_page_in_the_docs_names_every_format():
    page = (Path(__file__).resolve().parents[4] / "docs" / "public-sets.md").read_text("utf-8")
    assert [name for name in registry.READERS if f"## `{name}`" not in page] == []


def test_a_reader_reads_as_it_is_asked(tmp_path):
    file = tmp_path / "a.jsonl"
    line = {"task": "GR", "id": 1, "history": [{"user": "a", "bot": "b"}]}
    file.write_text(json.dumps(line) + "\n" + json.dumps({**line, "id": 2}) + "\n")
    log = ReadLog()
    dialogues = registry.load("readers", "mtbench101")(file, log=log)
    assert next(dialogues).id == "mtbench101-GR-1"
    assert log.report().n_records == 1
