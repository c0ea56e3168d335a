"""The guards of the secret, each by itself and all together."""

from __future__ import annotations

import pytest

from turnsure.dialogues.hinting import leaks
from turnsure.dialogues.hinting.leaks import LEAKS, find_leak
from turnsure.grading.normalise import normal


@pytest.mark.parametrize(
    ("guard", "names", "text"),
    [
        ("named", ["Peru"], "Is it Peru?"),
        ("named", ["Peru"], "Is it PERU, perhaps?"),
        ("named", ["Peru"], "Ｐｅｒｕ is it."),
        ("named", ["Côte d'Ivoire"], "It is called Cote d’Ivoire."),
        ("named", ["ice cream"], "Do people eat ice-cream?"),
        ("named", ["tiger"], "Are tigers like it?"),
        ("named", ["Germany", "Deutschland"], "Its people say Deutschland."),
        ("named", ["Mozambique"], "It sounds like Mozambigue."),
        ("named", ["France"], "Its wine is French."),
        ("named", ["Netherlands"], "The Dutch live there."),
        ("derived", ["Peru"], "Its food is Peruvian."),
        ("derived", ["Chad"], "Its people are Chadians."),
        ("derived", ["Argentina"], "Argentine beef is famous."),
        ("derived", ["lion"], "Is the female a lioness?"),
        ("derived", ["cycle"], "Is a motorcycle like it?"),
        ("names_part", ["New Zealand"], "Its people are Zealanders."),
        ("names_part", ["Eiffel Tower"], "Eiffel built it."),
        ("abbreviated", ["United Arab Emirates"], "Its short name is UAE."),
        ("abbreviated", ["United Arab Emirates"], "Its short name is U.A.E."),
        ("abbreviated", ["Democratic Republic of the Congo"], "Maps write DRC."),
        ("spelled", ["Peru"], "Is it P-e-r-u?"),
        ("spelled", ["Peru"], "It goes P, e, r and so on."),
        ("spelled", ["Peru"], "It starts with P."),
        ("spelled", ["Peru"], "Does it begin with the letter P?"),
        ("spelled", ["Peru"], "It ends in 'u'."),
        ("spelled", ["Peru"], "The first letter is the 16th."),
        ("spelled", ["Peru"], "It is four letters long."),
        ("spelled", ["Peru"], "How many letters are in its name?"),
        ("spelled", ["Peru"], "It rhymes with guru."),
        ("spelled", ["Peru"], "An anagram of it is pure."),
        ("spelled", ["Peru"], "P___"),
        ("reversed_name", ["Peru"], "Read urep from the right."),
        ("reversed_name", ["ice cream"], "maerc eci"),
        ("respelled", ["Philippines"], "A Filipino boxer is famous."),
        ("respelled", ["Spain"], "Spaniards live there."),
        ("transliterated", ["Peru"], "In Russian it is Перу."),
        ("transliterated", ["Japan"], "In Russian it is Япония."),
        ("transliterated", ["Japan"], "In Japan's neighbour: ジャパン"),
        ("transliterated", ["Mexico"], "Мексика"),
    ],
)
def test_a_leak_is_seen_by_its_guard_and_by_all_together(guard, names, text):
    assert getattr(leaks, guard)(text, names) is not None
    assert find_leak(text, names, normal) is not None


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["Peru"], "Does it border Chile and Ecuador? Yes."),
        (["Peru"], "What is its capital? Lima."),
        (["Peru"], "What do people raise there? Llamas and alpacas."),
        (["Mali"], "A small country of 20 million people."),
        (["Chad"], "Which language is spoken there? French and Arabic."),
        (["Oman"], "Roman ruins are far from it."),
        (["South Africa"], "Is it in the south of Africa? Yes."),
        (["United States", "USA"], "Do its states share one currency? Yes."),
        (["polar bear"], "Is it a bear? Yes."),
        (["ice cream"], "Is it made with cream? Yes."),
        (["New Zealand"], "Is it newer than other countries? No."),
        (["guitar"], "Does it have six strings? Yes."),
        (["Germany"], "In which hall did it begin with three delegates? Berlin."),
        (["United Arab Emirates"], "Is it a member of the UN? Yes."),
        (["rose"], "Does it have petals? Yes."),
        (["Japan"], "What do people there drink? Sake and green tea."),
    ],
)
def test_a_fair_hint_passes_every_guard(names, text):
    assert {name: leak(text, names) for name, leak in LEAKS.items() if leak(text, names)} == {}
    assert find_leak(text, names, normal) is None


def test_aliases_are_guarded_as_the_name_is():
    assert find_leak("Once it was Siam.", ["Thailand", "Siam"], normal) is not None
    assert find_leak("Once it was Siam.", ["Thailand"], normal) is None


def test_the_list_of_guards_is_whole():
    guards = {
        name
        for name, value in vars(leaks).items()
        if callable(value) and getattr(value, "__module__", "") == leaks.__name__
    }
    public = {name for name in guards if not name.startswith("_")} - {"find_leak"}
    assert {leak.__name__ for leak in LEAKS.values()} == public


def test_long_texts_end():
    """No guard may take more than its share on texts that are made to be slow."""
    for text in ("P " * 5_000, "P_" * 5_000, "letters its " * 2_000, "begins with " * 2_000):
        assert find_leak(text, ["Peru", "Republic of Peru"], normal) is None
