"""Words as the controls compare them."""

from __future__ import annotations

import pytest

from turnsure.dialogues.english import (
    accepted_names,
    forms,
    names_any,
    plain,
    related,
    same_name,
    tokens,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Peru's 3 well-known lakes", ["Peru's", "3", "well", "known", "lakes"]),
        ("1,000 or 1'000 or 1 000 000", ["1,000", "1'000", "1 000 000"]),
        ("in 2010 300 people", ["2010", "300"]),
        ("1.000.000 and 3.25", ["1.000.000", "3.25"]),
        ("the 19th, the 1990s", ["19th", "1990s"]),
        ("H2O, J.K. and T.G.I.F.", ["H2O", "J.K.", "T.G.I.F."]),
    ],
)
def test_words_and_numbers(text, words):
    read = [token.text for token in tokens(text)]
    assert [word for word in read if word in words] == words
    assert "".join(read).count("1") == "".join(words).count("1")


def test_numbers_are_read_without_their_marks():
    assert [forms for token in tokens("1,000 1 234 567 19th 2.5") for forms in token.forms] == [
        "1000",
        "1234567",
        "19",
        "2.5",
    ]


@pytest.mark.parametrize(
    ("text", "starting"),
    [
        ("It is. They go! Why? So", ["It", "They", "Why", "So"]),
        ('He said: "Go on"', ["He", "Go"]),
        ("Mr. Smith of St. Louis", ["Mr"]),
        ("J. K. Rowling wrote", ["J"]),
    ],
)
def test_which_words_start(text, starting):
    assert [token.text for token in tokens(text) if token.starts] == starting


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lakes", "lake"),
        ("boxes", "box"),
        ("heroes", "hero"),
        ("countries", "country"),
        ("Peru's", "PERU"),
        ("Peru’s", "peru"),
        ("players'", "player"),
        ("Café", "cafe"),
        ("cafe\u0301", "café"),
        ("ﬁsh", "fish"),
        ("French", "France"),
        ("Poles", "pole"),
    ],
)
def test_spellings_of_one_word(one, other):
    [left], [right] = tokens(one), tokens(other)
    assert left.forms & right.forms


@pytest.mark.parametrize(("one", "other"), [("bus", "bu"), ("glass", "glas"), ("is", "i")])
def test_an_s_that_is_no_plural(one, other):
    assert not forms(one) & forms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("coast", "coastal"), ("sing", "singer"), ("music", "musicians"), ("fur", "furry")],
)
def test_one_stem(one, other):
    assert related(one, other)
    assert related(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("austria", "australia"), ("cat", "car"), ("plant", "plane"), ("a", "an")]
)
def test_other_stems(one, other):
    assert not related(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("asia", "asian"), ("italy", "italians"), ("canada", "canadian"), ("thailand", "thai")],
)
def test_names_of_one_origin(one, other):
    assert same_name(one, other)
    assert same_name(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("austria", "australian"),
        ("niger", "nigeria"),
        ("iran", "iraq"),
        ("roman", "romania"),
        ("is", "island"),
    ],
)
def test_names_of_other_origin(one, other):
    assert not same_name(one, other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("  The Rock's “Café”! ", "the rocks cafe"),
        ("U.S.A.", "america"),
        ("ein ©-Zeichen", "ein © zeichen"),
        ("हिन्दी", "हिन्दी"),
        ("…", ""),
    ],
)
def test_plain_words(text, expected):
    assert plain(text) == expected


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("Nepal", "NEPAL’s capital"),
        ("penguin", "two penguins"),
        ("Spider-Man", "it is Spiderman"),
        ("Spiderman", "it is spider man"),
        ("Benz (accept Daimler-Benz)", "a benz"),
        ("Curaçao", "on Curacao"),
        ("United States", "the U.S."),
        ("1984", "in 1984"),
        ("Nepal", "N e p a l"),
    ],
)
def test_an_accepted_answer_is_seen(gold, text):
    assert names_any(text, accepted_names([gold], plain), plain) == (gold,)


@pytest.mark.parametrize(
    ("gold", "text"), [("Niger", "Nigeria"), ("York", "Yorkshire"), ("ant", "want"), ("…", "…")]
)
def test_a_part_of_a_word_is_no_answer(gold, text):
    assert names_any(text, accepted_names([gold], plain), plain) == ()
