"""The built-in world ``countries``: clues about a country, from vague to telling.

Facts come from the package ``countryinfo`` when dialogues are made; nothing is stored here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Literal

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.country_facts import Country, known_countries

Style = Literal["statements", "questions"]

TASK = (
    "Name the country that the clues describe. If you are not sure, give your best guess. Keep "
    "the answer short."
)

CLOSING = "Now name the country."

_IN_CONTINENT = {"Americas": "the Americas"}
_UNITS = ((10**9, "billion"), (10**6, "million"))


def countries_dialogues(
    n: int | None = None, *, seed: int = 0, style: Style = "statements"
) -> list[Dialogue]:
    """Dialogues about countries, in an order that the seed decides.

    Hints come in a fixed order, from vague to telling: continent, population, neighbours,
    language, capital, demonym.  One that would name the country itself is left out.

    Parameters
    ----------
    n
        How many, at least 1, all when None; the first n of the same order whatever n is.
    seed
        Decides the order of the countries.
    style
        Plain statements, or questions with short answers.

    Raises
    ------
    InputError
        Fewer than one, or more than there are, are asked for.
    """
    countries = sorted(known_countries(), key=lambda country: _draw(seed, country.code))
    if n is not None and not 1 <= n <= len(countries):
        raise InputError(
            f"{n} dialogues are asked for and the world has {len(countries)} countries",
            field="limit",
            expected=f"1 to {len(countries)}",
        )
    return [_dialogue(country, style) for country in countries[:n]]


def _draw(seed: int, code: str) -> bytes:
    return hashlib.sha256(f"{seed}:{code}".encode()).digest()


def _dialogue(country: Country, style: Style) -> Dialogue:
    hints = {
        place: hint
        for place, hint in enumerate(_hints(country, style))
        if not country.is_named_in(hint.answer)
    }
    return Dialogue(
        id=f"countries-{country.code.lower()}",
        task=TASK,
        closing=CLOSING,
        hints=tuple(hints.values()),
        gold=country.names,
        meta={"world": "countries", "continent": country.continent, "style": style},
        candidates=tuple(other.names[0] for other in known_countries()),
        remaining=_remaining(hints, style),
    )


def _remaining(hints: Mapping[int, Hint], style: Style) -> tuple[tuple[int, ...], ...]:
    """For each turn the countries of which every clue so far would be said as well."""
    fitting = list(range(len(known_countries())))
    turns: list[tuple[int, ...]] = []
    for place, hint in hints.items():
        fitting = [one for one in fitting if _hints_of_all(style)[one][place] == hint]
        turns.append(tuple(fitting))
    return tuple(turns)


@cache
def _hints_of_all(style: Style) -> tuple[list[Hint], ...]:
    return tuple(_hints(country, style) for country in known_countries())


def _hints(country: Country, style: Style) -> list[Hint]:
    return _statements(country) if style == "statements" else _questions(country)


def _statements(country: Country) -> list[Hint]:
    borders = (
        f"It has borders with {_listed(country.neighbours)}."
        if country.neighbours
        else "It has no land borders."
    )
    return [
        Hint(answer=text)
        for text in (
            f"It lies in {_continent(country)}.",
            f"About {_rounded(country.population)} people live there.",
            borders,
            f"The people speak {country.language}.",
            f"The capital city is {country.capital}.",
            f"The people are called {country.demonym}.",
        )
    ]


def _questions(country: Country) -> list[Hint]:
    return [
        Hint(question=question, answer=answer)
        for question, answer in (
            ("On which continent does it lie?", _continent(country)),
            ("How many people live there?", f"about {_rounded(country.population)}"),
            ("Which countries does it border?", _listed(country.neighbours) or "none by land"),
            ("Which language do the people speak?", country.language),
            ("What is its capital city?", country.capital),
            ("What are its people called?", country.demonym),
        )
    ]


def _continent(country: Country) -> str:
    return _IN_CONTINENT.get(country.continent, country.continent)


def _rounded(people: int) -> str:
    """Two significant figures, in words: 37 million, 1.3 billion."""
    unit, name = next((size, name) for size, name in _UNITS if people >= size)
    return f"{float(f'{people / unit:.2g}'):g} {name}"


def _listed(names: Sequence[str]) -> str:
    *most, last = names or ("",)
    return f"{', '.join(most)} and {last}" if most else last
