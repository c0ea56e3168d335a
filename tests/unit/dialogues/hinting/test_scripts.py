"""Words in other scripts."""

from __future__ import annotations

import pytest

from turnsure.dialogues.hinting.scripts import foreign_words, romanised, scripts_in, skeleton

NONE = frozenset[str]()


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Philippines", "Филиппины"),
        ("Mexico", "Мексика"),
        ("Japan", "ジャパン"),
        ("Peru", "Перу"),
        ("Quito", "Kito"),
    ],
)
def test_spellings_of_one_name_begin_with_the_same_consonants(left, right):
    ours, theirs = skeleton(left), skeleton(right)
    assert min(len(ours), len(theirs)) >= 2
    assert ours.startswith(theirs) or theirs.startswith(ours)


def test_a_skeleton_keeps_different_names_apart():
    names = ["Peru", "Chile", "Brazil", "Japan", "Kenya", "France", "Poland", "Norway"]
    assert len({skeleton(name) for name in names}) == len(names)


def test_romanised():
    assert romanised("Ελλάδα") == "Ellada"
    assert romanised("Ｐｅｒｕ") == "Peru"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Plain words, naïve café Ｗｉｄｅ.", ()),
        ("Written 日本 there.", ("日本",)),
        ("Mixed Реru word", ("Реru",)),
        ("π and µ are letters, not words", ()),
        ("भारत and مصر", ("भारत", "مصر")),
    ],
)
def test_foreign_words(text, found):
    assert foreign_words(text, known=NONE) == found


def test_a_known_script_is_not_foreign_but_a_mixture_is():
    known = scripts_in(["Москва"])
    assert known == {"CYRILLIC"}
    assert foreign_words("река Волга", known=known) == ()
    assert foreign_words("Mоcква", known=known) == ("Mоcква",)
