from fractions import Fraction

import pytest

from turnsure.grading.quantity import MAX_LENGTH, read_quantity, same_number


@pytest.mark.parametrize(
    ("text", "value", "sign", "unit"),
    [
        ("16", 16, None, ""),
        ("16.", 16, None, ""),
        ("0", 0, None, ""),
        ("-5", -5, None, ""),
        ("−5", -5, None, ""),
        ("-$5", -5, "$", ""),
        ("$-5", -5, "$", ""),
        ("1,000", 1000, None, ""),
        ("1 000", 1000, None, ""),
        ("1'000", 1000, None, ""),
        ("1.000.000", 1_000_000, None, ""),
        ("1.000,5", Fraction(2001, 2), None, ""),
        ("1,000.50", Fraction(2001, 2), None, ""),
        ("1.000", 1, None, ""),
        ("12,5", Fraction(25, 2), None, ""),
        ("0,500", Fraction(1, 2), None, ""),
        (".5", Fraction(1, 2), None, ""),
        ("1/2", Fraction(1, 2), None, ""),
        ("½", Fraction(1, 2), None, ""),
        ("1 1/2", Fraction(3, 2), None, ""),
        ("2½", Fraction(5, 2), None, ""),
        ("50%", 50, "%", ""),
        ("50 percent", 50, "%", ""),
        ("€5", 5, "€", ""),
        ("5 €", 5, "€", ""),
        ("5 dollars", 5, "$", ""),
        ("90°", 90, "°", ""),
        ("20 °C", 20, "°c", ""),
        ("16 seashells", 16, None, "seashells"),
        ("16km", 16, None, "km"),
        ("60 km/h", 60, None, "km/h"),
        ("16 m²", 16, None, "m^2"),
        ("2 dozen eggs", 24, None, "eggs"),
        ("3 million", 3_000_000, None, ""),
        ("３", 3, None, ""),
        ("٣", 3, None, ""),
    ],
)
def test_numbers(text, value, sign, unit):
    quantity = read_quantity(text)
    assert (quantity.value, quantity.sign, quantity.unit) == (value, sign, unit)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Paris",
        ".",
        "%",
        "007",
        "1st",
        "5x",
        "$5m",
        "16 or 17",
        "16-17",
        "1,2,3",
        "1,000,5",
        "12 5",
        "2 thirds",
        "2 and a half",
        "16 more",
        "5/0",
        "€5 $",
        "21 Jump Street",
        "about 16",
        "9" * (MAX_LENGTH + 1),
    ],
)
def test_what_is_no_number(text):
    assert read_quantity(text) is None


@pytest.mark.parametrize(
    ("answer", "accepted", "same"),
    [
        ("1000.0", "1,000", True),
        ("16 seashells", "16", True),
        ("16", "16 seashells", False),
        ("12", "12.5", False),
        ("50", "50%", True),
        ("50%", "50", True),
        ("0.5", "50%", False),
        ("50 apples", "50%", False),
        ("$50", "50%", False),
        ("5 dollars", "$5", True),
        ("€5", "$5", False),
    ],
)
def test_same_number(answer, accepted, same):
    assert same_number(read_quantity(answer), read_quantity(accepted)) is same
