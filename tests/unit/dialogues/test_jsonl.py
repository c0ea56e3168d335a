"""Dialogue files: what is read, what is refused, and what the message says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import DEFAULT_TASK, dialogue_line, read_dialogues, write_dialogues

ROOT = Path(__file__).resolve().parents[3]
A_HINT = {"question": None, "answer": "It is in Asia."}


def body(**changes: Any) -> dict[str, Any]:
    return {"id": "d1", "gold": ["Nepal"], "hints": [A_HINT], **changes}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in body().items() if key != name}


@pytest.fixture
def file(tmp_path):
    return tmp_path / "dialogues.jsonl"


@pytest.fixture
def read(file):
    """Write lines (objects or texts) and read them as dialogues."""

    def write_and_read(*lines: Any, **settings: Any) -> list[Dialogue]:
        texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
        file.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        return read_dialogues(file, **settings)

    return write_and_read


@pytest.fixture
def refused(read, file):
    """Write lines that are refused; return the error."""

    def error_of(*lines: Any, **settings: Any) -> InputError:
        with pytest.raises(InputError) as caught:
            read(*lines, **settings)
        assert caught.value.file == str(file)
        return caught.value

    return error_of


class TestReading:
    def test_a_blank_plain_clue_is_no_turn(self, read):
        [dialogue] = read(body(hints=[A_HINT, {"answer": ""}, {"answer": "x"}, {"answer": " "}]))
        assert [hint.answer for hint in dialogue.hints] == ["It is in Asia.", "x"]

    def test_every_field(self, read):
        [dialogue] = read(
            body(
                task="Name it.",
                gold=["Nepal", "Népal"],
                hints=[A_HINT, {"question": "Is it large?", "answer": "no"}],
                meta={"category": "countries"},
                format=1,
            )
        )
        assert dialogue == Dialogue(
            id="d1",
            task="Name it.",
            gold=("Nepal", "Népal"),
            hints=(Hint(answer="It is in Asia."), Hint(question="Is it large?", answer="no")),
            meta={"category": "countries"},
        )

    def test_a_hint_without_a_question_is_a_plain_clue(self, read):
        [dialogue] = read(body(hints=[{"answer": "It is in Asia."}]))
        assert dialogue.hints == (Hint(answer="It is in Asia."),)

    @pytest.mark.parametrize(
        ("own", "given", "used"),
        [
            ("Its own.", "Given.", "Its own."),
            (None, "Given.", "Given."),
            (None, None, DEFAULT_TASK),
            (None, "", DEFAULT_TASK),
        ],
    )
    def test_the_task_is_its_own_or_the_given_or_the_default(self, read, own, given, used):
        lines = [body() if own is None else body(task=own), body(id="d2", task=own)]
        assert [dialogue.task for dialogue in read(*lines, task=given)] == [used, used]

    def test_mark_line_ends_and_blank_lines_do_not_matter(self, file):
        lines = [json.dumps(body(id=name)).encode() for name in ("a", "b")]
        file.write_bytes(b"\xef\xbb\xbf\r\n" + lines[0] + b"\r\n  \r\n\r\n" + lines[1])
        assert [dialogue.id for dialogue in read_dialogues(file)] == ["a", "b"]

    def test_a_line_separator_inside_a_text_ends_no_line(self, read):
        [dialogue] = read(
            json.dumps(body(hints=[{"answer": "one\u2028two\x85"}]), ensure_ascii=False)
        )
        assert dialogue.hints[0].answer == "one\u2028two\x85"

    def test_a_huge_line(self, read):
        [dialogue] = read(body(hints=[{"answer": "x" * 3_000_000}]))
        assert len(dialogue.hints[0].answer) == 3_000_000

    def test_the_limit_takes_the_first_and_leaves_later_lines_alone(self, read):
        lines = [body(id="a"), body(id="b"), "not JSON"]
        assert [dialogue.id for dialogue in read(*lines, limit=2)] == ["a", "b"]

    def test_a_wrong_line_before_the_limit_is_refused(self, refused):
        assert refused("not JSON", body(id="a"), body(id="b"), limit=1).line == 1

    def test_a_limit_beyond_the_end_takes_all(self, read):
        assert len(read(body(), limit=10)) == 1

    @pytest.mark.parametrize("limit", [0, -1])
    def test_a_limit_below_one_is_refused(self, read, limit):
        with pytest.raises(InputError) as caught:
            read(body(), limit=limit)
        assert caught.value.field == "limit"


def test_the_example_in_the_docs(file):
    page = (ROOT / "docs" / "dialogue-format.md").read_text(encoding="utf-8")
    file.write_text(page.partition("```json\n")[2].partition("```")[0], encoding="utf-8")
    [dialogue] = read_dialogues(file)
    assert [hint.question for hint in dialogue.hints] == ["Where does it live?", None]
    assert DEFAULT_TASK in " ".join(page.split())


class TestRefusing:
    @pytest.mark.parametrize(
        ("line", "field", "says"),
        [
            (without("id"), "id", "missing"),
            (without("gold"), "gold", "missing"),
            (without("hints"), "hints", "missing"),
            (body(id=7), "id", "7 does not fit"),
            (body(id=" "), "id", "blank"),
            (body(task=""), "task", "no task"),
            (body(gold=[]), "gold", "empty"),
            (body(gold=[" "]), "gold", "no accepted answer"),
            (body(gold="Nepal"), "gold", "a list of one accepted answer or more"),
            (body(gold=[16]), "gold[0]", "16 does not fit (expected text in quotes)"),
            (body(gold=["a", None]), "gold[1]", "None does not fit"),
            (body(hints=[]), "hints", "empty"),
            (body(hints={"answer": "x"}), "hints", "a list of one hint or more"),
            (body(hints=["a clue"]), "hints[0]", '{"question": text or null, "answer": text}'),
            (body(hints=[A_HINT, A_HINT, {"question": "q"}]), "hints[2].answer", "missing"),
            (body(hints=[A_HINT, {"answer": 3}]), "hints[1].answer", "text in quotes"),
            (body(hints=[{"answer": "  "}, {"answer": ""}]), "hints", "no hints"),
            (body(hints=[A_HINT, {"question": "q", "answer": ""}]), "hints[1].answer", "says noth"),
            (body(hints=[A_HINT, {"question": "", "answer": "x"}]), "hints[1].question", "blank"),
            (body(hints=[{"question": 1, "answer": "x"}]), "hints[0].question", "null for a plain"),
            (body(hints=[{"answr": "x"}]), "hints[0].answr", "did you mean 'answer'"),
            (body(hintz=1), "hintz", "did you mean 'hints'"),
            (
                body(colour=1),
                "colour",
                "expected id, task, closing, gold, hints, meta, candidates, remaining, format",
            ),
            (body(meta={"n": 3}), "meta.n", "text in quotes"),
            (body(meta=["x"]), "meta", "an object that holds texts only"),
            (body(format=2), "format", "newer"),
            (body(format=0), "format", "no format 0"),
            (body(format="1"), "format", "no format '1'"),
            (body(format=True), "format", "no format True"),
            ('{"id": "a", "id": "b"}', "id", "twice"),
            (
                '{"id": "a", "gold": ["\\ud800"], "hints": [{"answer": "x"}]}',
                "gold[0]",
                "surrogate",
            ),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_a_wrong_field_is_named_with_what_was_expected(self, refused, line, field, says):
        error = refused(body(id="first"), line)
        assert (error.line, error.field) == (2, field)
        assert says in str(error)
        assert error.expected

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ('  {"id": "a",}', "at column 14"),
            ("{", "at column 2"),
            ('{"id": "a"} {"id": "b"}', "at column 13"),
            ('["a"]', "no JSON object"),
            ("null", "no JSON object"),
            ('{"id": NaN}', "NaN is not a value of JSON"),
            ('{"id": -Infinity}', "-Infinity is not a value of JSON"),
            ("[" * 100_000, "nested too deeply"),
            ('{"id": ' + "9" * 5_000 + "}", "cannot be read"),
        ],
        ids=lambda value: value[:30],
    )
    def test_what_is_no_json_object(self, refused, line, says):
        error = refused(line)
        assert error.line == 1
        assert says in str(error)

    def test_a_long_value_is_cut_in_the_message(self, refused):
        assert len(str(refused(body(gold="x" * 10_000)))) < 400

    def test_an_id_used_twice_names_both_lines(self, refused):
        error = refused(body(id="same"), body(id="other"), "", body(id="same"))
        assert error.line == 4
        assert "line 1" in error.problem

    def test_further_problems_of_a_line_are_counted(self, refused):
        assert "and 2 more problems in this line" in refused({"id": "a", "task": 3}).problem

    def test_further_lines_are_counted(self, refused):
        assert "; 1 more line cannot" in refused("{", body(), "{").problem
        error = refused("{", body(), without("gold"), body(), "[]")
        assert error.line == 1
        assert "; 3 more lines cannot" in error.problem

    def test_bytes_that_are_no_utf8(self, file):
        file.write_bytes(json.dumps(body()).encode() + b'\n{"id": "\xff"}\n')
        with pytest.raises(InputError, match="line 2: byte 9 is not UTF-8"):
            read_dialogues(file)

    @pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
    def test_a_file_without_a_dialogue(self, refused, content):
        assert "no dialogue" in refused(content).problem

    def test_a_missing_file(self, file):
        with pytest.raises(InputError, match="no such file"):
            read_dialogues(file)

    def test_a_folder(self, tmp_path):
        with pytest.raises(InputError, match="folder"):
            read_dialogues(tmp_path)


class TestWriting:
    def test_what_is_written_is_read_again(self, file):
        dialogues = [
            Dialogue(
                id="d1",
                task="Was ist das?\nRate!",
                gold=("Löwe", "🦁"),
                hints=(Hint(answer='"Es brüllt."\u2028'), Hint(question="Groß?", answer="ja")),
                meta={"tier": "ja"},
            ),
            Dialogue(id="d2", task="Name it.", gold=("x",), hints=(Hint(answer="y"),)),
        ]
        write_dialogues(file, dialogues)
        assert read_dialogues(file) == dialogues

    def test_lines_carry_their_format(self, read):
        [dialogue] = read(body())
        assert json.loads(dialogue_line(dialogue)) == {
            "format": 1,
            "id": "d1",
            "task": DEFAULT_TASK,
            "gold": ["Nepal"],
            "hints": [A_HINT],
        }

    def test_a_failure_leaves_the_old_file_and_nothing_else(self, read, file):
        dialogues = read(body())
        before = file.read_bytes()
        with pytest.raises(InputError, match="used already, in line 1"):
            write_dialogues(file, [*dialogues, *dialogues])
        assert file.read_bytes() == before
        assert list(file.parent.iterdir()) == [file]

    def test_a_folder_that_is_missing(self, tmp_path):
        with pytest.raises(InputError, match="cannot be written"):
            write_dialogues(tmp_path / "none" / "d.jsonl", [])


@pytest.mark.shared
@pytest.mark.parametrize(
    ("folder", "n_dialogues", "n_turns", "first_gold"),
    [
        ("qb_expo", 79, 378, "Larry Bird"),
        ("20q_vibelang", 376, 4388, "Taylor Swift"),
        ("sharded_gsm8k_jliang", 428, 2095 - 7, "16"),  # 7 of its clues are blank
    ],
)
def test_public_data(shared_data, folder, n_dialogues, n_turns, first_gold):
    dialogues = read_dialogues(shared_data / folder / "dialogues.jsonl")
    assert len(dialogues) == n_dialogues
    assert dialogues[0].gold[0] == first_gold
    assert sum(dialogue.n_turns for dialogue in dialogues) == n_turns


def test_a_dialogue_may_bring_its_own_closing(tmp_path):
    path = tmp_path / "d.jsonl"
    one = Dialogue(
        id="1", task="Name it.", hints=(Hint(answer="a"),), gold=("x",), closing="Now name it."
    )
    write_dialogues(path, [one])
    assert read_dialogues(path) == [one]
    assert one.prefix(1).closing == "Now name it."
