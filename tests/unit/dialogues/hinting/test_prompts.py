"""What Hinter and Guesser are told."""

from __future__ import annotations

from typing import get_args

import pytest

from turnsure.core.built import REFUSALS, Game
from turnsure.core.dialogue import Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.hinting.prompts import load_prompts

KNOWN = (Hint(question="Is it\n in Asia?", answer="No"), Hint(answer="It is {known} for llamas."))


def wording(tmp_path, text):
    path = tmp_path / "w.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("game", get_args(Game))
def test_the_hinter_is_shown_an_example_and_then_its_secret(game):
    prompts = load_prompts()
    example, reply, real = prompts.hinter("Pe{known}ru", KNOWN, game=game)
    assert [message.role for message in (example, reply, real)] == ["user", "assistant", "user"]
    assert "Pe{known}ru" not in example.content
    assert reply.content.startswith("Q: ")
    assert "\nA: " in reply.content
    assert "Pe{known}ru" in real.content
    assert "Q: Is it in Asia?\nA: No\nClue: It is {known} for llamas." in real.content
    for text in (example.content, real.content):
        assert not text.endswith("\n")
        assert "{secret}" not in text


@pytest.mark.parametrize("reason", REFUSALS)
def test_every_refusal_can_be_told_to_the_hinter(reason):
    prompts = load_prompts()
    first = prompts.hinter("Peru", (), game="20q")
    again = prompts.hinter("Peru", (), game="20q", refused=reason)
    assert again[:2] == first[:2]
    assert again[2].content.startswith(first[2].content)
    assert prompts.texts[f"reasons.{reason}"] in again[2].content


def test_the_words_do_not_name_games_that_they_cannot_know():
    prompts = load_prompts()
    assert prompts.task("20q")
    assert prompts.task("guess")
    assert prompts.history.pair == "- {question} {answer}"
    assert prompts.labels == ("A", "B")


def test_a_file_replaces_some_of_the_words_and_changes_the_definition(tmp_path):
    path = wording(tmp_path, "\ufeff[nothing]\ntext = 'no clue'\n[unique]\nlabels = ['X', 'Y']\n")
    own, usual = load_prompts(path), load_prompts()
    assert "no clue" in own.hinter("Peru", (), game="guess")[2].content
    assert own.labels == ("X", "Y")
    changed = {place for place, text in own.definition.items() if usual.definition[place] != text}
    assert changed == {"nothing.text", "unique.labels"}


@pytest.mark.parametrize(
    ("text", "field", "says"),
    [
        ("[hinter]\ntext = 'x'", "hinter.text", "unknown"),
        ("[hinter_20q]\ntxt = 'x'", "hinter_20q.txt", "did you mean 'hinter_20q.text'"),
        ("[hinter_20q]\ntext = 'x {known}'", "hinter_20q.text", "{secret}"),
        ("[hinter_guess]\ntext = 'x {secret}'", "hinter_guess.text", "{known}"),
        ("[again]\ntext = 'again'", "again.text", "{reason}"),
        ("[guesser]\ntext = 'x'", "guesser.text", "{question}"),
        ("[unique]\ntext = '{question}'", "unique.text", "{answer}"),
        ("[unique]\nlabels = ['A']", "unique.labels", "two"),
        ("[unique]\nlabels = ['A', 'A']", "unique.labels", "two"),
        ("[history]\npair = '{question}'", "history.pair", "{answer}"),
        ("[reasons]\nempty_reply = 3", "reasons.empty_reply", "no text"),
        ("[reasons]\nempty_reply = ' '", "reasons.empty_reply", "no text"),
        ("text = 'x'", "text", "outside"),
        ("format = 2", "format", "2"),
    ],
)
def test_a_mistake_names_the_field(tmp_path, text, field, says):
    path = wording(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_prompts(path)
    assert (caught.value.file, caught.value.field) == (str(path), field)
    assert says in str(caught.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path):
    for path in (tmp_path / "missing.toml", wording(tmp_path, "[x")):
        with pytest.raises(InputError) as caught:
            load_prompts(path)
        assert caught.value.file == str(path)
