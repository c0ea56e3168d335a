from __future__ import annotations

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.judge.wording import load_judge_wording


def load(tmp_path, text):
    file = tmp_path / "own.toml"
    file.write_text(text)
    return load_judge_wording(file)


def test_a_file_replaces_what_it_holds_and_nothing_else(tmp_path):
    builtin = load_judge_wording()
    own = load(tmp_path, "format = 1\n[pair]\nquestion = 'the tone'\n")
    assert own["pair.question"] == "the tone"
    assert own["rubric.text"] == builtin["rubric.text"]
    assert own.digest != builtin.digest
    assert load(tmp_path, "").digest == builtin.digest


def test_slots_are_filled_in_one_pass():
    texts = load_judge_wording()
    filled = texts.filled("rubric.item", name="{ask}", ask="Is {name} there?")
    assert filled == "- {ask}: Is {name} there?"


@pytest.mark.parametrize(
    ("text", "field", "what"),
    [
        ("[rubrik]\ntext = 'x'", "rubrik.text", "did you mean 'rubric.text'?"),
        ("[rubric]\ntext = 'Judge {items} of {mark}'", "rubric.text", "no {transcript}"),
        ("[rubric]\ntext = 3", "rubric.text", "no text"),
        ("[rubric]\nitem = ' '", "rubric.item", "no text"),
        ("format = 2", "format", "unknown"),
        ("text = 'x'", "text", "outside any section"),
        ("[rubric", "own.toml", "cannot be read"),
    ],
)
def test_a_file_that_does_not_fit_says_where(tmp_path, text, field, what):
    with pytest.raises(InputError) as error:
        load(tmp_path, text)
    assert field in str(error.value)
    assert what in str(error.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_judge_wording(tmp_path / "none.toml")
