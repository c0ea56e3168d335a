"""Answer lines: what is accepted, prompted, refused, and what is kept as a note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.errors import InputError
from turnsure.dialogues.readers.answer_line import AnswerLine, parse_answer_line

LINES = [
    ("Ruby", ["Ruby"], [], [], []),
    (
        "Kanye West [accept Ye; prompt on West; do not accept “North West”]",
        ["Kanye West", "Ye"],
        ["West"],
        ["North West"],
        [],
    ),
    ("Project One [or P1; accept P-1]", ["Project One", "P1", "P-1"], [], [], []),
    ("Oslo (accept Kristiania, prompt on Norway)", ["Oslo", "Kristiania"], ["Norway"], [], []),
    ("Hooke (surname)", ["Hooke (surname)"], [], [], []),
    ("Hooke_(surname)", ["Hooke (surname)"], [], [], []),
    ("Emile, or On Education", ["Emile, or On Education"], [], [], []),
    ("Trick or Treat", ["Trick or Treat"], [], [], []),
    ("Sun [accept Sol or the Daystar]", ["Sun", "Sol", "the Daystar"], [], [], []),
    ("Sun [accept either Sol or Helios]", ["Sun", "Sol", "Helios"], [], [], []),
    ("Film [accept “Trick or Treat”]", ["Film", "Trick or Treat"], [], [], []),
    ("Rome [accept Rome, Italy]", ["Rome", "Rome, Italy"], [], [], []),
    ("Rome [or Roma, accept Urbs. Prompt on city. Do not accept Remus.]",
     ["Rome", "Roma", "Urbs"], ["city"], ["Remus"], []),
    ("Paul (or Saul (of Tarsus))", ["Paul", "Saul (of Tarsus)"], [], [], []),
    ("Paul [don't accept Peter]", ["Paul"], [], ["Peter"], []),
    ("Paul [don’t accept Peter, but accept Saul]", ["Paul", "Saul"], [], ["Peter"], []),
    ("Paul [do not accept or prompt on “Peter”]", ["Paul"], [], ["Peter"], []),
    ("Paul [do not prompt on “Peter”; reject Petra]", ["Paul"], [], ["Peter", "Petra"], []),
    ("mitosis [anti-prompt on prophase]", ["mitosis"], ["prophase"], [], []),
    ("tree [prompt on plant by asking “what kind?”]", ["tree"], ["plant"], [], []),
    ("tree [accept word forms]", ["tree"], [], [], ["accept word forms"]),
    ("tree [accept any oak]", ["tree"], [], [], ["accept any oak"]),
    ("tree [accept oak until it is read]", ["tree"], [], [], ["accept oak until it is read"]),
    ("tree [accept Oak Before Noon]", ["tree", "Oak Before Noon"], [], [], []),
    ("tree [the plant; accept oak]", ["tree", "oak"], [], [], ["the plant"]),
    ("tree [prompt]", ["tree"], [], [], ["prompt"]),
    ("tree [accept oak [or elm", ["tree", "oak", "elm"], [], [], []),
    ("[accept oak]", ["oak"], [], [], []),
    ("<b><u>oak</u></b> {tree}", ["oak tree"], [], [], []),
    ("oak [or oak; accept OAK]", ["oak", "OAK"], [], [], []),
    ("U.S. [or U.S.A.]", ["U.S.", "U.S.A."], [], [], []),
    ("Île-de-France [accept 巴黎]", ["Île-de-France", "巴黎"], [], [], []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gold", "prompts", "refusals", "notes"), LINES)
def test_what_an_answer_line_says(text, gold, prompts, refusals, notes):
    assert parse_answer_line(text) == AnswerLine(
        gold=tuple(gold), prompts=tuple(prompts), refusals=tuple(refusals), notes=tuple(notes)
    )


@pytest.mark.parametrize("text", ["", " ", "[]", "[prompt on tree]", "<b></b>", "_"])
def test_a_line_without_an_answer_is_refused(text):
    with pytest.raises(InputError, match="names no answer"):
        parse_answer_line(text)


def test_what_is_not_accepted_goes_to_meta():
    line = parse_answer_line("oak [prompt on a; prompt on b; reject c; accept word forms]")
    assert line.meta == {
        "prompt_on": "a | b",
        "do_not_accept": "c",
        "answer_notes": "accept word forms",
    }
    assert parse_answer_line("oak").meta == {}


@given(st.text(st.sampled_from('ab []();,.“”"or accept prompt on do not accept'), max_size=60))
def test_any_text_is_parsed_or_refused(text):
    try:
        line = parse_answer_line(text)
    except InputError:
        return
    assert all(name.strip() == name != "" for name in (*line.gold, *line.prompts, *line.refusals))


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=20))
def test_a_plain_name_is_itself(name):
    assert parse_answer_line(name).gold == (name,)
    assert parse_answer_line(f"{name} [prompt on x]").gold == (name,)
    assert parse_answer_line(f"other [reject {name}]").gold == ("other",)
