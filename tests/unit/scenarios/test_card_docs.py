"""The examples of ``docs/scenario-cards.md`` work and print what the page says."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.conversations import run_of, turn
from turnsure.core.errors import InputError
from turnsure.scenarios.card_schema import card_schema
from turnsure.scenarios.cards import scenarios_of
from turnsure.scenarios.checking import check_transcript
from turnsure.scenarios.examples import RENTAL
from turnsure.scenarios.moments import OF_SCOPE, VARIABLES

PAGE = (Path(__file__).parents[3] / "docs" / "scenario-cards.md").read_text(encoding="utf-8")
CARDS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_cards_are_cards():
    whole, suite = (scenarios_of(text, file=Path("card.yaml")) for text in CARDS)
    assert [check.name for check in whole[0].checks] == ["budget", "pets", "area", "success-1"]
    assert [(one.runs, one.checks[0].name) for one in suite] == [(5, "short"), (20, "short")]


def test_what_the_page_says_of_the_first_card_is_true():
    [scenario] = scenarios_of(CARDS[0], file=Path("card.yaml"))
    wakad = {"id": "W2", "rent": 31000, "pets_ok": False, "area": "Wakad"}
    findings = check_transcript(scenario, run_of(scenario, turn(), turn(), turn(wakad, wakad)))
    assert [(one.turn, one.message) for one in findings[:3:2]] == [
        (3, "W2 is over budget"),
        (3, "W2 does not allow pets"),
    ]


def test_the_mistake_on_the_page_is_told_as_it_says():
    text = RENTAL.read_text(encoding="utf-8").replace(
        "from: 25000, to: 28000", "from: 26000, to: 28000"
    )
    with pytest.raises(InputError) as caught:
        scenarios_of(text, file=RENTAL)
    told = str(caught.value).replace(f"{RENTAL.parent}/", "")
    assert told in " ".join(PAGE.split())


def test_the_program_prints_what_the_page_shows(capsys):
    exec(compile(PROGRAMS[-1], "page", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    assert "\n".join(f"    {line}" for line in printed) == PAGE.rstrip().rpartition("prints\n\n")[2]


def test_the_check_in_python_works():
    names: dict = {}
    exec(compile(PROGRAMS[0], "page", "exec"), names)
    check = names["deposit_is_named"]
    ledger = SimpleNamespace(rules={"deposit": 3})
    assert check(ledger, SimpleNamespace(text="Hello."), None) == "the deposit is not mentioned"
    assert check(ledger, SimpleNamespace(text="A deposit of 3."), None) is None


def test_every_variable_is_told():
    for name in {*VARIABLES, *(one for scope in OF_SCOPE.values() for one in scope)}:
        assert f"`{name}`" in PAGE


def test_every_default_is_told_as_it_is():
    limits = card_schema()["$defs"]["LimitsCard"]["properties"]
    for name, shown in (("turns", "20"), ("tool_calls", "20"), ("seconds", "60")):
        assert f"{limits[name]['default']:g}" == shown
        assert re.search(rf"`{name}`[^,|]*\({shown}\)", PAGE)
