"""Facts about cities, as the packages ``tzdata`` and ``countryinfo`` have them.

``tzdata`` holds the tz database: for each time zone the coordinates of its principal place, and how
its clocks were set.  It is read from the package, never from the computer, which may have another
version; and clocks are those of a year that is over, which newer versions leave as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib.resources import files
from zoneinfo import ZoneInfo

from turnsure.core.errors import InputError
from turnsure.dialogues.country_facts import Country, known_countries
from turnsure.dialogues.worlds.city_names import CITY_NAMES
from turnsure.dialogues.worlds.country_lists import country_info

CLOCK_YEAR = 2024
"""The year, a leap year, whose clocks are told."""

_PACKAGE = "tzdata.zoneinfo"
_COORDINATES = re.compile(r"([+-])(\d{2})(\d{2})(\d{2})?([+-])(\d{3})(\d{2})(\d{2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class City:
    """One city with every fact that a clue is made of.

    Attributes
    ----------
    names
        Accepted names, the usual English one first, without accents.
    country
        Where it lies.
    region
        Of the country, by the statistical scheme of the United Nations (M49).
    is_capital
        Of the country.
    latitude
        Degrees, positive to the north.
    longitude
        Degrees, positive to the east of Greenwich.
    minutes
        How far its clocks were ahead of UTC in the middle of January of :data:`CLOCK_YEAR`.
    is_changed
        Whether its clocks were put forward or back in that year.
    """

    names: tuple[str, ...]
    country: Country
    region: str
    is_capital: bool
    latitude: float
    longitude: float
    minutes: int
    is_changed: bool


@cache
def known_cities() -> tuple[City, ...]:
    """The cities of the closed world, ordered by the names of their time zones.

    Raises
    ------
    InputError
        The installed packages lack a city's zone or its country: the world would be another one.
    """
    countries = {country_info(country).iso(2): country for country in known_countries()}
    places = _places()
    return tuple(_city(zone, places, countries) for zone in CITY_NAMES)


def _city(
    zone: str, places: Mapping[str, tuple[str, str]], countries: Mapping[str, Country]
) -> City:
    names = CITY_NAMES[zone]
    code, coordinates = places.get(zone, ("", ""))
    country = countries.get(code)
    region = None if country is None else country_info(country).subregion()
    if country is None or region is None:
        raise InputError(
            f"the installed packages tzdata and countryinfo lack facts about {names[0]}",
            field="data",
            expected="the versions of both that turnsure pins, or some near them",
        )
    latitude, longitude = _degrees(coordinates)
    minutes, is_changed = _clocks(zone)
    return City(
        names=names,
        country=country,
        region=region,
        is_capital=country.capital in names,
        latitude=latitude,
        longitude=longitude,
        minutes=minutes,
        is_changed=is_changed,
    )


def _places() -> dict[str, tuple[str, str]]:
    """For each zone the country's ISO 3166-1 alpha-2 code, and coordinates as they are written."""
    text = (files(_PACKAGE) / "zone.tab").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {zone: (code, coordinates) for code, coordinates, zone, *_ in rows}


def _degrees(written: str) -> tuple[float, float]:
    """Latitude and longitude from ISO 6709 without a point: ``+5130-00007``, or with seconds."""
    found = _COORDINATES.fullmatch(written)
    if found is None:
        raise InputError(
            f"{written!r} is no place", file="zone.tab", expected="ISO 6709, such as +5130-00007"
        )
    north, *northern, east, d, m, s = found.groups(default="0")
    return _signed(north, *northern), _signed(east, d, m, s)


def _signed(sign: str, degrees: str, minutes: str, seconds: str) -> float:
    return float(f"{sign}1") * (int(degrees) + int(minutes) / 60 + int(seconds) / 3600)


def _clocks(zone: str) -> tuple[int, bool]:
    """Minutes ahead of UTC in the middle of January, and whether that changed within the year."""
    with files(_PACKAGE).joinpath(*zone.split("/")).open("rb") as file:
        rules = ZoneInfo.from_file(file)
    start = datetime(CLOCK_YEAR, 1, 1, tzinfo=rules)
    offsets = [(start + timedelta(days=day)).utcoffset() for day in range(366)]
    ahead = offsets[14] or timedelta()
    return ahead // timedelta(minutes=1), len(set(offsets)) > 1
