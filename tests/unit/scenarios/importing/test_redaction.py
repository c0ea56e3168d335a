from __future__ import annotations

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.importing.redaction import Redactor


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ann.b+c@mail.example.org", "e-mail"),
        ("Ann_B@EXAMPLE.com", "e-mail"),
        ("4111 1111 1111 1111", "card"),
        ("5500-0000-0000-0004", "card"),
        ("378282246310005", "card"),
        ("+91 98765 43210", "phone"),
        ("98765 43210", "phone"),
        ("9876543210", "phone"),
        ("(020) 7946-0958", "phone"),
        ("020 7946 0958", "phone"),
        ("+1-202-555-0143", "phone"),
        ("+919876543210", "phone"),
    ],
)
def test_personal_data_gets_a_stand_in(text, kind):
    hide = Redactor()
    assert hide.text(f"Reach me at {text}, please.") == f"Reach me at [{kind} 1], please."
    assert hide.n_replaced[kind] == 1


@pytest.mark.parametrize(
    "text",
    [
        "Rs 25,000 at most",
        "on 2024-05-20 15:00",
        "at 2024-05-15T15:00:00",
        "on 20.05.2024",
        "flight HAT136, booking NO6JO3",
        "credit_card_4421486",
        "1716163200",
        "18.5204303, 73.8567437",
        "4111 1111 1111 1112 is no card",
        "order 12345678",
        "3.14159265358979",
    ],
)
def test_other_numbers_stay(text):
    assert Redactor().text(text) == text


def test_the_same_value_gets_the_same_stand_in_wherever_it_is():
    hide = Redactor()
    value = {
        "to": "ann@example.org",
        "cc": ["bob@example.org", "ANN@example.org"],
        "card": 4111111111111111,
        "n": 3,
        "ok": True,
        "rent": 1716163200.5,
        "ann@example.org": None,
    }
    assert hide.value(value) == {
        "to": "[e-mail 1]",
        "cc": ["[e-mail 2]", "[e-mail 1]"],
        "card": "[card 1]",
        "n": 3,
        "ok": True,
        "rent": 1716163200.5,
        "[e-mail 1]": None,
    }
    assert hide.text("Card 4111-1111-1111-1111") == "Card [card 1]"


def test_a_hook_comes_first_and_can_stand_alone():
    text = "Ann lives at ann@example.org"
    assert Redactor(lambda t: t.replace("Ann", "X")).text(text) == "X lives at [e-mail 1]"
    assert Redactor("builtins:ascii", builtin=False).text("é") == "'\\xe9'"


def test_a_hook_that_fails_says_so():
    with pytest.raises(InputError, match="names no function"):
        Redactor("nothing")
    with pytest.raises(InputError, match="builtins:len gives 3"):
        Redactor("builtins:len").text("abc")
    with pytest.raises(InputError, match="builtins:int raises ValueError"):
        Redactor("builtins:int").text("abc")
