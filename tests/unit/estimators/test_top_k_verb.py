"""k guesses with a probability each."""

from __future__ import annotations

import pytest

from tests.support.flows import context, drive, settings, texts
from turnsure.core.confidence import Confidence
from turnsure.core.generation import Generation
from turnsure.core.outcome import Failure
from turnsure.estimators.top_k_verb import top_k_verb

LIST = (
    "Guess 1: Peru\nProbability 1: 60\nGuess 2: Chile\nProbability 2: 25%\n"
    "Guess 3: Chad\nProbability 3: 0"
)


def ask(reply, answer="Peru", **changes):
    reply = texts(reply) if isinstance(reply, str) else reply
    result, [request] = drive(
        top_k_verb(settings(**changes)).estimate(context(), answer), lambda _: reply
    )
    return result, request


@pytest.mark.parametrize(
    ("answer", "value", "rule"),
    [
        ("Peru", 0.6, "guess 1 of 3, integer"),
        ("CHILE", 0.25, "guess 2 of 3, percent"),
        ("Chad", 0.0, "guess 3 of 3, integer"),
        ("Japan", 0.0, "not among the 3 guesses"),
    ],
)
def test_the_confidence_is_what_was_stated_for_the_matching_guess(answer, value, rule):
    result, _ = ask(LIST, answer)
    assert (result.value, result.rule) == (value, rule)
    assert (result.scale, result.path, result.raw) == ("ordinal", "parsed", LIST)


def test_one_request_serves_every_answer_and_names_none():
    _, first = ask(LIST, "Peru")
    _, second = ask(LIST, "Zanzibar")
    assert first == second
    assert "Peru" not in str(first.messages)
    assert (first.temperature, first.n, first.max_tokens) == (0.0, 1, 192)


def test_k_is_asked_for_and_what_goes_beyond_is_not_read():
    result, request = ask(LIST, "Chad", guesses=2)
    assert "2 best different guesses" in request.messages[-1].content
    assert "{k}" not in request.messages[-1].content
    assert result.rule == "not among the 2 guesses"


def test_a_guess_listed_twice_counts_with_its_first_probability():
    result, _ = ask("1. Peru (60%)\n2. peru (70%)\n3. Chile (5%)")
    assert result.value == 0.6


def test_fractions_are_read_on_their_scale():
    result, _ = ask("1. Peru: 0.6\n2. Chile: 0.3\n3. Chad: 0", "Chile")
    assert (result.value, result.rule) == (0.3, "guess 2 of 3, fraction")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        ("", "empty"),
        ("It must be Peru.", "unparsable"),
        ("1. Peru\n2. Chile", "unparsable"),
        ("1. Peru: 150", "out_of_range"),
        ("1. Peru: -5%\n2. Chile: 20%", "out_of_range"),
        ("1. Peru: 1.0\n2. Chile: 20", "ambiguous"),
        ("1. Peru: 0.7\n2. Chile: 20", "ambiguous"),
        ("Guess 1: Peru\nProbability 1: high\nGuess 2: Chile\nProbability 2: 9", "unparsable"),
        ("Guess 1: your likeliest guess\nProbability 1: a number from 0 to 100", "placeholder"),
    ],
)
def test_what_cannot_be_read_is_a_failure_with_its_text(reply, kind):
    result, _ = ask(reply)
    assert isinstance(result, Failure)
    assert (result.kind, result.method, result.raw) == (kind, "top_k_verb", reply)


def test_another_guess_that_cannot_be_read_harms_nothing():
    result, _ = ask("1. Peru: 60\n2. Chile: 150", "Peru")
    assert result.value == 0.6
    result, _ = ask("1. Peru: 60\n2. Chile: 150", "Japan")
    assert result.value == 0.0


def cut(text):
    return Generation(texts=(text,), finish_reasons=("length",))


def test_of_a_list_that_was_cut_off_only_whole_lines_are_read():
    begun = "Guess 1: Peru\nProbability 1: 60\nGuess 2: Chile\nProbability 2: 2"
    assert ask(cut(begun))[0].value == 0.6
    for answer, kind in (("Chile", "unparsable"), ("Japan", "cut")):
        result, _ = ask(cut(begun), answer)
        assert isinstance(result, Failure)
        assert result.kind == kind
    result, _ = ask(cut("Guess 1: Pe"))
    assert result.kind == "cut"


def test_a_list_that_is_whole_may_be_followed_by_talk_that_was_cut_off():
    result, _ = ask(cut(f"{LIST}\nGuess 4: Mali\nProbability 4: 1\nI chose these beca"), "Japan")
    assert isinstance(result, Confidence)
    assert result.rule == "not among the 4 guesses"


def test_the_number_of_guesses_is_part_of_the_definition():
    assert top_k_verb(settings(guesses=3)).definition["k"] == "3"
