"""The built-in pools say nothing; a user's pool is read or refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

from turnsure.core.dialogue import Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.countries import countries_dialogues
from turnsure.dialogues.country_facts import known_countries
from turnsure.dialogues.english import plain, tokens
from turnsure.dialogues.english_lists import NUMBER_WORDS, SCALES
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.dialogues.languages import LANGUAGE_NAMES
from turnsure.dialogues.placebo import BUILT_IN, PlaceboPool, load_pool

POOLS = pytest.mark.parametrize("name", BUILT_IN)
# What would presuppose a person, an animal or an object, where anything may be meant.
PRESUMING = {"it", "its", "he", "she", "him", "her", "his", "they", "them", "their", "there"}


def texts(pool: PlaceboPool) -> list[str]:
    return [text for hint in pool.hints for text in (hint.question, hint.answer) if text]


@POOLS
def test_there_are_thirty_or_more(name):
    pool = load_pool(name)
    assert pool.name == name
    assert len(pool.hints) >= 30


@POOLS
def test_pairs_have_a_question_and_statements_none(name):
    is_pair = {hint.question is not None for hint in load_pool(name).hints}
    assert is_pair == {name in ("places", "things")}


@POOLS
def test_no_number_and_no_name_stands_in_it(name):
    for text in texts(load_pool(name)):
        words = tokens(text)
        assert not any(letter.isdigit() for letter in text), text
        assert not {word.text.lower() for word in words} & (NUMBER_WORDS.keys() | SCALES.keys()), (
            text
        )
        assert all(word.text.islower() for word in words[1:]), text


@POOLS
def test_every_entry_is_one_sentence_with_its_mark(name):
    for hint in load_pool(name).hints:
        text, mark = (hint.answer, ".") if hint.question is None else (hint.question, "?")
        assert text.endswith(mark)
        assert sum(text.count(one) for one in ".?!") == 1


@POOLS
def test_no_country_people_or_language_is_named(name):
    named = {
        plain(text)
        for country in known_countries()
        for text in (*country.names, country.capital, country.demonym)
    } | {plain(language) for language in LANGUAGE_NAMES.values()}
    for text in texts(load_pool(name)):
        assert not set(plain(text).split()) & named, text


def test_things_are_yes_or_no_about_as_often():
    answers = [hint.answer for hint in load_pool("things").hints]
    assert set(answers) == {"Yes", "No"}
    assert 0.4 <= answers.count("Yes") / len(answers) <= 0.6


def test_places_have_yes_and_no_and_other_answers():
    answers = {hint.answer for hint in load_pool("places").hints}
    assert {"Yes", "No"} < answers


@pytest.mark.parametrize("name", ["things", "statements-things"])
def test_nothing_is_presumed_of_what_may_be_anything(name):
    for text in texts(load_pool(name)):
        assert not set(plain(text).split()) & PRESUMING, text


def words_of(hints: list[Hint]) -> float:
    return median(len(f"{hint.question or ''} {hint.answer}".split()) for hint in hints)


@pytest.mark.parametrize(("name", "style"), [("places", "questions"), ("statements", "statements")])
def test_the_length_is_that_of_ordinary_hints_about_countries(name, style):
    hints = [hint for one in countries_dialogues(style=style) for hint in one.hints]
    assert 0.5 <= words_of(list(load_pool(name).hints)) / words_of(hints) <= 2


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "folder"), [("things", "20q_vibelang"), ("statements-things", "qb_expo")]
)
def test_the_length_is_that_of_ordinary_hints_about_anything(shared_data, name, folder):
    read = read_dialogues(shared_data / folder / "dialogues.jsonl")
    hints = [hint for one in read for hint in one.hints]
    assert 0.5 <= words_of(list(load_pool(name).hints)) / words_of(hints) <= 2


@pytest.fixture
def refused(tmp_path):
    def error_of(text: str, ending: str = "toml") -> InputError:
        file = tmp_path / f"pool.{ending}"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            load_pool(file)
        assert caught.value.file == str(file)
        return caught.value

    return error_of


class TestToml:
    def test_pairs(self, tmp_path):
        file = tmp_path / "mine.toml"
        file.write_text(
            'format = 1\nhints = [{question = "Is it?", answer = "Yes"},\n'
            '{question = "Isn\'t it?", answer = "No"}]\n'
        )
        assert (
            load_pool(file)
            == load_pool(str(file))
            == PlaceboPool(
                name="mine.toml",
                hints=(
                    Hint(question="Is it?", answer="Yes"),
                    Hint(question="Isn't it?", answer="No"),
                ),
            )
        )

    def test_statements(self, tmp_path):
        file = tmp_path / "mine.toml"
        file.write_text('hints = ["It is.", {answer = "It was."}]')
        assert [hint.answer for hint in load_pool(file).hints] == ["It is.", "It was."]

    @pytest.mark.parametrize(
        ("text", "field", "problem"),
        [
            ('hints = ["x", 3]', "hints[1]", "3 is no hint"),
            ('hints = ["x", ["y"]]', "hints[1]", "no hint"),
            ('hints = [" "]', "hints[0].answer", "says nothing"),
            ('hints = [{question = "a?"}]', "hints[0].answer", "missing"),
            ('hints = [{question = "a?", answer = true}]', "hints[0].answer", "True does not fit"),
            ('hints = [{question = 1, answer = "x"}]', "hints[0].question", "1 does not fit"),
            ('hints = [{question = "", answer = "x"}]', "hints[0].question", "blank"),
            ('hints = [{anwser = "x"}]', "hints[0].anwser", "did you mean 'answer'"),
            ('hints = ["x", "X."]', "hints[1]", "the same as hints[0]"),
            ("hints = []", "hints", "the pool holds no hint"),
            ('hints = "x"', "hints", "no list"),
            ("format = 1", "hints", "no list"),
            ('format = 2\nhints = ["x"]', "format", "format 2 is unknown"),
            ('format = true\nhints = ["x"]', "format", "format True is unknown"),
            ('hint = ["x"]', "hint", "unknown field"),
        ],
    )
    def test_a_mistake_is_named_with_its_field(self, refused, text, field, problem):
        error = refused(text)
        assert error.field == field
        assert problem in error.problem
        assert error.expected

    def test_broken_toml_is_named_with_its_line(self, refused):
        error = refused('format = 1\n\nhints = ["x" "y"]\n')
        assert error.line == 3
        assert "cannot be parsed" in error.problem
        assert "line" not in error.problem


class TestJsonLines:
    def test_pairs(self, tmp_path):
        file = tmp_path / "mine.jsonl"
        lines = [{"question": "Is it?", "answer": "Yes"}, {"question": "Was it?", "answer": "No"}]
        file.write_text("\ufeff" + "\n\n".join(json.dumps(line) for line in lines) + "\r\n")
        assert [hint.question for hint in load_pool(file).hints] == ["Is it?", "Was it?"]

    def test_statements(self, tmp_path):
        file = tmp_path / "mine.jsonl"
        file.write_text('"It is."\n{"question": null, "answer": "It was."}\n')
        assert [hint.answer for hint in load_pool(file).hints] == ["It is.", "It was."]

    @pytest.mark.parametrize(
        ("text", "line", "field"),
        [
            ('"x"\n\n{"question": "a?"}\n', 3, "answer"),
            ('"x"\n{"answer": 1}\n', 2, "answer"),
            ('{"answer": "x"\n', 1, None),
            ('"x"\n7\n', 2, None),
            ('"x"\n{"text": "y"}\n', 2, "text"),
        ],
    )
    def test_a_mistake_is_named_with_its_line(self, refused, text, line, field):
        error = refused(text, "jsonl")
        assert (error.line, error.field) == (line, field)
        assert error.expected

    def test_an_empty_file(self, refused):
        assert refused("", "jsonl").field == "hints"


class TestNoFile:
    def test_an_unknown_name_gets_the_nearest(self):
        with pytest.raises(InputError, match="did you mean 'places'"):
            load_pool("place")

    def test_a_missing_file(self, tmp_path):
        with pytest.raises(InputError, match="no such file"):
            load_pool(tmp_path / "none.toml")

    def test_a_folder(self, tmp_path):
        (tmp_path / "pool.toml").mkdir()
        with pytest.raises(InputError, match="cannot be read"):
            load_pool(tmp_path / "pool.toml")

    def test_bytes_that_are_no_text(self, tmp_path):
        (tmp_path / "pool.toml").write_bytes(b"\xff\xfe")
        with pytest.raises(InputError, match="cannot be read"):
            load_pool(tmp_path / "pool.toml")

    def test_an_unknown_ending(self, refused):
        assert "'.csv' is unknown" in refused("x", "csv").problem

    def test_a_path_is_never_a_built_in_name(self):
        with pytest.raises(InputError, match="there is no placebo pool"):
            load_pool(Path("places"))
