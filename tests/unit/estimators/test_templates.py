"""Prompt templates and users' files of them."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.dialogues.rendering import HistoryWording
from turnsure.estimators.templates import PromptTemplate, load_templates, swap_labels

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
    assert changed.history == {**plain.history, "intro": "Clues:"}
    assert plain.history["intro"] != "Clues:"


def test_the_built_in_wording_of_the_dialogue_is_that_of_the_rendering():
    assert HistoryWording.of(load_templates().history) == HistoryWording()
    assert set(load_templates().history) == set(HistoryWording().definition)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf[p_true]\nprefill = '**'")
    assert load_templates(path)["p_true"].prefill == "**"


def test_a_byte_order_mark_inside_a_text_is_kept(tmp_path):
    path = user_file(tmp_path, "\ufeff[history]\nintro = 'a\ufeffb'")
    assert load_templates(path).history["intro"] == "a\ufeffb"


def test_every_prompt_knows_its_name():
    assert all(name == one.name for name, one in load_templates().prompts.items())


def test_other_slots_are_filled_when_they_are_named():
    template = PromptTemplate(text="{question} {answer} {other} {K}")
    assert template.fill(HISTORY[:1], "a", other="{k}")[0].content == "first a {k} {K}"
    assert template.fill(HISTORY[:1], k="4")[0].content == "first {answer} {other} 4"


OPTIONS = "{question} {answer}\nA. Yes. A: it is.\nB) No\nA or B?"


def test_swapped_options_change_places_and_the_first_label_still_means_yes():
    probe = PromptTemplate(name="mine", text=OPTIONS, labels=("A", "B"), prefill="**")
    swapped = swap_labels(probe)
    assert swapped.text == "{question} {answer}\nA. No\nB) Yes. A: it is.\nA or B?"
    assert (swapped.labels, swapped.prefill, swapped.name) == (("B", "A"), "**", "mine")
    assert swap_labels(swapped) == probe


@pytest.mark.parametrize("name", ["p_true", "p_sufficient", "same_meaning"])
def test_every_built_in_probe_can_be_swapped(name):
    probe = load_templates()[name]
    swapped = swap_labels(probe)
    assert swapped.text != probe.text
    assert sorted(swapped.text) == sorted(probe.text)
    assert swap_labels(swapped) == probe


def test_options_may_stand_in_any_order_and_have_long_labels():
    probe = PromptTemplate(text="x\n  (1: y)\n2: no\n  1:  yes", labels=("1", "2"))
    assert swap_labels(probe).text == "x\n  (1: y)\n2: yes\n  1:  no"
    words = PromptTemplate(text="True: it is\nFalse: it is not", labels=("True", "False"))
    assert swap_labels(words).text == "True: it is not\nFalse: it is"


@pytest.mark.parametrize(
    ("text", "labels", "names"),
    [
        ("A. yes", ("A", "B"), r"'mine\.text': 0 lines offer option 'B'"),
        ("A. yes\nB. no\nB) never", ("A", "B"), r"'mine\.text': 2 lines offer option 'B'"),
        ("A.\nB. no", ("A", "B"), "0 lines offer option 'A'"),
        ("A yes\nB no", ("A", "B"), "0 lines offer option 'A'"),
        ("A. yes\nB. no", (), r"'mine\.labels': the probe has 0 labels"),
    ],
)
def test_options_that_cannot_be_found_are_named(text, labels, names):
    with pytest.raises(InputError, match=names):
        swap_labels(PromptTemplate(name="mine", text=text, labels=labels))


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
        ("[history]\nclues = 'x'", ["history.clues", "did you mean 'history.clue'"]),
        ("[history]\nclue = 'x'", ["history.clue", "{answer}"]),
        ("[history]\npair = '{answer}'", ["history.pair", "{question}"]),
        ("[top_k_verb]\ntext = '{question}'", ["top_k_verb.text", "{k}"]),
        ("[same_meaning]\ntext = '{question} {answer}'", ["same_meaning.text", "{other}"]),
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


def test_options_of_a_users_file_that_cannot_be_swapped_name_the_file(tmp_path):
    path = user_file(tmp_path, "[p_true]\ntext = '{question} {answer} A or B?'")
    with pytest.raises(InputError, match=r"mine\.toml, field 'p_true\.text'"):
        swap_labels(load_templates(path)["p_true"])
    assert load_templates(path)["p_sufficient"].file is None
