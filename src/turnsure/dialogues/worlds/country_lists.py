"""What the worlds of countries and of cities ask of the package ``countryinfo``.

Land borders, languages of many countries, and the package's whole entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from turnsure.dialogues.country_facts import Country, known_countries, land_borders
from turnsure.dialogues.languages import LANGUAGE_NAMES

if TYPE_CHECKING:
    from countryinfo import CountryInfo

LEAST_SPEAKING = 6
"""A language of fewer countries is not asked for: it would be nearly the answer."""


@cache
def shared_borders() -> Mapping[str, tuple[str, ...]]:
    """For each country's code the neighbours that may be asked for.

    Where one side names a border and the other does not, it is open whether there is one, and
    nothing is asked about either of the two.
    """
    named = {country.code: land_borders(country_info(country)) for country in known_countries()}
    open_ = {
        code
        for one, others in named.items()
        for other in others & named.keys()
        if one not in named[other]
        for code in (one, other)
    }
    return {
        one.code: tuple(
            other.names[0]
            for other in known_countries()
            if other.code in named[one.code] and other.code not in open_
        )
        for one in known_countries()
    }


@cache
def shared_languages() -> Mapping[str, tuple[str, ...]]:
    """For each country's code its languages that are those of enough countries."""
    spoken = {country.code: country_info(country).languages() for country in known_countries()}
    count = Counter(code for codes in spoken.values() for code in codes)
    return {
        one: tuple(LANGUAGE_NAMES[code] for code in codes if count[code] >= LEAST_SPEAKING)
        for one, codes in spoken.items()
    }


def country_info(country: Country) -> CountryInfo:
    """Everything that the package has about a country."""
    from countryinfo import CountryInfo

    return CountryInfo(country.code)
