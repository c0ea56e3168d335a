"""Each method fed with generations, without a model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.flows import context, drive, label_mass, settings, texts
from turnsure.core.confidence import Confidence
from turnsure.core.errors import CapabilityError, InputError
from turnsure.core.generation import Generation, LabelReading
from turnsure.core.outcome import Failure
from turnsure.estimators.label_probe import p_sufficient, p_true
from turnsure.estimators.self_consistency import self_consistency
from turnsure.estimators.verbalised import cot_verb, vanilla_verb
from turnsure.models.scripted import ALL_CAPABLE

GONE = Failure(stage="generation", kind="timeout", message="no answer")


def confidence_of(method, reply, answer="Peru"):
    result, asked = drive(method.estimate(context(), answer), lambda _: reply)
    return result, asked


@pytest.mark.parametrize("build", [vanilla_verb, cot_verb])
def test_a_verbalised_number_is_read_from_one_greedy_reply(build):
    reply = texts("### Analysis: \\boxed{hm}\n### Confidence: \\boxed{85}")
    result, [request] = confidence_of(build(settings()), reply)
    assert isinstance(result, Confidence)
    assert (result.value, result.scale, result.path) == (0.85, "ordinal", "parsed")
    assert result.raw == reply.texts[0]
    assert (request.temperature, request.n, request.labels) == (0.0, 1, None)
    assert "Proposed Answer: Peru" in request.messages[-1].content


def test_only_chain_of_thought_asks_for_reasoning():
    plain, [short] = confidence_of(vanilla_verb(settings()), texts("5"))
    thought, [long] = confidence_of(cot_verb(settings()), texts("5"))
    assert plain.value == thought.value == 0.05
    assert "step by step" not in short.messages[-1].content
    assert "step by step" in long.messages[-1].content
    assert long.max_tokens > short.max_tokens


def test_what_cannot_be_read_keeps_its_text():
    result, _ = confidence_of(vanilla_verb(settings()), texts("Rather sure."))
    assert isinstance(result, Failure)
    assert (result.method, result.raw) == ("vanilla_verb", "Rather sure.")


def test_self_consistency_is_the_share_of_all_samples_that_agree():
    result, [request] = confidence_of(
        self_consistency(settings()), texts("peru", "Chad", "", "PERU")
    )
    assert result.value == 2 / 4
    assert (result.scale, result.path) == ("probability", "sampled")
    assert result.rule == "2 of 4 agree, 1 unreadable"
    assert (request.n, request.temperature, request.seed) == (4, 1.0, 11)


def test_a_second_answer_at_the_same_turn_needs_no_new_samples():
    method = self_consistency(settings())
    _, first = confidence_of(method, texts(*"abcd"), answer="Peru")
    _, second = confidence_of(method, texts(*"abcd"), answer="Chad")
    assert first == second


def test_too_few_samples_are_a_failure_and_not_a_smaller_m():
    result, _ = confidence_of(self_consistency(settings()), texts("peru", "peru"))
    assert isinstance(result, Failure)
    assert result.kind == "missing_samples"


@pytest.mark.parametrize("build", [p_true, p_sufficient])
def test_a_probe_reads_both_labels(build):
    result, [request] = confidence_of(build(settings()), label_mass(A=0.3, B=0.1))
    assert result.value == pytest.approx(0.75)
    assert result.label_mass == pytest.approx(0.4)
    assert result.off_format
    assert request.labels == ("A", "B")


def test_a_probe_without_either_label_is_a_failure():
    reading = LabelReading(
        mass={"A": 0.001, "B": 0.001}, truncated=("A", "B"), n_top=20, outside={"The": 0.9}
    )
    result, _ = confidence_of(p_true(settings()), Generation(labels=reading))
    assert isinstance(result, Failure)
    assert (result.kind, result.raw) == ("labels_absent", "'The' 0.90")


def test_labels_without_any_probability_are_a_failure():
    result, _ = confidence_of(p_true(settings()), label_mass(A=0.0, B=0.0))
    assert isinstance(result, Failure)
    assert result.kind == "labels_absent"


def test_a_bounded_label_is_marked():
    reading = LabelReading(mass={"A": 0.9, "B": 0.001}, truncated=("B",), n_top=20)
    result, _ = confidence_of(p_true(settings()), Generation(labels=reading))
    assert result.truncated


def test_sampled_reading_counts_letters_that_stand_alone():
    sampled = settings(label_reading="sampled", samples=6)
    reply = texts("A", "**B**", "A.", "A country", "(A)", "Because")
    result, [request] = confidence_of(p_true(sampled), reply)
    assert result.value == pytest.approx(3 / 4)
    assert result.label_mass == pytest.approx(4 / 6)
    assert result.path == "sampled"
    assert (request.labels, request.n) == (None, 6)


def test_sampled_reading_without_any_letter_is_a_failure():
    sampled = settings(label_reading="sampled", samples=2)
    result, _ = confidence_of(p_true(sampled), texts("Yes", "No"))
    assert isinstance(result, Failure)
    assert result.kind == "labels_absent"


def test_a_probe_says_before_the_first_call_what_is_missing():
    blind = replace(ALL_CAPABLE, label_probabilities="none", max_top_logprobs=0)
    with pytest.raises(
        CapabilityError, match=r"p_true.*log-probabilities.*--label-reading sampled"
    ):
        p_true(settings()).check(blind, model="m")
    p_true(settings(label_reading="sampled")).check(blind, model="m")


@pytest.mark.parametrize("build", [vanilla_verb, cot_verb, self_consistency, p_true, p_sufficient])
def test_a_failed_call_is_handed_on_as_it_is(build):
    result, _ = confidence_of(build(settings()), GONE)
    assert result == GONE


@pytest.mark.parametrize("build", [vanilla_verb, cot_verb, p_true, p_sufficient])
def test_an_empty_generation_is_a_failure(build):
    result, _ = confidence_of(build(settings()), Generation())
    assert isinstance(result, Failure)
    assert result.kind == "empty"


@pytest.mark.parametrize(
    "bad", [{"samples": 0}, {"temperature": 0.0}, {"answer_tokens": 0}, {"number_tokens": -1}]
)
def test_settings_out_of_range_are_refused(bad):
    with pytest.raises(InputError):
        settings(**bad)
