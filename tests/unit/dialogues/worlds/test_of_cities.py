"""The world of cities: are its facts true, the same everywhere, and enough to tell cities apart?"""

from __future__ import annotations

import collections
import hashlib
import json
import unicodedata
import zoneinfo
from datetime import datetime, timedelta
from importlib.resources import files

import pytest

from turnsure.core.errors import InputError
from turnsure.dialogues.worlds import city_facts, of_cities
from turnsure.dialogues.worlds.city_facts import known_cities
from turnsure.dialogues.worlds.city_names import CITY_NAMES
from turnsure.dialogues.worlds.draw import Drawer
from turnsure.dialogues.worlds.of_cities import cities

WORLD = cities.build()
FACTS = {entity.names[0]: entity.values for entity in WORLD.entities}
CITIES = {city.names[0]: city for city in known_cities()}

# From general knowledge: whole degrees of latitude and longitude, hours ahead of UTC in January
# 2024 (summer time where it is summer), whether clocks changed in 2024, and whether a capital.
WELL_KNOWN = {
    "Accra": (5.6, -0.2, 0, False, True),
    "Addis Ababa": (9.0, 38.7, 3, False, True),
    "Adelaide": (-34.9, 138.6, 10.5, True, False),
    "Almaty": (43.2, 76.9, 6, True, False),  # one time for all Kazakhstan from March 2024
    "Anchorage": (61.2, -149.9, -9, True, False),
    "Antananarivo": (-18.9, 47.5, 3, False, True),
    "Asuncion": (-25.3, -57.6, -3, True, True),
    "Athens": (38.0, 23.7, 2, True, True),
    "Auckland": (-36.8, 174.8, 13, True, False),
    "Bangkok": (13.8, 100.5, 7, False, True),
    "Berlin": (52.5, 13.4, 1, True, True),
    "Bogota": (4.7, -74.1, -5, False, True),
    "Brisbane": (-27.5, 153.0, 10, False, False),
    "Buenos Aires": (-34.6, -58.4, -3, False, True),
    "Cairo": (30.0, 31.2, 2, True, True),  # summer time came back in 2023
    "Cancun": (21.2, -86.8, -5, False, False),
    "Casablanca": (33.6, -7.6, 1, True, False),  # an hour back during Ramadan
    "Chicago": (41.9, -87.6, -6, True, False),
    "Ciudad Juarez": (31.7, -106.5, -7, True, False),  # as El Paso across the border
    "Dakar": (14.7, -17.4, 0, False, True),
    "Dar es Salaam": (-6.8, 39.3, 3, False, False),  # Dodoma is the capital
    "Darwin": (-12.5, 130.8, 9.5, False, False),
    "Denver": (39.7, -105.0, -7, True, False),
    "Dubai": (25.2, 55.3, 4, False, False),
    "Helsinki": (60.2, 24.9, 2, True, True),
    "Ho Chi Minh City": (10.8, 106.7, 7, False, False),
    "Honolulu": (21.3, -157.9, -10, False, False),
    "Istanbul": (41.0, 29.0, 3, False, False),
    "Jayapura": (-2.5, 140.7, 9, False, False),
    "Johannesburg": (-26.2, 28.0, 2, False, False),
    "Kabul": (34.5, 69.2, 4.5, False, True),
    "Karachi": (24.9, 67.0, 5, False, False),
    "Kathmandu": (27.7, 85.3, 5.75, False, True),
    "Kinshasa": (-4.3, 15.3, 1, False, True),
    "Kolkata": (22.6, 88.4, 5.5, False, False),
    "Kyiv": (50.5, 30.5, 2, True, True),
    "Lagos": (6.5, 3.4, 1, False, False),
    "Lima": (-12.0, -77.0, -5, False, True),
    "Lisbon": (38.7, -9.1, 0, True, True),
    "London": (51.5, -0.1, 0, True, True),
    "Los Angeles": (34.1, -118.2, -8, True, False),
    "Manila": (14.6, 121.0, 8, False, True),
    "Mexico City": (19.4, -99.1, -6, False, True),  # no summer time since 2022
    "Minsk": (53.9, 27.6, 3, False, True),
    "Moscow": (55.8, 37.6, 3, False, True),
    "Nairobi": (-1.3, 36.8, 3, False, True),
    "New York": (40.7, -74.0, -5, True, False),
    "Novosibirsk": (55.0, 82.9, 7, False, False),
    "Paris": (48.9, 2.3, 1, True, True),
    "Phoenix": (33.4, -112.1, -7, False, False),
    "Porto-Novo": (6.5, 2.6, 1, False, True),
    "Punta Arenas": (-53.2, -70.9, -3, False, False),
    "Regina": (50.4, -104.6, -6, False, False),
    "Riyadh": (24.7, 46.7, 3, False, True),
    "Santiago": (-33.4, -70.7, -3, True, True),
    "Sao Paulo": (-23.6, -46.6, -3, False, False),
    "Seoul": (37.6, 127.0, 9, False, True),
    "Shanghai": (31.2, 121.5, 8, False, False),
    "St. John's": (47.6, -52.7, -3.5, True, False),
    "Sydney": (-33.9, 151.2, 11, True, False),
    "Tehran": (35.7, 51.4, 3.5, False, True),  # no summer time since 2022
    "Tokyo": (35.7, 139.7, 9, False, True),
    "Vladivostok": (43.1, 131.9, 10, False, False),
    "Yangon": (16.8, 96.2, 6.5, False, False),  # Naypyidaw is the capital
    "Zurich": (47.4, 8.5, 1, True, False),
}

# Neighbours by land, among countries that have a city here; from an atlas.
NEIGHBOURS = {
    "Algeria": "Libya Mali Mauritania Morocco Niger Tunisia",
    "Argentina": "Bolivia Brazil Chile Paraguay Uruguay",
    "the Democratic Republic of the Congo": (
        "Angola Burundi Central_African_Republic Rwanda South_Sudan Tanzania Uganda Zambia"
    ),
    "Germany": "Austria Belgium Czech_Republic Denmark France Netherlands Poland Switzerland",
    "Hungary": "Austria Croatia Romania Serbia Slovakia Slovenia Ukraine",
    "Kazakhstan": "China Kyrgyzstan Russia Turkmenistan Uzbekistan",
    "Mali": "Algeria Burkina_Faso Guinea Ivory_Coast Mauritania Niger Senegal",
    "Russia": (
        "Azerbaijan Belarus China Estonia Finland Georgia Kazakhstan Latvia Lithuania Mongolia "
        "North_Korea Norway Poland Ukraine"
    ),
    "Saudi Arabia": "Iraq Jordan Kuwait Oman Qatar United_Arab_Emirates Yemen",
    "South Africa": "Botswana Lesotho Mozambique Namibia Swaziland Zimbabwe",
    "Tanzania": (
        "Burundi Democratic_Republic_of_the_Congo Kenya Malawi Mozambique Rwanda Uganda Zambia"
    ),
    "Turkey": "Armenia Azerbaijan Bulgaria Georgia Greece Iran Iraq Syria",
    "Ukraine": "Belarus Hungary Moldova Poland Romania Russia Slovakia",
    "the United States": "Canada Mexico",
}

LANGUAGES = {
    "Arabic": (
        "Algeria Chad Egypt Iraq Jordan Lebanon Libya Mauritania Morocco Oman Saudi_Arabia Sudan "
        "Syria Tunisia United_Arab_Emirates"
    ),
    "Portuguese": "Angola Brazil East_Timor Guinea-Bissau Mozambique Portugal",
    "Spanish": (
        "Argentina Chile Colombia Cuba Dominican_Republic Ecuador Honduras Mexico Nicaragua "
        "Paraguay Peru Spain Uruguay Venezuela"
    ),
}


def countries_where(fact: str, item: str) -> set[str]:
    return {CITIES[name].country.names[0] for name, values in FACTS.items() if item in values[fact]}


@pytest.mark.parametrize("name", WELL_KNOWN)
def test_facts_about_well_known_cities(name):
    latitude, longitude, hours, is_changed, is_capital = WELL_KNOWN[name]
    city = CITIES[name]
    assert city.latitude == pytest.approx(latitude, abs=0.13)
    assert city.longitude == pytest.approx(longitude, abs=0.13)
    assert (city.minutes, city.is_changed, city.is_capital) == (hours * 60, is_changed, is_capital)


def test_a_row_as_it_is_asked():
    assert FACTS["New York"] == {
        "region": "Northern America",
        "country": "the United States",
        "capital": False,
        "neighbours": ("the United States",),
        "languages": (),
        "latitude": "between 35° and 45° north",
        "longitude": "between 50° and 75° west",
        "clocks": "5 hours behind UTC",
        "changes": True,
        "first letter": "N",
        "last letter": "K",
    }
    assert FACTS["Luanda"]["latitude"] == "between the equator and 15° south"
    assert FACTS["Sydney"]["latitude"] == "more than 30° south"
    assert FACTS["Oslo"]["latitude"] == "more than 45° north"
    assert FACTS["Paris"]["longitude"] == "between 10° west and 20° east"
    assert FACTS["London"]["clocks"] == "level with UTC"
    assert FACTS["Paris"]["clocks"] == "1 hour ahead of UTC"
    assert FACTS["St. John's"]["clocks"] == "3 hours and 30 minutes behind UTC"


@pytest.mark.parametrize("item", NEIGHBOURS)
def test_neighbours_are_those_of_an_atlas(item):
    here = {city.country.names[0] for city in CITIES.values()}
    near = {name.replace("_", " ") for name in NEIGHBOURS[item].split()}
    assert countries_where("neighbours", item) == {*near, item.removeprefix("the ")} & here


@pytest.mark.parametrize("item", LANGUAGES)
def test_languages_are_official(item):
    expected = {name.replace("_", " ") for name in LANGUAGES[item].split()}
    assert countries_where("languages", item) == expected


def test_regions_are_those_of_the_united_nations():
    """Countries whose region is not the one that comes to mind, and the size of each region."""
    region = {city.country.names[0]: city.region for city in CITIES.values()}
    for country, place in {
        "Iran": "Southern Asia",
        "Georgia": "Western Asia",
        "Turkey": "Western Asia",
        "Sudan": "Northern Africa",
        "Russia": "Eastern Europe",
        "Czech Republic": "Eastern Europe",
        "Estonia": "Northern Europe",
        "United Kingdom": "Northern Europe",
        "Croatia": "Southern Europe",
        "Austria": "Western Europe",
        "Mongolia": "Eastern Asia",
        "Myanmar": "South-eastern Asia",
        "Mexico": "Latin America and the Caribbean",
        "Kazakhstan": "Central Asia",
        "Mozambique": "Sub-Saharan Africa",
    }.items():
        assert region[country] == place
    assert collections.Counter(region.values()) == {
        "Sub-Saharan Africa": 33,
        "Latin America and the Caribbean": 16,
        "Western Asia": 11,
        "Eastern Europe": 10,
        "Northern Europe": 9,
        "Southern Europe": 8,
        "South-eastern Asia": 8,
        "Northern Africa": 6,
        "Southern Asia": 6,
        "Western Europe": 6,
        "Central Asia": 5,
        "Eastern Asia": 5,
        "Northern America": 2,
        "Australia and New Zealand": 2,
        "Melanesia": 1,
    }


def test_every_city_can_be_told_from_all_others():
    drawer = Drawer(WORLD, WORLD.settings)
    assert drawer.secrets() == list(range(len(WORLD.entities)))
    assert 100 <= len(WORLD.entities) <= 250


def test_no_city_is_near_a_boundary_that_is_asked_for():
    for city in CITIES.values():
        for edge in of_cities.LATITUDES:
            assert abs(city.latitude - edge) > 0.25, city
        for edge in of_cities.LONGITUDES:
            assert abs(city.longitude - edge) > 0.25, city


def test_every_capital_of_the_countries_is_written_as_here_or_is_another_city():
    """A capital that is spelled otherwise would count as no capital."""

    def plain(name: str) -> str:
        letters = unicodedata.normalize("NFD", name.casefold())
        return "".join(letter for letter in letters if letter.isalpha() and letter.isascii())

    for city in CITIES.values():
        named = {plain(name) for name in city.names}
        assert city.is_capital is (plain(city.country.capital) in named), city
    assert sum(city.is_capital for city in CITIES.values()) == 106


def test_names_are_tidy_and_belong_to_one_city():
    names = [name for names in CITY_NAMES.values() for name in names]
    assert len(set(names)) == len(names)
    assert list(CITY_NAMES) == sorted(CITY_NAMES)
    for first, *_ in CITY_NAMES.values():
        assert first.isascii()
        assert first[0].isalpha()
        assert first[-1].isalpha()


@pytest.mark.parametrize(
    "name", ["Jerusalem", "Simferopol", "Urumqi", "Jakarta", "Vincennes", "Easter", "Jamaica"]
)
def test_doubtful_cities_and_what_is_no_city_are_left_out(name):
    assert name not in {zone.rpartition("/")[2] for zone in CITY_NAMES}


def test_the_computers_own_time_zones_are_not_read(tmp_path):
    (tmp_path / "Europe").mkdir()
    tokyo = files("tzdata.zoneinfo").joinpath("Asia", "Tokyo").read_bytes()
    (tmp_path / "Europe" / "London").write_bytes(tokyo)
    try:
        zoneinfo.reset_tzpath(to=[tmp_path])
        zoneinfo.ZoneInfo.clear_cache()
        noon = datetime(2024, 1, 1, 12, tzinfo=zoneinfo.ZoneInfo("Europe/London"))
        assert noon.utcoffset() == timedelta(hours=9)
        assert known_cities.__wrapped__() == known_cities()
    finally:
        zoneinfo.reset_tzpath()
        zoneinfo.ZoneInfo.clear_cache()


def test_the_facts_are_the_same_from_version_to_version_of_the_packages():
    """A new version that changes a fact is seen here, before it changes anybody's dialogues."""
    rows = [[*entity.names, *map(str, entity.values.values())] for entity in WORLD.entities]
    text = json.dumps(rows, ensure_ascii=False)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "763f2fcbb09c23ce"


def test_a_zone_that_the_package_lacks_is_an_error(monkeypatch):
    lacking = {**CITY_NAMES, "Asia/Atlantis": ("Atlantis",)}
    monkeypatch.setattr(city_facts, "CITY_NAMES", lacking)
    with pytest.raises(InputError, match="lack facts about Atlantis"):
        known_cities.__wrapped__()
