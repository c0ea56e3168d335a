"""The turns table: packed, it is what the rows were."""

from __future__ import annotations

import random
import tracemalloc
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnsure.core.confidence import Confidence
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.turns import TurnRow, TurnsCollector, TurnsTable

NAMES = ("a", "b", "c")
SOME = (None, *NAMES)


def row_of(number):
    """A row with any of few values in every place, most of which depend on the number's bits."""
    draw = random.Random(number)
    one = draw.choice
    if draw.random() < 0.6:
        confidence = Confidence(
            value=draw.random(), method=one(NAMES), scale="probability",
            path=one(("logprobs", "parsed")), label_mass=one((None, 0.0, draw.random())),
            rule=one(SOME), truncated=one((True, False)), raw=one(SOME),
            request_keys=one(((), ("k", "l"))),
        )  # fmt: skip
    else:
        confidence = Failure(
            stage=one(("answer", "control")), kind=one(NAMES), message=one(NAMES),
            dialogue=one(SOME), turn=one((None, 1, 2)), method=one(SOME), raw=one(SOME),
        )  # fmt: skip
    return TurnRow(
        dialogue=one(NAMES), turn=draw.randint(1, 3), n_turns=draw.randint(3, 4),
        condition=one(("plain", "placebo")), target=one(("answer", "gold")), method=one(NAMES),
        answer=one(SOME), confidence=confidence,
        outcome=Outcome(
            correct=one((None, True, False)), grader=one(NAMES), rule=one(SOME),
            matched=one(SOME), reason=one(NAMES),
        ),
        reply=one(SOME), meta=one(({}, {"a": "b"}, {"a": "c", "b": "a"})),
    )  # fmt: skip


several = st.lists(st.integers(0, 2**16).map(row_of), max_size=12)
distinct = st.lists(st.integers(0, 2**16).map(row_of), max_size=12, unique_by=lambda row: row.key)
at_leisure = settings(deadline=None)  # the first call imports numpy's masked arrays


@at_leisure
@given(several)
def test_rows_come_back_as_they_were(given_rows):
    table = TurnsTable(given_rows)
    assert list(table.rows) == given_rows
    assert [table.rows[place] for place in range(len(table))] == given_rows
    assert list(table.rows[1:3]) == given_rows[1:3]
    assert list(reversed(table.rows)) == given_rows[::-1]
    assert table == TurnsTable(tuple(given_rows))
    assert hash(table) == hash(TurnsTable(tuple(given_rows)))


@at_leisure
@given(several, several)
def test_other_rows_are_another_table(one, other):
    assert (TurnsTable(one) == TurnsTable(other)) == (one == other)


@at_leisure
@given(several, st.sampled_from(NAMES))
def test_selections_are_those_of_the_rows(given_rows, method):
    table = TurnsTable(given_rows)
    assert list(table.select(target="gold", method=method).rows) == [
        row for row in given_rows if (row.target, row.method) == ("gold", method)
    ]
    assert list(table.where(lambda row: row.turn == 2).rows) == [
        row for row in given_rows if row.turn == 2
    ]
    assert list(table.where_condition(lambda name: name != "plain").rows) == [
        row for row in given_rows if row.condition != "plain"
    ]
    own = [row for row in given_rows if row.target == "answer"]
    assert list(table.one_row_a_turn().rows) == list(
        {(row.dialogue, row.turn): row for row in own}.values()
    )
    assert table.methods == tuple(dict.fromkeys(row.method for row in given_rows))
    assert table.dialogues == tuple(dict.fromkeys(row.dialogue for row in given_rows))
    assert table.conditions == tuple(dict.fromkeys(row.condition for row in given_rows))
    assert table.failures == tuple(
        row.confidence for row in given_rows if isinstance(row.confidence, Failure)
    )


@at_leisure
@given(several)
def test_columns_are_those_of_the_rows(given_rows):
    columns = TurnsTable(given_rows).select(target="answer").columns()
    own = [row for row in given_rows if row.target == "answer"]
    assert columns.dialogue.tolist() == [row.dialogue for row in own]
    assert columns.turn.tolist() == [row.turn for row in own]
    assert columns.n_turns.tolist() == [row.n_turns for row in own]
    assert columns.correct.tolist() == [row.outcome.correct for row in own]
    assert columns.confidence.tolist() == [
        row.confidence.value if isinstance(row.confidence, Confidence) else None for row in own
    ]
    assert columns.turn.dtype == columns.n_turns.dtype == np.int64


@at_leisure
@given(several, several)
def test_packed_rows_are_joined_and_counted(one, other):
    packed, later = TurnsTable(one).packed, TurnsTable(other).packed
    assert list(packed.joined(other)) == list(packed.joined(later)) == one + other
    assert list(packed.joined(packed[:2])) == one + one[:2]
    assert list(packed.with_condition("new")) == [replace(row, condition="new") for row in one]
    counted = packed.counts("outcome", lambda outcome: outcome.rule)
    expected = Counter(row.outcome.rule for row in one if row.outcome.rule is not None)
    assert list(counted.items()) == list(expected.items())


@at_leisure
@given(several)
def test_rows_that_agree_are_of_one_group_in_order_of_appearance(given_rows):
    keys = [(row.dialogue, row.turn, row.condition) for row in given_rows]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    groups = TurnsTable(given_rows).packed.groups("dialogue", "turn", "condition")
    assert groups.tolist() == [numbers[key] for key in keys]


@at_leisure
@given(distinct)
def test_a_collector_makes_the_same_table(given_rows):
    collector = TurnsCollector.empty()
    for row in given_rows:
        collector.add([row])
    assert collector.table() == TurnsTable.of(given_rows)


@at_leisure
@given(distinct.filter(len), st.data())
def test_a_doubled_row_is_named(given_rows, data):
    twice = data.draw(st.sampled_from(given_rows))
    with pytest.raises(InputError, match="1 doubled rows") as caught:
        TurnsTable.of([*given_rows, replace(twice, answer="another")])
    assert str(twice.key) in str(caught.value)


def made_up(n_dialogues):
    """Ten turns with ten rows each, like those of a run."""
    for number in range(n_dialogues):
        for turn in range(1, 11):
            for place in range(10):
                method = f"method {place // 2}"
                yield TurnRow(
                    dialogue=f"dialogue {number}",
                    turn=turn,
                    n_turns=10,
                    condition="plain",
                    target="answer" if place % 2 else "gold",
                    method=method,
                    answer=f"answer {number % 7}",
                    confidence=Confidence(
                        value=(number * 31 + turn * 7 + place) % 97 / 97,
                        method=method,
                        scale="probability",
                        path="logprobs",
                        label_mass=0.9,
                    ),
                    outcome=Outcome(correct=turn > 5, grader="match", rule="exact"),
                    reply=f"At turn {turn} of {number} I would say Peru, as it fits best.",
                    meta={"category": f"{number % 3}"},
                )


def test_a_row_holds_less_than_a_hundred_bytes():
    tracemalloc.start()
    table = TurnsTable(made_up(100))
    held, _ = tracemalloc.get_traced_memory()
    parts = [table.select(method=method).columns() for method in table.methods]
    tracemalloc.stop()
    assert len(table) == sum(len(part.turn) for part in parts) == 10_000
    assert held < 100 * len(table)


def test_iterating_makes_no_second_copy():
    table = TurnsTable(made_up(100))
    tracemalloc.start()
    assert sum(row.turn for row in table.rows) == 5.5 * len(table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 400 * len(table)
