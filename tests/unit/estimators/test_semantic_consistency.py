"""Self-consistency over meanings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.flows import context, drive, label_mass, settings, texts
from turnsure.core.confidence import Confidence
from turnsure.core.errors import CapabilityError, InputError
from turnsure.core.generation import Generation
from turnsure.core.outcome import Failure
from turnsure.estimators.self_consistency import self_consistency
from turnsure.estimators.semantic_consistency import semantic_consistency
from turnsure.models.scripted import ALL_CAPABLE

SAMPLES = ("UK", "Britain", "uk", "Chile", "", "the United Kingdom", "Britain", "UK")
MEANINGS = [{"uk", "britain", "the united kingdom"}, {"chile", "the chilean state"}]


def same_meaning(one, other):
    return any({one.casefold(), other.casefold()} <= meaning for meaning in MEANINGS)


def judging(*samples):
    """A model that gives the samples, and judges by MEANINGS."""

    def reply(request):
        if request.tag == "samples":
            return texts(*samples)
        if request.embed:
            name = request.messages[-1].content.casefold()
            place = next((i for i, one in enumerate(MEANINGS) if name in one), 2)
            vector = [0.0, 0.0, 0.0, 0.1]
            vector[place] = 1.0
            return Generation(embedding=tuple(vector))
        shown = request.messages[-1].content
        one = shown.split("First Answer: ")[1].split("\n")[0]
        other = shown.split("Second Answer: ")[1].split("\n")[0]
        return label_mass(A=0.8, B=0.1) if same_meaning(one, other) else label_mass(A=0.1, B=0.5)

    return reply


def estimate(answer, *samples, **changes):
    method = semantic_consistency(settings(samples=len(samples), **changes))
    return drive(method.estimate(context(), answer), judging(*samples))


EMBEDDING = {"grouping": "embedding", "embeddings": True}
MEANT = [{"grouping": "judge"}, EMBEDDING]


@pytest.mark.parametrize("how", MEANT)
@pytest.mark.parametrize(
    ("answer", "agreeing"),
    [("UK", 6), ("Britain", 6), ("the United Kingdom", 6), ("the Chilean state", 1), ("Japan", 0)],
)
def test_paraphrases_count_as_one(how, answer, agreeing):
    result, _ = estimate(answer, *SAMPLES, **how)
    assert isinstance(result, Confidence)
    assert result.value == agreeing / 8
    assert result.rule == f"{agreeing} of 8 mean the same, 2 meanings, 1 unreadable"
    assert (result.scale, result.path) == ("probability", "sampled")


@pytest.mark.parametrize(("answer", "agreeing"), [("uk", 3), ("Britain", 2), ("Japan", 0)])
def test_by_rule_only_what_matches_is_one(answer, agreeing):
    result, asked = estimate(answer, *SAMPLES)
    assert result.value == agreeing / 8
    assert result.rule == f"{agreeing} of 8 mean the same, 4 meanings, 1 unreadable"
    assert result.label_mass is None
    assert len(asked) == 1


def test_matching_counts_along_chains():
    links = [{"a", "b"}, {"b", "c"}]
    changes = {"same_answer": lambda one, other: one == other or {one, other} in links}
    assert estimate("a", "a", "b", "c", "d", **changes)[0].value == 3 / 4
    alone, _ = drive(
        self_consistency(settings(samples=4, **changes)).estimate(context(), "a"),
        judging("a", "b", "c", "d"),
    )
    assert alone.value == 2 / 4


def test_the_samples_are_those_of_self_consistency():
    _, [plain] = drive(
        self_consistency(settings(samples=8)).estimate(context(), "UK"), judging(*SAMPLES)
    )
    _, asked = estimate("UK", *SAMPLES, grouping="judge")
    assert asked[0] == plain
    assert all(request.tag == "same_meaning" for request in asked[1:])


def test_the_judge_is_asked_no_more_than_answers_times_clusters():
    samples = ("a", "a", "a", "b", "b", "c", "c", "c", "d")
    _, asked = estimate("a", *samples, grouping="judge")
    pairs = [
        tuple(
            request.messages[-1].content.split(f"{which} Answer: ")[1].split("\n")[0]
            for which in ("First", "Second")
        )
        for request in asked[1:]
    ]
    # The most frequent are compared first, every one with the representatives before it.
    assert pairs == [("a", "c"), ("a", "b"), ("c", "b"), ("a", "d"), ("c", "d"), ("b", "d")]


def test_equal_samples_and_answer_need_no_judge_and_no_embedding():
    for how in MEANT:
        result, asked = estimate("Peru", "peru", "PERU", "Peru", **how)
        assert (result.value, len(asked)) == (1.0, 1)


def test_a_second_answer_at_the_turn_repeats_the_requests_about_the_samples():
    for how in MEANT:
        _, first = estimate("UK", *SAMPLES, **how)
        _, second = estimate("Japan", *SAMPLES, **how)
        assert set(first) <= set(second)


def test_the_least_sure_format_of_the_probes_is_kept():
    result, _ = estimate("UK", *SAMPLES, grouping="judge")
    assert result.label_mass == pytest.approx(0.6)


def test_an_even_judgement_keeps_answers_apart():
    def even(request):
        return texts("a", "b") if request.tag == "samples" else label_mass(A=0.4, B=0.4)

    method = semantic_consistency(settings(samples=2, grouping="judge"))
    result, _ = drive(method.estimate(context(), "a"), even)
    assert result.value == 1 / 2


@pytest.mark.parametrize("how", MEANT)
def test_a_failed_judgement_fails_the_method(how):
    gone = Failure(stage="generation", kind="timeout", message="no answer")

    def silent(request):
        return texts("a", "b") if request.tag == "samples" else gone

    method = semantic_consistency(settings(samples=2, **how))
    assert drive(method.estimate(context(), "a"), silent)[0] == gone


def test_an_embedding_without_a_direction_is_a_failure():
    def blank(request):
        return texts("a", "b") if request.tag == "samples" else Generation()

    method = semantic_consistency(settings(samples=2, **EMBEDDING))
    result, _ = drive(method.estimate(context(), "a"), blank)
    assert isinstance(result, Failure)
    assert (result.kind, result.method) == ("malformed_embedding", "semantic_consistency")


def test_the_threshold_decides_what_is_alike():
    loose, _ = estimate("UK", *SAMPLES, **EMBEDDING, embedding_threshold=0.005)
    assert loose.value == 7 / 8  # the vectors of the two countries have a cosine of 0.0099


def test_samples_without_any_readable_answer_are_a_failure():
    result, _ = estimate("UK", "", "", "", "", grouping="judge")
    assert isinstance(result, Failure)
    assert result.kind == "unreadable_samples"


def test_what_the_groupings_need_is_said_before_the_first_call():
    blind = replace(ALL_CAPABLE, label_probabilities="none", max_top_logprobs=0)
    semantic_consistency(settings()).check(blind, model="m")
    with pytest.raises(CapabilityError, match=r"semantic_consistency.*log-probabilities"):
        semantic_consistency(settings(grouping="judge")).check(blind, model="m")
    semantic_consistency(settings(grouping="judge", label_reading="sampled")).check(
        blind, model="m"
    )
    with pytest.raises(CapabilityError, match=r"semantic_consistency needs embeddings.*match"):
        semantic_consistency(settings(grouping="embedding")).check(ALL_CAPABLE, model="m")
    semantic_consistency(settings(**EMBEDDING)).check(ALL_CAPABLE, model="m")


def test_a_prefill_that_cannot_be_had_names_its_own_section():
    begun = settings(grouping="judge")
    prompts = {
        name: replace(one, prefill="**") if name == "same_meaning" else one
        for name, one in begun.templates.prompts.items()
    }
    begun = replace(begun, templates=replace(begun.templates, prompts=prompts))
    with pytest.raises(CapabilityError, match=r"\[same_meaning\] prefill"):
        semantic_consistency(begun).check(replace(ALL_CAPABLE, prefill=False), model="m")


def test_each_grouping_is_a_definition_of_its_own():
    ways = [{}, {"grouping": "judge"}, EMBEDDING, {**EMBEDDING, "embedding_threshold": 0.8}]
    definitions = [semantic_consistency(settings(**way)).definition for way in ways]
    assert all(one != other for i, one in enumerate(definitions) for other in definitions[:i])
    assert "Second Answer: {other}" in definitions[1]["judge template"]


@pytest.mark.parametrize(
    "bad",
    [
        {"grouping": "guess"},
        {"embedding_threshold": -1.0},
        {"embedding_threshold": 1.1},
        {"embedding_threshold": float("nan")},
        {"guesses": 0},
        {"guesses_tokens": 0},
    ],
)
def test_settings_out_of_range_are_refused(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        settings(**bad)
