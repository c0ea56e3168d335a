"""Scenario cards: one YAML file holds a scenario, or a suite of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from turnsure.core.errors import InputError
from turnsure.core.item_source import ItemSource
from turnsure.core.scenario import CheckSpec, Limits, RubricItem, Scenario
from turnsure.scenarios.card_checks import goal_spec, spec_of, try_check
from turnsure.scenarios.card_errors import Loc, Source
from turnsure.scenarios.card_fixtures import table
from turnsure.scenarios.card_models import (
    CheckCard,
    GoalCard,
    ItemsCard,
    RubricCard,
    ScenarioCard,
    SharedCard,
    SuiteCard,
)
from turnsure.scenarios.card_reveals import reveals_of
from turnsure.scenarios.card_text import read_document

T = TypeVar("T")
Placed = list[tuple[Loc, T]]
"""Values, each with where it stands in the file."""

_DEFAULTS: Loc = ("defaults",)


def read_cards(path: str | Path) -> list[Scenario]:
    """Read and check every scenario of a file; the format is in ``docs/scenario-cards.md``.

    Parameters
    ----------
    path
        A YAML file: one scenario, a list of scenarios, or a suite with ``defaults``.

    Raises
    ------
    InputError
        The file cannot be read, or something in it does not fit; names line, column and field.
    """
    file = Path(path)
    try:
        text = _text(file)
    except InputError as error:
        raise error.at(file=file) from None
    return scenarios_of(text, file=file)


def scenarios_of(text: str, *, file: Path) -> list[Scenario]:
    """The scenarios of a text; ``file`` is for messages, and fixtures are read beside it.

    Raises
    ------
    InputError
        As for :func:`read_cards`.
    """
    try:
        source = Source(file=file, document=read_document(text))
    except InputError as error:
        raise error.at(file=file) from None
    shared, cards = _cards(source)
    made: dict[str, Scenario] = {}
    for loc, card in cards:
        if card.id in made:
            raise source.error(
                f"the scenario {card.id!r} stands here twice",
                (*loc, "id"),
                expected="an id of its own",
            )
        made[card.id] = _Making(source, shared, card, loc).scenario()
    return list(made.values())


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"byte {error.start + 1} is not UTF-8", expected="UTF-8") from None
    except FileNotFoundError:
        raise InputError("no such file", expected="a scenario card in YAML") from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})") from error


def _cards(source: Source) -> tuple[SharedCard, Placed[ScenarioCard]]:
    """What all scenarios share, and each of them."""
    value = source.document.value
    if isinstance(value, list):
        items = cast("list[Any]", value)
        if not items:
            raise source.error("the list is empty", (), expected="one scenario or more")
        cards: Placed[ScenarioCard] = [
            ((place,), source.validated(ScenarioCard, one, (place,)))
            for place, one in enumerate(items)
        ]
        return SharedCard(), cards
    if isinstance(value, Mapping) and {"scenarios", "defaults"} & set(
        cast("dict[str, Any]", value)
    ):
        suite = source.validated(SuiteCard, value, ())
        return suite.defaults, [
            (("scenarios", place), card) for place, card in enumerate(suite.scenarios)
        ]
    return SharedCard(), [((), source.validated(ScenarioCard, value, ()))]


class _Making:
    """One scenario in the making.

    Parameters
    ----------
    source
        The file.
    shared, card
        What the suite says, and what the scenario says.
    loc
        Where the scenario stands.
    """

    def __init__(self, source: Source, shared: SharedCard, card: ScenarioCard, loc: Loc) -> None:
        self._source = source
        self._shared = shared
        self._card = card
        self._loc = loc

    def scenario(self) -> Scenario:
        """The scenario, once everything in it fits."""
        card, loc = self._card, self._loc
        limits = self._limits()
        reveals = reveals_of(card.reveals, (*loc, "reveals"), self._source, most_turns=limits.turns)
        specs = list(self._specs())
        rubric: Placed[RubricCard] = self._both("rubric")
        try:
            scenario = Scenario(
                id=card.id,
                persona=self._of("persona"),
                goal=self._of("goal"),
                reveals=reveals,
                answers=self._merged("answers"),
                checks=tuple(spec for _, spec in specs),
                rubric=tuple(RubricItem(name=one.name, ask=one.ask) for _, one in rubric),
                fixtures=self._fixtures(),
                tools=self._merged("tools"),
                items=self._items(),
                limits=limits,
                runs=self._of("runs"),
                seed=self._of("seed"),
                meta=self._merged("meta"),
            )
        except InputError as error:
            if error.file is not None:
                raise
            raise self._source.placed(error, loc) from None
        for at, spec in specs:
            try_check(spec, scenario, at, self._source)
        return scenario

    def _specs(self) -> Iterator[tuple[Loc, CheckSpec]]:
        checks: Placed[CheckCard] = self._both("checks")
        for at, check in checks:
            yield at, spec_of(check, at, self._source)
        goals: Placed[GoalCard] = self._both("success")
        for place, (at, goal) in enumerate(goals):
            yield at, goal_spec(goal, place)

    def _items(self) -> tuple[ItemSource, ...]:
        made: list[ItemSource] = []
        cards: Sequence[ItemsCard] = self._of("items")
        for place, one in enumerate(cards):
            try:
                made.append(
                    ItemSource(
                        kind=one.source,
                        tool=one.tool,
                        path=() if one.path is None else tuple(one.path.split(".")),
                        function=one.function,
                    )
                )
            except InputError as error:
                at = (*self._where("items"), "items", place)
                raise self._source.placed(error, at) from None
        return tuple(made)

    def _fixtures(self) -> dict[str, Any]:
        tables: dict[str, Any] = {}
        for name, value in self._merged("fixtures").items():
            owner = self._loc if name in self._card.fixtures else _DEFAULTS
            try:
                tables[name] = table(value, beside=self._source.file.parent)
            except InputError as error:
                raise self._source.placed(error, (*owner, "fixtures", name)) from None
        return tables

    def _limits(self) -> Limits:
        chosen = {
            name: getattr(one, name)
            for one in (self._shared.limits, self._card.limits)
            for name in one.model_fields_set
        }
        return Limits(**chosen)

    def _where(self, name: str) -> Loc:
        """Which part of the file a field is from."""
        own = name in self._card.model_fields_set or name not in self._shared.model_fields_set
        return self._loc if own else _DEFAULTS

    def _of(self, name: str) -> Any:
        """A field of the scenario, or else of the suite."""
        return getattr(self._card if self._where(name) == self._loc else self._shared, name)

    def _merged(self, name: str) -> dict[str, Any]:
        """A mapping of the suite with the scenario's own over it."""
        return {**getattr(self._shared, name), **getattr(self._card, name)}

    def _both(self, name: str) -> Placed[Any]:
        """A list of the suite, then the scenario's own."""
        owners = ((_DEFAULTS, self._shared), (self._loc, self._card))
        return [
            ((*loc, name, place), one)
            for loc, owner in owners
            for place, one in enumerate(getattr(owner, name))
        ]
