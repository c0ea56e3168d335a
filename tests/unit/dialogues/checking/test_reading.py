"""Files of which some lines are no dialogues."""

from __future__ import annotations

import json

import pytest

from turnsure.core.errors import InputError
from turnsure.dialogues.checking.reading import read_leniently


def line(name: str, **changes: object) -> str:
    return json.dumps(
        {"id": name, "gold": ["Peru"], "hints": [{"answer": "x"}, {"answer": "y"}], **changes}
    )


def read(tmp_path, *lines: str, mark: bytes = b""):
    path = tmp_path / "d.jsonl"
    path.write_bytes(mark + "\r\n".join(lines).encode())
    return read_leniently(path)


def test_lines_count_blank_ones_and_a_mark_does_not_matter(tmp_path):
    file = read(tmp_path, line("a"), "", line("b"), mark=b"\xef\xbb\xbf")
    assert [(one.dialogue.id, one.place.line) for one in file.dialogues] == [("a", 1), ("b", 3)]
    assert file.findings == ()


def test_lines_that_are_no_dialogues_are_findings_and_the_rest_is_read(tmp_path):
    world = {"candidates": ["Peru", "Mali"], "remaining": [[0], [0, 1]]}
    file = read(
        tmp_path,
        "{",
        line("a"),
        line("b", gold=[]),
        line("c", gold=[" "]),
        line("d", hints=[{"question": "Where?", "answer": " "}]),
        line("e", **world),
        line("f", hints=[]),
        line("a"),
        mark=b"\xef\xbb\xbf",
    )
    assert [(one.dialogue.id, one.place.line) for one in file.dialogues] == [("a", 2), ("a", 8)]
    assert [(one.kind, one.place and one.place.line, one.field) for one in file.findings] == [
        ("line_unreadable", 1, None),
        ("answer_missing", 3, "gold"),
        ("answer_missing", 4, "gold"),
        ("line_unreadable", 5, "hints[0].answer"),
        ("candidates_unfit", 6, "remaining"),
        ("line_unreadable", 7, "hints"),
    ]
    assert "expected" in file.findings[1].evidence
    assert all("line.jsonl" not in one.evidence for one in file.findings)


def test_blank_clues_are_told_since_they_are_left_out(tmp_path):
    hints = [{"answer": "x"}, {"answer": "  "}, {"question": None, "answer": ""}, {"answer": "y"}]
    file = read(tmp_path, line("a", hints=hints), line("b"))
    assert [(one.kind, one.dialogue, one.field) for one in file.findings] == [
        ("hint_blank", "a", "hints[1].answer"),
        ("hint_blank", "a", "hints[2].answer"),
    ]
    assert file.dialogues[0].dialogue.n_turns == 2


@pytest.mark.parametrize("content", [None, b"", b"\n \n"])
def test_a_file_without_lines_is_an_error(tmp_path, content):
    path = tmp_path / "d.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_leniently(path)
    assert caught.value.file == str(path)


def test_the_task_is_passed_on(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text("{\n" + line("a"))
    assert read_leniently(path, task="Name it.").dialogues[0].dialogue.task == "Name it."
