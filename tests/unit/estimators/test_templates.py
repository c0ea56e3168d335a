"""Prompt templates and users' files of them."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.estimators.templates import PromptTemplate, load_templates

HISTORY = (
    Message(role="user", content="first"),
    Message(role="assistant", content="what?"),
    Message(role="user", content="last {answer} \\boxed{}"),
)


def user_file(tmp_path, text):
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_dialogue_stands_before_the_methods_words_in_every_built_in_prompt():
    for name, template in load_templates().prompts.items():
        assert template.text.startswith("{question}"), name


def test_fill_puts_values_in_literally():
    template = PromptTemplate(text="{question} | {Answer} | \\boxed{{x}}")
    filled = template.fill(HISTORY, "{question}")
    assert filled[:2] == HISTORY[:2]
    assert filled[2].content == "last {answer} \\boxed{} | {question} | \\boxed{{x}}"


def test_without_an_answer_there_is_no_slot_for_one():
    asked = PromptTemplate(text="{question} Reply \\boxed{answer}.").fill(HISTORY[-1:])
    assert asked[-1].content.endswith("Reply \\boxed{answer}.")
    assert load_templates()["answer"].fill(HISTORY)[-1].content.endswith("\\boxed{answer}.")


def test_a_prefill_begins_the_reply():
    filled = PromptTemplate(text="{question}", prefill="**").fill(HISTORY)
    assert filled[-1] == Message(role="assistant", content="**")


def test_a_users_file_replaces_what_it_names_and_keeps_the_rest(tmp_path):
    path = user_file(
        tmp_path,
        """
        [history]
        intro = "Clues:"
        [p_true]
        text = "{Question}\\nProposed Answer: {Answer}"
        """,
    )
    changed, plain = load_templates(path), load_templates()
    assert changed["p_true"].text == "{Question}\nProposed Answer: {Answer}"
    assert changed["p_true"].labels == ("A", "B")
    assert changed["p_sufficient"] == plain["p_sufficient"]
    assert changed.history == {"intro": "Clues:"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("[p_ture]\ntext = 'x'", ["p_ture", "did you mean 'p_true'"]),
        ("[p_true]\ntxt = 'x'", ["did you mean 'text'"]),
        ("[p_true]\ntext = 'no slots'", ["p_true.text", "{question}"]),
        ("[p_true]\ntext = '{question}'", ["{answer}"]),
        ("[p_true]\ntext = 3", ["p_true.text", "a text"]),
        ("[p_true]\nlabels = ['A']", ["p_true.labels", "two different labels"]),
        ("[p_true]\nlabels = ['A', 'A']", ["two different labels"]),
        ("[p_true]\nlabels = 'AB'", ["p_true.labels"]),
        ("[answer]\nplaceholder = [1]", ["answer.placeholder"]),
        ("format = 2", ["format 2"]),
        ("[p_true]\nlabels = ['A', 'A', 'B']", ["two different labels"]),
        ("[history]\nclosing = ['x']", ["history.closing", "no text"]),
        ("stray = 'x'", ["stray", "outside any section"]),
        ("[broken", ["cannot be read"]),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path, text, names):
    path = user_file(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_templates(path)
    for part in (str(path), *names):
        assert part in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nothing\.toml.*no such file"):
        load_templates(tmp_path / "nothing.toml")
