"""The items that an assistant showed at a turn, read from what it said and called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from turnsure.core.conversation import Item
from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.item_source import ItemSource
from turnsure.scenarios.calls import calls_of
from turnsure.scenarios.functions import call_function, function_of

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)
_BEGINNING = re.compile(r"[\[{]")
_MOST_BEGINNINGS = 1_000


def extract_items(sources: Sequence[ItemSource], replies: Sequence[Message]) -> tuple[Item, ...]:
    """What the assistant showed at one turn.

    Parameters
    ----------
    sources
        Of the scenario: ``scenario.items``.
    replies
        The assistant's messages of the turn and the tools' results between them.

    Returns
    -------
    Items in the order in which they are found.  An item that several sources show alike counts
    once.

    Raises
    ------
    InputError
        A function of the user raises, or gives something that is no list of objects.
    """
    found: list[Item] = []
    for source in sources:
        found += [one for one in _of(source, replies) if one not in found]
    return tuple(found)


def _of(source: ItemSource, replies: Sequence[Message]) -> list[Item]:
    if source.function is not None:
        given = call_function(function_of(source.function), source.function, tuple(replies))
        return _checked(given, source.function)
    return [item for value in _values(source, replies) for item in _items_at(value, source.path)]


def _values(source: ItemSource, replies: Sequence[Message]) -> Iterator[Any]:
    """The JSON values that a source reads."""
    if source.kind == "reply":
        for message in replies:
            if message.role == "assistant":
                yield from json_values(message.content)
        return
    for call in calls_of(replies):
        if source.tool in {None, call.name}:
            yield call.result if source.kind == "tool_result" else call.arguments


def json_values(text: str) -> Iterator[Any]:
    """JSON in a reply: the whole text, fenced blocks, or else objects and lists between words."""
    try:
        yield json.loads(text)
        return
    except (ValueError, RecursionError):
        pass
    blocks = _FENCE.findall(text)
    for block in blocks or [text]:
        yield from _embedded(block)


def _embedded(text: str) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    place = n_failed = 0
    # Each failed beginning may have been read to the end of the text; without a limit, a long reply
    # of nothing but brackets would take for ever.
    while n_failed < _MOST_BEGINNINGS and (found := _BEGINNING.search(text, place)) is not None:
        try:
            value, place = decoder.raw_decode(text, found.start())
        except ValueError:
            place = found.end()
            n_failed += 1
        except RecursionError:
            return
        else:
            yield value


def _items_at(value: Any, path: Sequence[str]) -> list[Item]:
    for name in path:
        value = cast("Mapping[str, Any]", value).get(name) if isinstance(value, Mapping) else None
    if isinstance(value, Mapping):
        return [cast("Item", value)]
    if isinstance(value, list):
        return [cast("Item", one) for one in cast("list[Any]", value) if isinstance(one, Mapping)]
    return []


def _checked(given: object, function: str) -> list[Item]:
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__iter__"):
        raise InputError(f"{function} gives {given!r:.60}", expected="a list of objects")
    items = list(cast("Sequence[object]", given))
    wrong = [one for one in items if not isinstance(one, Mapping)]
    if wrong:
        raise InputError(f"{function} gives {wrong[0]!r:.60} among the items", expected="objects")
    return cast("list[Item]", items)
