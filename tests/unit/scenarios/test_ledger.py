"""The rules as of a turn."""

from __future__ import annotations

import dataclasses

import pytest

from tests.support.conversations import plain_scenario, run_of, turn
from turnsure.core.errors import InputError
from turnsure.core.scenario import Reveal
from turnsure.scenarios.ledger import Replaced, ledger_at

SCENARIO = plain_scenario(
    Reveal(id="a", say="x", sets={"rent": 25, "areas": ["Baner"]}),
    Reveal(id="b", say="x", sets={"pets": True}, rejects=("B3",)),
    Reveal(id="c", say="x", sets={"rent": 28}, rejects=("B3", "B4")),
    Reveal(id="d", say="x", withdraws=("pets",)),
)
CHAT = run_of(SCENARIO, turn(), turn(), turn(), turn(), turn())


def at(number):
    return ledger_at(SCENARIO, CHAT, number)


def test_rules_accumulate_are_replaced_and_withdrawn():
    assert at(0).rules == {}
    assert at(1).rules == {"rent": 25, "areas": ["Baner"]}
    assert at(2).rules == {"rent": 25, "areas": ["Baner"], "pets": True}
    assert at(3).rules == {"rent": 28, "areas": ["Baner"], "pets": True}
    assert at(4).rules == at(5).rules == {"rent": 28, "areas": ["Baner"]}


def test_each_value_knows_since_when_it_holds():
    assert at(2).since == {"rent": 1, "areas": 1, "pets": 2}
    assert at(5).since == {"rent": 3, "areas": 1}
    assert at(5).withdrawn == {"pets": 4}
    assert at(2).replaced == ()
    assert at(5).replaced == (Replaced(rule="rent", old=25, new=28, since=3),)
    assert at(5).last_change("rent") == at(5).replaced[0]
    assert at(5).last_change("areas") is None


def test_what_was_turned_down_stays_so_since_the_first_time():
    assert at(1).rejected == {}
    assert at(2).rejected == {"B3": 2}
    assert at(4).rejected == {"B3": 2, "B4": 3}


def test_the_transcript_says_when_and_not_the_card():
    late = dataclasses.replace(
        CHAT,
        exchanges=tuple(
            dataclasses.replace(one, reveals=("a",) if one.turn == 4 else ())
            for one in CHAT.exchanges
        ),
    )
    assert ledger_at(SCENARIO, late, 3).rules == {}
    assert ledger_at(SCENARIO, late, 4).since == {"rent": 4, "areas": 4}


def test_the_same_value_again_is_no_twist_and_true_is_not_one():
    again = plain_scenario(
        Reveal(id="a", say="x", sets={"n": 1}),
        Reveal(id="b", say="x", sets={"n": 1}),
        Reveal(id="c", say="x", sets={"n": True}),
    )
    chat = run_of(again, turn(), turn(), turn())
    assert ledger_at(again, chat, 2).since == {"n": 1}
    assert ledger_at(again, chat, 3).replaced == (Replaced(rule="n", old=1, new=True, since=3),)


def test_a_rule_that_is_set_again_after_it_was_withdrawn_is_no_twist():
    back = plain_scenario(
        Reveal(id="a", say="x", sets={"n": 1}),
        Reveal(id="b", say="x", withdraws=("n",)),
        Reveal(id="c", say="x", sets={"n": 2}),
    )
    seen = ledger_at(back, run_of(back, turn(), turn(), turn()), 3)
    assert (seen.replaced, seen.withdrawn, seen.rules) == ((), {}, {"n": 2})


def test_unknown_reveals_and_turns_are_refused():
    odd = dataclasses.replace(
        CHAT, exchanges=(dataclasses.replace(CHAT.exchanges[0], reveals=("aa",)),)
    )
    with pytest.raises(InputError, match=r"turn 1 makes the reveal 'aa'.*did you mean 'a'"):
        ledger_at(SCENARIO, odd, 1)
    for number in (-1, 6):
        with pytest.raises(InputError, match="0 to 5"):
            at(number)
