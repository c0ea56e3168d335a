"""The likelihood of the model's own answer from its tokens."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from tests.support.flows import context, drive, settings
from turnsure.core.confidence import Confidence
from turnsure.core.errors import CapabilityError
from turnsure.core.generation import Generation, TokenLogprob
from turnsure.core.outcome import Failure
from turnsure.estimators.requests import answer_request
from turnsure.estimators.sequence_likelihood import (
    answer_tokens,
    sequence_likelihood_mean,
    sequence_likelihood_sum,
)
from turnsure.grading.extract import extract_answer
from turnsure.models.scripted import ALL_CAPABLE
from turnsure.store.wire import request_key

BOTH = [sequence_likelihood_mean, sequence_likelihood_sum]


def read_answer(text):
    read = extract_answer(text)
    return None if isinstance(read, Failure) else read.answer


def tokens(*pairs):
    return tuple(TokenLogprob(token=token, logprob=logprob) for token, logprob in pairs)


def reply(*pairs, text=None):
    spelled = "".join(token for token, _ in pairs) if text is None else text
    return Generation(texts=(spelled,), finish_reasons=("stop",), token_logprobs=(tokens(*pairs),))


def estimate(build, generation, answer="Peru", **changes):
    method = build(settings(read_answer=read_answer, **changes))
    result, [request] = drive(method.estimate(context(), answer), lambda _: generation)
    return result, request


def chosen(text, listed, answer):
    found, whose = answer_tokens(text, tokens(*listed), answer, read_answer)
    return [one.token for one in found], whose


BOXED = (("\\", -3.0), ("boxed", -3.0), ("{", -3.0), ("P", -0.1), ("eru", -0.3), ("}", -3.0))


def test_only_the_tokens_of_the_answer_count():
    mean, _ = estimate(sequence_likelihood_mean, reply(*BOXED))
    total, _ = estimate(sequence_likelihood_sum, reply(*BOXED))
    assert mean.value == pytest.approx(math.exp(-0.2), rel=1e-12)
    assert total.value == pytest.approx(math.exp(-0.4), rel=1e-12)
    assert mean.rule == total.rule == "tokens of the answer: 2"
    assert (mean.raw, mean.path) == ("Peru", "logprobs")
    assert (mean.method, total.method) == ("sequence_likelihood_mean", "sequence_likelihood_sum")


def test_a_token_that_shares_one_character_with_the_answer_counts():
    listed = [("\\boxed", -1), ("{P", -1), ("er", -1), ("u}.", -1), ("\n", -1)]
    assert chosen("\\boxed{Peru}.\n", listed, "Peru") == (["{P", "er", "u}."], "answer")


def test_of_several_mentions_the_one_counts_from_which_the_answer_is_read():
    listed = [("Peru", -1), (" or Chile? ", -1), ("\\boxed{", -1), (" Peru", -2), ("}", -1),
              (" since", -1), (" Peru", -3), (" has llamas.", -1)]  # fmt: skip
    text = "".join(token for token, _ in listed)
    found, whose = answer_tokens(text, tokens(*listed), "Peru", read_answer)
    assert ([one.logprob for one in found], whose) == ([-2], "answer")


def test_an_answer_over_a_line_break_is_found():
    listed = [("\\boxed{New", -1), ("\n", -1), ("York", -1), ("}", -1)]
    found = chosen("\\boxed{New\nYork}", listed, "New York")
    assert found == (["\\boxed{New", "\n", "York"], "answer")


def test_a_reply_that_is_the_answer_counts_as_found():
    assert chosen("Peru", [("Pe", -1), ("ru", -1), ("", -9)], "Peru") == (["Pe", "ru"], "answer")


def test_an_answer_that_is_not_there_as_it_is_takes_the_whole_reply():
    text = "\\boxed{1{,}000}"
    assert read_answer(text) == "1,000"
    listed = [("\\boxed{", -1), ("1{,}000", -1), ("}", -1), ("<|im_end|>", -9)]
    assert chosen(text, listed, "1,000") == (["\\boxed{", "1{,}000", "}"], "whole reply")


def test_white_space_that_the_server_took_off_shifts_nothing():
    listed = [(" ", -1), (" The answer is", -1), (" Peru", -2), (".", -1)]
    assert chosen("The answer is Peru.", listed, "Peru") == ([" Peru"], "answer")


@pytest.mark.parametrize(
    "listed", [[("São", -1)], [("\\xc3", -1), ("\\xa3", -1)], [("so: Peru", -1)]]
)
def test_tokens_that_do_not_spell_the_reply_all_count(listed):
    assert chosen("Peru", listed, "Peru") == ([token for token, _ in listed], "whole reply")


@pytest.mark.parametrize("build", BOTH)
def test_another_answer_cannot_be_judged(build):
    result, _ = estimate(build, reply(*BOXED), answer="Chile")
    assert isinstance(result, Failure)
    assert (result.kind, result.method) == ("not_own_answer", build(settings()).name)
    assert build(settings()).targets == ("answer",)


def test_the_same_answer_in_other_words_is_another_answer_here():
    result, _ = estimate(sequence_likelihood_sum, reply(*BOXED), answer="peru")
    assert isinstance(result, Failure)


def test_rounding_above_zero_is_zero():
    result, _ = estimate(sequence_likelihood_sum, reply(("Peru", 1e-7)))
    assert result.value == 1.0


@pytest.mark.parametrize("logprob", [1e-3, float("nan"), float("inf"), float("-inf")])
def test_what_is_no_log_probability_is_a_failure(logprob):
    result, _ = estimate(sequence_likelihood_mean, reply(("Peru", logprob)))
    assert isinstance(result, Failure)
    assert result.kind == "malformed_logprobs"


def test_the_smallest_float_is_probability_zero():
    result, _ = estimate(sequence_likelihood_sum, reply(("Peru", -3.4e38)))
    assert result.value == 0.0


@pytest.mark.parametrize("given", [(), ((),)])
def test_missing_log_probabilities_are_a_failure(given):
    bare = Generation(texts=("Peru",), finish_reasons=("stop",), token_logprobs=given)
    result, _ = estimate(sequence_likelihood_mean, bare)
    assert isinstance(result, Failure)
    assert result.kind == "no_logprobs"


def test_the_answer_is_not_asked_for_a_second_time():
    shared = settings(read_answer=read_answer, answer_logprobs=True)
    _, request = estimate(sequence_likelihood_mean, reply(*BOXED))
    assert request_key("m", request) == request_key("m", answer_request(context(), shared))
    assert request.logprobs
    assert not answer_request(context(), shared, samples=3).logprobs
    assert not answer_request(context(), settings()).logprobs


@pytest.mark.parametrize("build", BOTH)
def test_a_model_without_log_probabilities_is_refused_with_a_way_out(build):
    blind = replace(ALL_CAPABLE, label_probabilities="none", max_top_logprobs=0)
    with pytest.raises(CapabilityError, match=r"sequence_likelihood.*; instead: .*top_k_verb"):
        build(settings()).check(blind, model="m")


def test_a_reply_of_blanks_is_judged_whole():
    blank = settings(read_answer=lambda text: text)
    method = sequence_likelihood_mean(blank)
    result, _ = drive(method.estimate(context(), " "), lambda _: reply((" ", -1.0)))
    assert isinstance(result, Confidence)
    assert result.rule == "tokens of the whole reply: 1"
