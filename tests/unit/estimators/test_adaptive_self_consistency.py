"""Self-consistency that stops early."""

from __future__ import annotations

import random
from dataclasses import replace

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.flows import context, drive, settings, texts
from turnsure.core.confidence import Confidence
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.estimators.adaptive_self_consistency import (
    SAMPLES,
    adaptive_self_consistency,
    samples_drawn,
)
from turnsure.estimators.self_consistency import self_consistency
from turnsure.store.wire import request_key

SEED = context().seed


def adaptive(m=20, **changes):
    return adaptive_self_consistency(settings(samples=m, **changes))


def sampler(sequence):
    """A model whose sample of seed ``SEED + j`` is the j-th of a sequence."""

    def reply(request):
        first = request.seed - SEED
        return texts(*sequence[first : first + request.n])

    return reply


def asked_for(requests):
    return [(request.n, request.seed - SEED, request.tag) for request in requests]


def estimate(method, sequence, answer="Peru"):
    return drive(method.estimate(context(), answer), sampler(sequence))


def test_samples_of_one_mind_end_it_after_the_first_batch():
    result, asked = estimate(adaptive(), ["peru"] * 20)
    assert result.value == 1.0
    assert result.rule == "5 of 5 agree, stopped at 5 of 20, 0 unreadable"
    assert (result.scale, result.path) == ("probability", "sampled")
    assert asked_for(asked) == [(5, 0, SAMPLES)]
    none, _ = estimate(adaptive(), ["Chad"] * 20)
    assert none.value == 0.0


def test_others_end_it_when_half_of_all_are_drawn():
    """Then no further sample can move the share of all m by more than a quarter from the middle."""
    result, asked = estimate(adaptive(), ["Peru", "Chad"] * 10)
    assert result.value == 0.5
    assert result.rule == "5 of 10 agree, stopped at 10 of 20, 0 unreadable"
    assert asked_for(asked) == [(5, 0, SAMPLES), (5, 5, SAMPLES)]


def test_the_share_allows_for_the_stopping():
    # Nine of ten count only if the first five were not of one mind, so with four of those.
    result, _ = estimate(adaptive(), ["Chad", *["Peru"] * 19])
    assert result.value == pytest.approx(0.8)
    assert result.rule == "9 of 10 agree, stopped at 10 of 20, 0 unreadable"


def test_a_narrower_interval_takes_more_samples_and_the_last_batch_is_what_is_left():
    result, asked = estimate(
        adaptive(m=13, adaptive_batch=4, adaptive_half_width=0.01), ["Peru", "Chad"] * 7
    )
    assert [request.n for request in asked] == [4, 4, 4, 1]
    assert result.rule == "7 of 13 agree, stopped at 13 of 13, 0 unreadable"
    assert result.value == pytest.approx(7 / 13)


def test_a_batch_of_all_samples_is_the_request_of_self_consistency():
    [[adaptively], [plainly]] = (
        estimate(make(settings(samples=5)), ["Peru"] * 5)[1]
        for make in (adaptive_self_consistency, self_consistency)
    )
    assert request_key("m", adaptively) == request_key("m", plainly)
    assert adaptively.tag != plainly.tag


def test_another_answer_at_the_turn_asks_for_the_same_batches():
    sequence = [*["Peru"] * 5, *["Chad", "Mali"] * 8]
    _, own = estimate(adaptive(), sequence)
    _, gold = estimate(adaptive(), ["Peru", *sequence])
    assert asked_for(own) == asked_for(gold)[: len(own)]


def test_it_goes_on_while_no_sample_can_be_read():
    result, asked = estimate(adaptive(), [*[""] * 5, *["Chad"] * 15])
    assert len(asked) == 2
    assert result.value == 0.0
    assert result.rule == "0 of 10 agree, stopped at 10 of 20, 5 unreadable"


def test_without_any_readable_sample_it_fails_and_counts_them_all():
    result, asked = estimate(adaptive(), [""] * 20)
    assert isinstance(result, Failure)
    assert (result.kind, sum(request.n for request in asked)) == ("unreadable_samples", 20)
    assert "20 samples" in result.message


def test_a_failed_or_short_batch_is_a_failure():
    gone = Failure(stage="generation", kind="timeout", message="no answer")

    def second_fails(request):
        return gone if request.seed > SEED else texts("Peru", "Chad", "Peru", "Chad", "Peru")

    result, _ = drive(adaptive().estimate(context(), "Peru"), second_fails)
    assert result == gone
    short, _ = drive(adaptive().estimate(context(), "Peru"), lambda _: texts("Peru"))
    assert short.kind == "missing_samples"


def test_its_definition_holds_all_that_decides_when_it_stops():
    definitions = [
        adaptive(**changes).definition
        for changes in (
            {},
            {"m": 19},
            {"adaptive_batch": 4},
            {"adaptive_half_width": 0.2},
            {"adaptive_level": 0.9},
        )
    ]
    assert len({tuple(sorted(one.items())) for one in definitions}) == len(definitions)
    assert definitions[0].items() >= self_consistency(settings(samples=20)).definition.items()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("adaptive_batch", 0),
        ("adaptive_half_width", 0.0),
        ("adaptive_half_width", 0.51),
        ("adaptive_half_width", float("nan")),
        ("adaptive_level", 0.0),
        ("adaptive_level", 1.0),
    ],
)
def test_settings_that_make_no_sense_are_refused(name, value):
    with pytest.raises(InputError) as caught:
        settings(**{name: value})
    assert caught.value.field == name


def test_how_many_samples_it_rests_on_is_read_from_the_rule():
    result, _ = estimate(adaptive(), ["Peru", "Chad"] * 10)
    assert samples_drawn(result) == 10
    assert samples_drawn(replace(result, method="self_consistency")) is None
    assert samples_drawn(replace(result, rule=None)) is None


@hypothesis.settings(max_examples=60, deadline=None)
@given(
    sequence=st.lists(st.sampled_from(["Peru", "Chad", ""]), min_size=1, max_size=24),
    batch=st.integers(1, 7),
    half_width=st.floats(0.01, 0.5),
    level=st.floats(0.5, 0.999),
)
def test_it_stops_where_its_rule_allows_it_and_nowhere_else(sequence, batch, half_width, level):
    m = len(sequence)
    method = adaptive(
        m=m, adaptive_batch=batch, adaptive_half_width=half_width, adaptive_level=level
    )
    result, asked = estimate(method, sequence)
    drawn = sum(request.n for request in asked)
    assert drawn <= m
    assert [request.seed - SEED for request in asked] == list(range(0, drawn, batch))

    def may_stop(n):
        so_far = sequence[:n]
        return any(so_far) and method.may_stop(so_far.count("Peru"), n)

    assert not any(may_stop(n) for n in range(batch, drawn, batch))
    assert drawn == m or may_stop(drawn)
    whole, _ = estimate(self_consistency(settings(samples=m)), sequence)
    assert isinstance(result, Failure) == isinstance(whole, Failure)
    if isinstance(result, Confidence):
        assert samples_drawn(result) == drawn
        low, high = (sequence[:drawn].count("Peru") / m, 1 - sequence[:drawn].count("Chad") / m)
        assert low <= whole.value <= high + 1e-12


@pytest.mark.parametrize("chance", [0.1, 0.5, 0.9])
def test_how_many_samples_it_takes_on_average(chance):
    """Five where they are of one mind, else ten: 7.05, 9.69 and 7.05 of 20."""
    rng, method = random.Random(7), adaptive()
    drawn, values = [], []
    for _ in range(400):
        sequence = ["Peru" if rng.random() < chance else "Chad" for _ in range(20)]
        result, asked = estimate(method, sequence)
        drawn.append(sum(request.n for request in asked))
        values.append(result.value)
    expected = 10 - 5 * (chance**5 + (1 - chance) ** 5)
    assert sum(drawn) / 400 == pytest.approx(expected, abs=0.4)
    assert sum(values) / 400 == pytest.approx(chance, abs=0.03)
