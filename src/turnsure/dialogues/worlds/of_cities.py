"""The built-in world of cities, whose questions are chosen by information gain.

Facts come from the packages ``tzdata`` and ``countryinfo`` when dialogues are made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from turnsure.dialogues.worlds.city_facts import CLOCK_YEAR, City, known_cities
from turnsure.dialogues.worlds.country_lists import shared_borders, shared_languages
from turnsure.dialogues.worlds.facts import Fact, ListFact, Value, ValueFact, YesNoFact
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.source import WorldSource
from turnsure.dialogues.worlds.world import Entity, World

TASK = (
    "Name the city that the clues describe. If you are not sure, give your best guess. Keep the "
    "answer short."
)

CLOSING = "Now name the city."

LATITUDES = (-30, -15, 0, 15, 35, 45)
LONGITUDES = (-100, -75, -50, -10, 20, 40, 70, 110)
"""Edges of the bands, in degrees; no city lies within a quarter of a degree of one."""

ASKED_COUNTRIES = (
    *("Algeria", "Argentina", "Democratic Republic of the Congo", "Germany", "Hungary"),
    *("Kazakhstan", "Mali", "Russia", "Saudi Arabia", "South Africa", "Tanzania", "Turkey"),
    *("Ukraine", "United States"),
)
"""Countries whose neighbours are asked for: many, and all of them beyond doubt."""

ASKED_LANGUAGES = ("Arabic", "Portuguese", "Spanish")
"""Of many countries, and, other than English and French, nowhere half official."""

_WITH_ARTICLE = frozenset({"Democratic Republic of the Congo", "United States"})

_FACTS: tuple[Fact, ...] = (
    ValueFact(
        name="region",
        question="In which region do the United Nations place its country?",
        statement="The United Nations place its country in {value}.",
    ),
    ValueFact(
        name="country",
        question="In which country does it lie?",
        statement="It lies in {value}.",
    ),
    YesNoFact(
        name="capital",
        question="Is it the capital of its country?",
        if_yes="It is the capital of its country.",
        if_no="It is not the capital of its country.",
    ),
    ListFact(
        name="neighbours",
        question="Is its country {item}, or one that has a land border with {item}?",
        if_yes="Its country is {item}, or one that has a land border with {item}.",
        if_no="Its country is neither {item} nor one that has a land border with {item}.",
    ),
    ListFact(
        name="languages",
        question="Is {item} an official language of its country, by law or in practice?",
        if_yes="{item} is an official language of its country, by law or in practice.",
        if_no="{item} is no official language of its country, neither by law nor in practice.",
    ),
    ValueFact(
        name="latitude",
        question="At which latitude does it lie?",
        statement="It lies {value}.",
    ),
    ValueFact(
        name="longitude",
        question="At which longitude does it lie?",
        statement="It lies {value}.",
    ),
    ValueFact(
        name="clocks",
        question=f"How far were its clocks ahead of UTC or behind it in January {CLOCK_YEAR}?",
        statement=f"In January {CLOCK_YEAR} its clocks were {{value}}.",
    ),
    YesNoFact(
        name="changes",
        question=f"Were its clocks put forward or back in the course of {CLOCK_YEAR}?",
        if_yes=f"Its clocks were put forward or back in the course of {CLOCK_YEAR}.",
        if_no=f"Its clocks were neither put forward nor back in the course of {CLOCK_YEAR}.",
    ),
    ValueFact(
        name="first letter",
        question="With which letter does its usual English name begin?",
        statement="Its usual English name begins with {value}.",
    ),
    ValueFact(
        name="last letter",
        question="With which letter does its usual English name end?",
        statement="Its usual English name ends with {value}.",
    ),
)


def _world() -> World:
    return World(
        name="cities",
        task=TASK,
        closing=CLOSING,
        facts=_FACTS,
        entities=tuple(
            Entity(names=city.names, values=_values(city), meta={"region": city.region})
            for city in known_cities()
        ),
        least_fitting=2,
        settings=WorldSettings(style="questions", min_turns=3),
    )


def _values(city: City) -> Mapping[str, Value]:
    country = city.country
    near = {country.names[0], *shared_borders()[country.code]}
    return {
        "region": city.region,
        "country": _with_article(country.names[0]),
        "capital": city.is_capital,
        "neighbours": tuple(_with_article(name) for name in ASKED_COUNTRIES if name in near),
        "languages": tuple(
            name for name in ASKED_LANGUAGES if name in shared_languages()[country.code]
        ),
        "latitude": _band(city.latitude, LATITUDES, ("south", "north")),
        "longitude": _band(city.longitude, LONGITUDES, ("west", "east")),
        "clocks": _offset(city.minutes),
        "changes": city.is_changed,
        "first letter": city.names[0][0].upper(),
        "last letter": city.names[0][-1].upper(),
    }


def _with_article(country: str) -> str:
    return f"the {country}" if country in _WITH_ARTICLE else country


def _band(degrees: float, edges: Sequence[int], sides: tuple[str, str]) -> str:
    """Between which two edges a coordinate lies; ``sides`` of zero, that of negative ones first."""
    below = [edge for edge in edges if edge < degrees]
    above = [edge for edge in edges if edge > degrees]
    if not below or not above:
        return f"more than {_edge(above[0] if above else below[-1])} {sides[bool(below)]}"
    low, high = below[-1], above[0]
    if low < 0 < high:
        return f"between {_edge(low)} {sides[0]} and {_edge(high)} {sides[1]}"
    near, far = sorted((low, high), key=abs)
    return f"between {_edge(near)} and {_edge(far)} {sides[high > 0]}"


def _edge(degrees: int) -> str:
    return f"{abs(degrees)}°" if degrees else "the equator"


def _offset(minutes: int) -> str:
    """``5 hours and 30 minutes ahead of UTC``."""
    if minutes == 0:
        return "level with UTC"
    hours, rest = divmod(abs(minutes), 60)
    parts = [_counted(hours, "hour"), _counted(rest, "minute")]
    long = " and ".join(part for part in parts if part)
    return f"{long} {'ahead of' if minutes > 0 else 'behind'} UTC"


def _counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}" if number else ""


cities = WorldSource(build=_world)
"""Clues from vague to telling, each of them true of two cities or more."""
