import pytest

from turnsure.core.errors import InputError
from turnsure.core.protocols import Grader
from turnsure.grading.match import MatchGrader, mentions

GRADER: Grader = MatchGrader()


@pytest.mark.parametrize(
    ("answer", "accepted", "rule"),
    [
        ("Paris", "Paris", "exact"),
        (" New  York ", "New York", "exact"),
        ("paris", "Paris", "case"),
        ("МОСКВА", "Москва", "case"),
        ("Paris.", "Paris", "normalised"),
        ("the Beatles", "Beatles", "normalised"),
        ("Kanye_West", "Kanye West", "normalised"),
        ("Beyonce", "Beyoncé", "normalised"),
        ("Guinea Bissau", "Guinea-Bissau", "normalised"),
        ("AC/DC", "AC DC", "normalised"),
        ("1,000", "1000", "normalised"),
        ("1000.0", "1000", "number"),
        ("$16", "16", "number"),
        ("16 seashells", "16", "number"),
        ("16 km/h", "16", "number"),
        ("0.5", "1/2", "number"),
        ("Mercury (planet)", "Mercury", "parenthesis"),
        ("Mercury", "Mercury (planet)", "parenthesis"),
        ("Bogor, Indonesia", "Bogor", "place"),
        ("Bogor", "Bogor, Indonesia", "place"),
        ("Portland, OR", "Portland", "place"),
    ],
)
def test_right_answers(answer, accepted, rule):
    outcome = GRADER.grade(answer, [accepted])
    assert (outcome.correct, outcome.rule, outcome.matched) == (True, rule, accepted)
    assert outcome.grader == "match"
    assert GRADER.same(answer, accepted)


@pytest.mark.parametrize(
    ("answer", "accepted", "rule"),
    [
        ("Niger", "Nigeria", "none"),
        ("Guinea", "Guinea-Bissau", "none"),
        ("Korea", "North Korea", "none"),
        ("York", "New York", "none"),
        ("New York", "York", "none"),
        ("not France", "France", "none"),
        ("Paris, Texas", "Paris, France", "none"),
        ("France, Spain", "France", "none"),
        ("Mercury (planet)", "Mercury (element)", "none"),
        ("12", "12.5", "none"),
        ("-5", "5", "none"),
        ("C", "C++", "none"),
        ("10²", "102", "none"),
        ("1 2", "1/2", "none"),
        ("й", "и", "none"),
        ("が", "か", "none"),
        ("!!!", "???", "none"),
        ("", "France", "none"),
        ("France or Spain", "France", "several"),
        ("France/Spain", "France", "several"),
        ("France; Spain", "France", "several"),
        ("France (or Spain)", "France", "several"),
        ("16 or 17", "16", "several"),
        ("Paris, Rome or Berlin, Germany", "Paris", "several"),
    ],
)
def test_wrong_answers(answer, accepted, rule):
    outcome = GRADER.grade(answer, [accepted])
    assert (outcome.correct, outcome.rule, outcome.matched) == (False, rule, None)
    assert not GRADER.same(answer, accepted)
    assert not GRADER.same(accepted, answer)


def test_the_strictest_rule_decides_which_accepted_answer_matched():
    assert GRADER.grade("schön", ["schon", "schön"]).matched == "schön"
    assert GRADER.grade("Mercury (planet)", ["Mercury", "mercury (planet)"]).rule == "case"


def test_any_accepted_answer_will_do():
    assert GRADER.grade("Burma", ["Myanmar", "Burma"]).correct


def test_an_accepted_answer_with_alternatives_is_taken_literally():
    assert GRADER.grade("true or false", ["True or false"]).rule == "case"


@pytest.mark.parametrize("accepted", [[], [" "], ["Paris", ""], "Paris"])
def test_nothing_to_compare_with_is_an_error(accepted):
    with pytest.raises(InputError, match="accepted"):
        GRADER.grade("Paris", accepted)


def test_alternatives_within_an_accepted_answer_do_not_spoil_the_name_before_them():
    outcome = GRADER.grade("Benz", ["Benz (accept Daimler-Benz or Mercedes-Benz)"])
    assert (outcome.correct, outcome.rule) == (True, "parenthesis")


def test_same_does_not_depend_on_which_side_has_the_unit():
    assert GRADER.same("16", "16 seashells")
    assert GRADER.same("16 seashells", "16")
    assert not GRADER.same("16 seashells", "16 crabs")


@pytest.mark.parametrize(
    ("answer", "accepted", "expected"),
    [
        ("He is Larry Bird, the legend", ["Larry Bird"], True),
        ("It is not FRANCE", ["Spain", "France"], True),
        ("Nigeria is large", ["Niger"], False),
        ("It lies in Europe", ["France"], False),
        ("anything", ["…"], False),
    ],
)
def test_a_statement_mentions_whole_names(answer, accepted, expected):
    assert mentions(answer, accepted) is expected
