"""The built-in worlds of countries whose questions are chosen by information gain.

Facts come from the package ``countryinfo`` when dialogues are made; nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from turnsure.dialogues.countries import CLOSING, TASK
from turnsure.dialogues.country_facts import Country, known_countries
from turnsure.dialogues.worlds.country_lists import (
    country_info,
    shared_borders,
    shared_languages,
)
from turnsure.dialogues.worlds.facts import Fact, ListFact, Value, ValueFact, YesNoFact
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.source import WorldSource
from turnsure.dialogues.worlds.world import Entity, World

_POPULATION = (5, 20, 60)
"""Edges of the bands, in millions of people."""

_AREA = (30, 100, 300, 1000)
"""Edges of the bands, in thousands of square kilometres."""

_ENDINGS = ("ese", "ish", "ian", "an", "i")

_Derived: TypeAlias = tuple[YesNoFact, Callable[[Country], bool]]

_BORDER = ListFact(
    name="neighbours",
    question="Does it have a land border with {item}?",
    if_yes="It has a land border with {item}.",
    if_no="It has no land border with {item}.",
)
_LANGUAGE = ListFact(
    name="languages",
    question="Is {item} one of its main languages?",
    if_yes="{item} is one of its main languages.",
    if_no="{item} is none of its main languages.",
)
_LAND_BORDER = YesNoFact(
    name="land border",
    question="Does it have a land border with any country?",
    if_yes="It has a land border.",
    if_no="It has no land border.",
)


def _gain_world() -> World:
    """Facts coarse enough that none of them is true of one country only."""
    facts: tuple[Fact, ...] = (
        ValueFact(
            name="continent",
            question="On which continent does it lie?",
            statement="It lies in {value}.",
        ),
        ValueFact(
            name="population",
            question="How many people live there?",
            statement="The number of people who live there is {value}.",
        ),
        ValueFact(
            name="area",
            question="How large is its area?",
            statement="Its area is {value}.",
        ),
        _LAND_BORDER,
        _BORDER,
        _LANGUAGE,
        ValueFact(
            name="capital",
            question="With which letter does the name of its capital city begin?",
            statement="The name of its capital city begins with {value}.",
        ),
        ValueFact(
            name="demonym",
            question="How does the English word for its people end?",
            statement="The English word for its people ends {value}.",
        ),
    )
    return _world("countries-gain", facts, _gain_values, WorldSettings(min_turns=3))


def _gain_values(country: Country) -> Mapping[str, Value]:
    return {
        "continent": _continent(country),
        "population": _band(_millions(country), _POPULATION, "million"),
        "area": _band(_area(country), _AREA, "thousand square kilometres"),
        "land border": _has_border(country),
        "neighbours": shared_borders()[country.code],
        "languages": shared_languages()[country.code],
        "capital": country.capital[0],
        "demonym": _ending(country),
    }


def _yes_no_world() -> World:
    """The same facts as questions that are answered by yes or no."""
    derived = [*_in_continents(), *_above_edges(), *_capital_letters()]

    def values(country: Country) -> Mapping[str, Value]:
        return {
            "land border": _has_border(country),
            "neighbours": shared_borders()[country.code],
            "languages": shared_languages()[country.code],
            **{fact.name: holds(country) for fact, holds in derived},
        }

    facts = (_LAND_BORDER, _BORDER, _LANGUAGE, *(fact for fact, _ in derived))
    settings = WorldSettings(style="questions", min_turns=5, max_turns=14)
    return _world("countries-yes-no", facts, values, settings)


def _in_continents() -> Iterator[_Derived]:
    for name in sorted({_continent(country) for country in known_countries()}):
        fact = YesNoFact(
            name=f"in {name}",
            question=f"Does it lie in {name}?",
            if_yes=f"It lies in {name}.",
            if_no=f"It does not lie in {name}.",
        )
        yield fact, partial(_lies_in, name)


def _above_edges() -> Iterator[_Derived]:
    for edge in _POPULATION:
        fact = YesNoFact(
            name=f"population above {edge}",
            question=f"Do more than {edge} million people live there?",
            if_yes=f"More than {edge} million people live there.",
            if_no=f"At most {edge} million people live there.",
        )
        yield fact, partial(_has_more_people, edge)
    for edge in _AREA:
        size = f"larger than {edge:,},000 square kilometres"
        fact = YesNoFact(
            name=f"area above {edge}",
            question=f"Is its area {size}?",
            if_yes=f"Its area is {size}.",
            if_no=f"Its area is not {size}.",
        )
        yield fact, partial(_is_larger, edge)


def _capital_letters() -> Iterator[_Derived]:
    for letter in sorted({country.capital[0] for country in known_countries()}):
        fact = YesNoFact(
            name=f"capital in {letter}",
            question=f"Does the name of its capital city begin with {letter}?",
            if_yes=f"The name of its capital city begins with {letter}.",
            if_no=f"The name of its capital city does not begin with {letter}.",
        )
        yield fact, partial(_has_capital_in, letter)


def _world(
    name: str,
    facts: tuple[Fact, ...],
    values: Callable[[Country], Mapping[str, Value]],
    settings: WorldSettings,
) -> World:
    return World(
        name=name,
        task=TASK,
        closing=CLOSING,
        facts=facts,
        entities=tuple(
            Entity(
                names=country.names,
                values=values(country),
                meta={"continent": country.continent},
            )
            for country in known_countries()
        ),
        least_fitting=2,
        settings=settings,
    )


def _lies_in(continent: str, country: Country) -> bool:
    return _continent(country) == continent


def _has_more_people(millions: int, country: Country) -> bool:
    return _millions(country) > millions


def _is_larger(edge: int, country: Country) -> bool:
    return _area(country) > edge


def _has_capital_in(letter: str, country: Country) -> bool:
    return country.capital.startswith(letter)


def _continent(country: Country) -> str:
    return "the Americas" if country.continent == "Americas" else country.continent


def _millions(country: Country) -> float:
    return country.population / 1_000_000


def _area(country: Country) -> float:
    """Thousands of square kilometres."""
    return (country_info(country).area() or 0) / 1000


def _band(number: float, edges: Sequence[int], unit: str) -> str:
    """Between which two edges a number lies; the upper one is included."""
    above = [edge for edge in edges if number > edge]
    if not above:
        return f"at most {edges[0]:,} {unit}"
    if len(above) == len(edges):
        return f"more than {edges[-1]:,} {unit}"
    return f"between {above[-1]:,} and {edges[len(above)]:,} {unit}"


def _ending(country: Country) -> str:
    ending = next((one for one in _ENDINGS if country.demonym.endswith(one)), None)
    return "otherwise" if ending is None else f"in -{ending}"


def _has_border(country: Country) -> bool:
    return bool(country_info(country).borders())


countries_gain = WorldSource(build=_gain_world)
"""Clues from vague to telling, each of them true of two countries or more."""

countries_yes_no = WorldSource(build=_yes_no_world)
"""Questions that are answered by yes or no."""
