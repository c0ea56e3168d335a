"""The worlds of countries: their facts are those of the package, coarse but true."""

from __future__ import annotations

import pytest
from countryinfo import CountryInfo

from turnsure.dialogues.country_facts import known_countries
from turnsure.dialogues.worlds.of_countries import countries_gain, countries_yes_no

GAIN, YES_NO = countries_gain.build(), countries_yes_no.build()


def values(world, name):
    [entity] = [one for one in world.entities if one.names[0] == name]
    return entity.values


def test_facts_of_one_country_as_an_atlas_has_them():
    france = values(GAIN, "France")
    assert france["continent"] == "Europe"
    assert france["population"] == "more than 60 million"
    assert france["area"] == "between 300 and 1,000 thousand square kilometres"
    assert france["land border"] is True
    assert set(france["neighbours"]) >= {"Spain", "Italy", "Germany", "Belgium", "Switzerland"}
    assert france["languages"] == ("French",)
    assert (france["capital"], france["demonym"]) == ("P", "otherwise")
    assert values(GAIN, "Japan")["land border"] is False
    assert values(GAIN, "Bolivia")["demonym"] == "in -ian"
    assert values(GAIN, "Brazil")["continent"] == "the Americas"


def test_both_worlds_hold_the_same_countries():
    names = [country.names for country in known_countries()]
    assert [one.names for one in GAIN.entities] == names
    assert [one.names for one in YES_NO.entities] == names


def test_borders_are_named_by_both_sides_and_open_ones_are_not_asked_for():
    borders = {one.names[0]: set(one.values["neighbours"]) for one in GAIN.entities}
    asked = set().union(*borders.values())
    info = {country.names[0]: CountryInfo(country.code) for country in known_countries()}
    for name, others in borders.items():
        for other in others:
            assert info[other].iso(3) in info[name].borders()
        for other in asked - others:  # "no border" is said only where neither side names one
            assert info[other].iso(3) not in info[name].borders()
            assert info[name].iso(3) not in info[other].borders()
    # Iraq names Kuwait and Kuwait does not name Iraq.
    assert not asked & {"Iraq", "Kuwait"}
    assert len(asked) > 80


def test_the_answers_of_the_yes_no_world_are_those_of_the_package():
    for entity, country in zip(YES_NO.entities, known_countries(), strict=True):
        for edge in (5, 20, 60):
            above = country.population > edge * 1_000_000
            assert entity.values[f"population above {edge}"] is above
        for edge in (30, 100, 300, 1000):
            larger = CountryInfo(country.code).area() > edge * 1000
            assert entity.values[f"area above {edge}"] is larger
        continents = [
            name for name, value in entity.values.items() if name.startswith("in ") and value
        ]
        assert [one.removeprefix("in ").removeprefix("the ") for one in continents] == [
            country.continent
        ]
        letters = [
            name for name, value in entity.values.items() if name.startswith("capital") and value
        ]
        assert letters == [f"capital in {country.capital[0]}"]


def test_questions_of_the_yes_no_world_have_two_answers():
    for question in YES_NO.questions():
        assert [answer.said for answer in question.answers] == ["yes", "no"]
        assert question.text.endswith("?")


@pytest.mark.parametrize("world", [GAIN, YES_NO], ids=["gain", "yes-no"])
def test_wordings_have_no_open_slots(world):
    for question in world.questions():
        for text in (question.text, *(one.statement for one in question.answers)):
            assert "{" not in text
            assert text == text.strip()
            assert text[0].isupper()


def test_countries_with_one_language_family_are_told_apart_by_many_facts():
    english = [one for one in GAIN.entities if "English" in one.values["languages"]]
    assert len(english) == 35
    languages = {item for one in GAIN.entities for item in one.values["languages"]}
    assert languages == {"English", "French", "Arabic", "Spanish", "Russian", "Portuguese"}
