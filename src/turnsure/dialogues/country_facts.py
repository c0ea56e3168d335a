"""Facts about countries, as the ``countryinfo`` package has them, cleaned by rules."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from turnsure.dialogues.languages import LANGUAGE_NAMES

if TYPE_CHECKING:
    from countryinfo import CountryInfo

LEAST_POPULATION = 1_000_000
MOST_NEIGHBOURS = 4

NO_BORDERS = (frozenset({"IND", "LKA"}),)
"""Pairs for which the package names a land border on both sides though there is only sea."""

_SMALL_WORDS = frozenset({"and", "of", "the"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Country:
    """One country with every fact that a clue is made of.

    Attributes
    ----------
    code
        ISO 3166-1 alpha-3.
    names
        Accepted names, the common one first.
    continent
        Africa, Americas, Asia, Europe or Oceania.
    population
        As the package has it, mostly of the years 2013 to 2015.
    neighbours
        Up to four countries with a land border, the most populous first; empty when there is none.
    language
        The one that the facts name first.
    capital
        Seat of government.
    demonym
        What its people are called.
    """

    code: str
    names: tuple[str, ...]
    continent: str
    population: int
    neighbours: tuple[str, ...]
    language: str
    capital: str
    demonym: str

    def is_named_in(self, text: str) -> bool:
        """Whether any of its names stands in ``text`` as whole words, whatever the case."""
        return any(_contains_name(text, name) for name in self.names)


@cache
def known_countries() -> tuple[Country, ...]:
    """The countries of the closed world, ordered by code.

    An entry of ``countryinfo`` counts as a country of this world when all of this holds:

    - it has the three ISO 3166-1 codes, and its alpha-3 code leads back to it;
    - it has a million inhabitants or more, and none of the facts is missing;
    - it has a land border that the entry on the other side has too or, when it names no border,
      a currency of its own (the currency's code begins with the country's alpha-2 code);
    - no more populous entry has the same demonym.

    Only borders that both sides name are used.
    """
    from countryinfo import all_countries

    entries = {entry.name(): entry for entry in all_countries() if _is_its_own(entry)}
    largest: dict[str, str] = {}
    for entry in sorted(entries.values(), key=lambda entry: entry.population() or 0):
        largest[entry.demonym() or ""] = entry.name()
    countries = [
        country
        for entry in entries.values()
        if largest[entry.demonym() or ""] == entry.name()
        and (country := _country(entry)) is not None
    ]
    return tuple(sorted(countries, key=lambda country: country.code))


def _is_its_own(entry: CountryInfo) -> bool:
    from countryinfo import CountryInfo

    codes = entry.iso()
    if not all(codes.get(kind) for kind in ("alpha2", "alpha3", "numeric")):
        return False
    return CountryInfo(codes["alpha3"]).name() == entry.name()


def _country(entry: CountryInfo) -> Country | None:
    """Read an entry, or None when it is no country of this world."""
    continent, population = entry.region(), entry.population()
    capital, demonym = entry.capital(), entry.demonym()
    language = next(iter(entry.languages()), "")
    if not (continent and population and capital and demonym):
        return None
    if population < LEAST_POPULATION or language not in LANGUAGE_NAMES:
        return None
    neighbours = _neighbours(entry)
    if not neighbours and (land_borders(entry) or not _has_own_currency(entry)):
        return None
    demonyms = [part.strip() for part in re.split("[,/]", demonym)]
    names = _names(entry, no_names={*demonyms, LANGUAGE_NAMES[language]})
    return Country(
        code=entry.iso(3),
        names=names,
        continent=continent,
        population=population,
        neighbours=tuple(
            neighbour
            for neighbour in neighbours
            if not any(_contains_name(neighbour, name) for name in names)
        )[:MOST_NEIGHBOURS],
        language=LANGUAGE_NAMES[language],
        capital=capital,
        demonym=" or ".join(demonyms),
    )


def land_borders(entry: CountryInfo) -> frozenset[str]:
    """Codes on the other side of the borders that an entry names, less those that are none."""
    code = entry.iso(3)
    return frozenset(
        other for other in entry.borders() if frozenset({code, other}) not in NO_BORDERS
    )


def _neighbours(entry: CountryInfo) -> list[str]:
    """Names on the other side of the borders that both sides name, the most populous first."""
    named = land_borders(entry)
    mutual = [
        other
        for other in entry.neighbors()
        if other.iso(3) in named and entry.iso(3) in land_borders(other)
    ]
    mutual.sort(key=lambda other: (-(other.population() or 0), other.name()))
    return [_without_brackets(other.name()) for other in mutual]


def _has_own_currency(entry: CountryInfo) -> bool:
    return any(currency.startswith(entry.iso(2)) for currency in entry.currencies())


def _names(entry: CountryInfo, *, no_names: set[str]) -> tuple[str, ...]:
    """The common name and other spellings, without codes and without the names of its people."""
    common = _without_brackets(entry.name())
    spellings = [common.removeprefix("Republic of "), *entry.alt_spellings(), *_doubles(entry)]
    spellings = [spelling.strip() for spelling in spellings]
    full = [spelling for spelling in spellings if len(spelling) > 3]
    initials = {_initials(name) for name in (common, *full)}
    short = [spelling for spelling in spellings if 2 <= len(spelling) <= 3]
    kept = [*full, *(spelling for spelling in short if spelling in initials)]
    return tuple(dict.fromkeys([common, *(name for name in kept if name not in no_names)]))


def _doubles(entry: CountryInfo) -> Iterable[str]:
    """Names of other entries that say of themselves that they are this country."""
    from countryinfo import all_countries

    for other in all_countries():
        if other.iso(3) == entry.iso(3) and entry.name() in other.alt_spellings():
            yield _without_brackets(other.name())


def _initials(name: str) -> str:
    """``UAE`` for United Arab Emirates; empty for one word."""
    words = [word for word in name.split() if word.lower() not in _SMALL_WORDS]
    return "".join(word[0].upper() for word in words) if len(words) > 1 else ""


def _without_brackets(name: str) -> str:
    return name.partition(" (")[0]


def _contains_name(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None
