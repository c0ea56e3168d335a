"""Items are read from replies, tools and functions."""

from __future__ import annotations

import pytest

from tests.support.conversations import call
from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.item_source import ItemSource
from turnsure.scenarios.calls import calls_of
from turnsure.scenarios.items import extract_items, json_values


def said(text: str) -> Message:
    return Message(role="assistant", content=text)


def result(text: str, of: str | None = None) -> Message:
    return Message(role="tool", content=text, tool_call_id=of)


@pytest.mark.parametrize(
    ("text", "path", "ids"),
    [
        ('[{"id": 1}, {"id": 2}]', (), [1, 2]),
        ('{"flats": [{"id": 1}]}', ("flats",), [1]),
        ('Here:\n```json\n{"flats": [{"id": 1}]}\n```\nand [{"id": 9}]', ("flats",), [1]),
        ('I found {"id": 1} and {"id": 2}, see [1].', (), [1, 2]),
        ("I found {nothing} at all [", (), []),
        ('{"flats": 3}', ("flats", "x"), []),
    ],
)
def test_json_in_a_reply(text, path, ids):
    seen = extract_items([ItemSource(kind="reply", path=path)], [said(text)])
    assert [one["id"] for one in seen] == ids


def test_results_and_arguments_of_tools():
    replies = [call("search", id_="1", id=7), call("other", id_="2"), result('[{"id": 8}]', "2")]
    replies += [result('{"id": 9}', "1"), said('{"id": 1}')]
    of = {
        kind: [one["id"] for one in extract_items([ItemSource(kind=kind, tool=tool)], replies)]
        for kind, tool in (("tool_result", "search"), ("tool_arguments", "search"))
    }
    assert of == {"tool_result": [9], "tool_arguments": [7]}
    assert [
        one["id"] for one in extract_items([ItemSource(kind="tool_result")], replies)
    ] == [9, 8]  # fmt: skip


def test_results_without_ids_answer_in_order_and_one_may_be_missing():
    seen = calls_of([call("a", id_="1"), call("b", id_="2"), result("one"), result("x", "nobody")])
    assert [(one.name, one.result) for one in seen] == [("a", "one"), ("b", None)]


def test_an_item_of_two_sources_counts_once():
    replies = [call("s"), result('[{"id": 1}]'), said('{"id": 1}')]
    sources = [ItemSource(kind="tool_result"), ItemSource(kind="reply")]
    assert extract_items(sources, replies) == ({"id": 1},)


def words(replies):
    return [{"id": word} for one in replies for word in one.content.split()]


def raises(replies):
    raise ValueError("no")


def gives_text(replies):
    return "W1"


def gives_texts(replies):
    return ["W1"]


def test_a_function_of_the_users():
    source = ItemSource(kind="python", function=f"{__name__}:words")
    assert extract_items([source], [said("a b")]) == ({"id": "a"}, {"id": "b"})


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("raises", "raises ValueError: no"),
        ("gives_text", "list of objects"),
        ("gives_texts", "objects"),
    ],
)
def test_a_function_that_gives_no_items_is_an_error(name, why):
    with pytest.raises(InputError, match=why):
        extract_items([ItemSource(kind="python", function=f"{__name__}:{name}")], [said("a")])


@pytest.mark.parametrize("reply", ["[" * 100_000, "[ x" * 100_000, '{"a' * 100_000])
def test_a_reply_of_nothing_but_beginnings_comes_to_an_end(reply):
    assert list(json_values(reply)) == []
