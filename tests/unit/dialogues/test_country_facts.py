"""The facts behind the closed world: are they true, complete and silent about the name?"""

from __future__ import annotations

import dataclasses

import pytest

from turnsure.dialogues.country_facts import (
    LEAST_POPULATION,
    MOST_NEIGHBOURS,
    Country,
    known_countries,
)
from turnsure.dialogues.worlds.country_lists import shared_borders

COUNTRIES = {country.names[0]: country for country in known_countries()}
CONTINENTS = {"Africa", "Americas", "Asia", "Europe", "Oceania"}

# From general knowledge, so that nonsense in the facts is seen: continent, capital, language,
# demonym, and one neighbour (None for a country without land borders).
WELL_KNOWN = {
    "Argentina": ("Americas", "Buenos Aires", "Spanish", "Argentinean", "Chile"),
    "Australia": ("Oceania", "Canberra", "English", "Australian", None),
    "Brazil": ("Americas", "Brasília", "Portuguese", "Brazilian", "Peru"),
    "Canada": ("Americas", "Ottawa", "English", "Canadian", "United States"),
    "China": ("Asia", "Beijing", "Chinese", "Chinese", "India"),
    "Cuba": ("Americas", "Havana", "Spanish", "Cuban", None),
    "Egypt": ("Africa", "Cairo", "Arabic", "Egyptian", "Libya"),
    "Ethiopia": ("Africa", "Addis Ababa", "Amharic", "Ethiopian", "Kenya"),
    "France": ("Europe", "Paris", "French", "French", "Spain"),
    "Germany": ("Europe", "Berlin", "German", "German", "Poland"),
    "India": ("Asia", "New Delhi", "Hindi", "Indian", "Pakistan"),
    "Italy": ("Europe", "Rome", "Italian", "Italian", "France"),
    "Japan": ("Asia", "Tokyo", "Japanese", "Japanese", None),
    "Mexico": ("Americas", "Mexico City", "Spanish", "Mexican", "Guatemala"),
    "New Zealand": ("Oceania", "Wellington", "English", "New Zealander", None),
    "Nigeria": ("Africa", "Abuja", "English", "Nigerian", "Niger"),
    "Poland": ("Europe", "Warsaw", "Polish", "Polish", "Ukraine"),
    "Turkey": ("Asia", "Ankara", "Turkish", "Turkish", "Greece"),
    "United Kingdom": ("Europe", "London", "English", "British", "Ireland"),
    "Vietnam": ("Asia", "Hanoi", "Vietnamese", "Vietnamese", "Laos"),
}


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_facts_about_well_known_countries(name):
    country = COUNTRIES[name]
    continent, capital, language, demonym, neighbour = WELL_KNOWN[name]
    assert (country.continent, country.capital) == (continent, capital)
    assert (country.language, country.demonym) == (language, demonym)
    assert neighbour in country.neighbours if neighbour else not country.neighbours


@pytest.mark.parametrize(
    "entry",
    [
        *("Hong Kong", "Puerto Rico", "Scotland", "Wales", "Serbia and Montenegro", "Burma"),
        *("Antilles néerlandaises", "Republic of the Congo", "Luxembourg", "Vatican City State"),
    ],
)
def test_parts_doubles_former_and_small_countries_are_left_out(entry):
    assert entry not in COUNTRIES


def test_the_world_is_large_enough_for_a_curve():
    assert len(COUNTRIES) > 120


def test_every_country_has_all_facts():
    for country in COUNTRIES.values():
        assert country.continent in CONTINENTS, country
        assert country.population >= LEAST_POPULATION, country
        assert all((country.capital, country.language, country.demonym)), country
        assert len(country.neighbours) <= MOST_NEIGHBOURS, country


def test_names_are_tidy():
    for country in COUNTRIES.values():
        assert all(name == name.strip() and len(name) > 1 for name in country.names), country
        assert not {country.demonym, country.language} & set(country.names), country


def test_no_neighbour_gives_the_name_away():
    for country in COUNTRIES.values():
        assert not any(country.is_named_in(name) for name in country.neighbours), country


def test_a_name_belongs_to_one_country_and_stands_there_once():
    names = [name for country in COUNTRIES.values() for name in country.names]
    assert len(set(names)) == len(names)


def test_neighbours_name_each_other():
    for name, country in COUNTRIES.items():
        for other in country.neighbours:
            if other in COUNTRIES and len(COUNTRIES[other].neighbours) < MOST_NEIGHBOURS:
                told = COUNTRIES[other].neighbours
                assert name in told or COUNTRIES[other].is_named_in(name)


@pytest.mark.parametrize(
    ("name", "also"),
    [
        ("United States", {"USA", "US", "United States of America"}),
        ("United Kingdom", {"UK", "Great Britain"}),
        ("United Arab Emirates", {"UAE"}),
        ("Myanmar", {"Burma"}),
        ("Republic of Macedonia", {"Macedonia", "North Macedonia"}),
        ("Netherlands", {"Holland"}),
        ("Democratic Republic of the Congo", {"DR Congo", "DRC"}),
        ("Swaziland", {"Eswatini"}),
    ],
)
def test_other_names_are_accepted(name, also):
    assert also <= set(COUNTRIES[name].names)


@pytest.mark.parametrize(("name", "never"), [("Thailand", "Thai"), ("Togo", "Togolese")])
def test_the_name_of_the_people_is_no_name_of_the_country(name, never):
    assert never not in COUNTRIES[name].names


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Mexico City", True),
        ("in MEXICO.", True),
        ("The United Mexican States", True),
        ("They are Mexican.", False),
        ("New Mexicos", False),
    ],
)
def test_a_name_counts_as_whole_words_in_any_case(text, named):
    assert COUNTRIES["Mexico"].is_named_in(text) is named


def test_a_name_with_signs_is_taken_literally():
    country = dataclasses.replace(COUNTRIES["Peru"], names=("A.B (C)",))
    assert isinstance(country, Country)
    assert country.is_named_in("in a.b (c)")
    assert not country.is_named_in("in axb (c)")


def test_a_strait_is_no_land_border():
    assert COUNTRIES["Sri Lanka"].neighbours == ()
    assert "Sri Lanka" not in COUNTRIES["India"].neighbours
    assert shared_borders()["LKA"] == ()
    assert "Sri Lanka" not in shared_borders()["IND"]
