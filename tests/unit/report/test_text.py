from __future__ import annotations

import pytest

from turnsure.core.results import Interval, MetricResult, Undefined
from turnsure.report.text import (
    count,
    interval,
    interval_kind,
    kinds,
    number,
    p_value,
    printable,
    provenance,
    score,
    setting,
    shortened,
    signed,
)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.1234, "percent", "12.3"),
        (-0.051, "percent", "−5.1"),
        (1.0, "percent", "100.0"),
        (-0.0001, "percent", "0.0"),
        (0.1875, "fraction", ".188"),
        (1.0, "fraction", "1.000"),
        (0.0, "fraction", ".000"),
        (-0.015, "fraction", "−.015"),
        (10.05, "fraction", "10.050"),
        (-0.0001, "fraction", ".000"),
    ],
)
def test_numbers(value, unit, shown):
    assert number(value, unit) == shown


def test_interval_and_what_it_is():
    bounds = Interval(low=-0.1, high=0.25, method="cluster_bootstrap", n_resamples=2000)
    assert interval(bounds, "percent") == "[−10.0, 25.0]"
    assert interval_kind(bounds) == "95 % cluster bootstrap, 2,000 resamples"
    assert interval_kind(Interval(low=0, high=1, level=0.9, method="wilson")) == "90 % wilson"


def test_a_number_travels_with_its_counts_and_definition():
    result = MetricResult(
        name="info_ece",
        value=0.1,
        interval=Interval(low=0.0, high=0.2, method="wilson"),
        n_turns=1200,
        n_dialogues=1,
        n_failed=3,
        direction="lower",
        definition={"bins": 10},
        details={"n_empty_bins": 2},
    )
    assert provenance(result) == (
        "1,200 scored turns; 1 dialogue; 3 left out; 95 % wilson; bins: 10; n empty bins: 2"
    )
    assert provenance(Undefined(name="auroc", reason="one class")) == "not defined: one class"


@pytest.mark.parametrize(
    ("value", "shown"), [(0.8, "80"), (0.4128, "41.3"), (0.0, "0"), (1.0, "100"), (0.29, "29")]
)
def test_scores_have_a_decimal_only_where_needed(value, shown):
    assert score(value) == shown


def test_counts():
    assert count(1, "turn") == "1 turn"
    assert count(0, "turn") == "0 turns"
    assert count(1200, "turn") == "1,200 turns"
    assert kinds({"timeout": 2, "unparsable": 10, "rejected": 0, "a": 2}) == (
        "unparsable 10, a 2, timeout 2"
    )
    assert kinds({"bad\x1b[31m\u202ekind": 1}) == "bad [31m kind 1"


def test_printable_keeps_letters_of_every_script_and_drops_what_steers():
    assert printable("naïve שלום 中文 🙂") == "naïve שלום 中文 🙂"
    assert printable("a\nb\tc\x00d\x1be\u202ef\ud83dg\u2028h") == "a b c d e f g h"


def test_shortened():
    assert shortened("abcdef", 6) == "abcdef"
    assert shortened("abcdefg", 6) == "abcde…"
    assert shortened("abcd efg", 6) == "abcd…"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.1234, "percent", "+12.3"),
        (-0.1234, "percent", "−12.3"),
        (0.0004, "percent", "0.0"),
        (-0.0004, "percent", "0.0"),
        (0.0, "fraction", ".000"),
        (0.05, "fraction", "+.050"),
    ],
)
def test_differences_have_a_sign_unless_they_round_to_nothing(value, unit, shown):
    assert signed(value, unit) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [(None, "—"), (0.0009, "<.001"), (0.001, ".001"), (0.0496, ".050"), (1.0, "1.000")],
)
def test_p_values(p, shown):
    assert p_value(p) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "—"),
        ([], "—"),
        (["p_true", "cot_verb"], "p_true, cot_verb"),
        (True, "yes"),
        (0, "0"),
        ("all", "all"),
    ],
)
def test_a_setting_reads_as_its_user_would_write_it(value, shown):
    assert setting(value) == shown
