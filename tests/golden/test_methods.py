"""Methods on values that were published or are worked out by hand."""

from __future__ import annotations

import math

import pytest

from tests.support.flows import context, drive, label_mass, settings, texts
from turnsure.core.generation import Generation, TokenLogprob
from turnsure.estimators.ensemble import cross_fitted, fold_of
from turnsure.estimators.p_true_averaged import p_true_averaged
from turnsure.estimators.semantic_consistency import semantic_consistency
from turnsure.estimators.sequence_likelihood import (
    sequence_likelihood_mean,
    sequence_likelihood_sum,
)
from turnsure.numerics.logistic import fit_logistic

# Kuhn, Gal & Farquhar: Semantic Uncertainty (ICLR 2023), table 1: "What is the capital of France?"
# with likelihoods 0.5, 0.4 and 0.1; where "Paris" and "It's Paris" mean the same, that meaning has
# 0.9.  As ten samples:
NO_TWO_ALIKE = ("Paris",) * 5 + ("Rome",) * 4 + ("London",)
TWO_ALIKE = ("Paris",) * 5 + ("It's Paris",) * 4 + ("London",)


@pytest.mark.parametrize(
    ("samples", "shares"),
    [
        (NO_TWO_ALIKE, {"Paris": 0.5, "Rome": 0.4, "London": 0.1}),
        (TWO_ALIKE, {"Paris": 0.9, "It's Paris": 0.9, "London": 0.1}),
    ],
)
def test_capital_of_france(samples, shares):
    def model(request):
        if request.tag == "samples":
            return texts(*samples)
        words = request.messages[-1].content
        alike = "It's Paris" in words and "London" not in words
        return label_mass(A=0.9, B=0.1) if alike else label_mass(A=0.1, B=0.9)

    method = semantic_consistency(settings(samples=10, grouping="judge"))
    for answer, share in shares.items():
        result, _ = drive(method.estimate(context(), answer), model)
        assert result.value == pytest.approx(share)


def test_three_tokens():
    """½ · ¼ · ⅛ = 1/64, whose third root is ¼."""
    halves = [TokenLogprob(token=token, logprob=math.log(share))
              for token, share in (("San ", 1 / 2), ("Ma", 1 / 4), ("rino", 1 / 8))]  # fmt: skip
    reply = Generation(
        texts=("San Marino",), finish_reasons=("stop",), token_logprobs=(tuple(halves),)
    )
    for build, expected in ((sequence_likelihood_sum, 1 / 64), (sequence_likelihood_mean, 1 / 4)):
        result, _ = drive(build(settings()).estimate(context(), "San Marino"), lambda _: reply)
        assert result.value == pytest.approx(expected, rel=1e-12)


def test_a_model_that_always_leans_to_the_first_option():
    """Odds of 3 for being true and 2 for standing first: 6/7 and 3/5 average to 51/70."""
    replies = [label_mass(A=6 / 7, B=1 / 7), label_mass(A=2 / 5, B=3 / 5)]
    result, _ = drive(
        p_true_averaged(settings()).estimate(context(), "Peru"), lambda _: replies.pop(0)
    )
    assert result.value == pytest.approx(51 / 70, rel=1e-12)


def test_a_base_that_always_says_one_half_gives_the_accuracy_of_the_other_folds():
    """Its logit is 0, so only the unpenalised intercept is left: the log-odds of being right."""
    ids = [f"d{i}" for i in range(40)]
    correct = [i % 4 > 0 for i in range(40)]
    result = cross_fitted([[0.5]] * 40, correct, ids, folds=4, seed=3)
    for one, name in zip(result.confidence, ids, strict=True):
        others = [
            right
            for right, other in zip(correct, ids, strict=True)
            if fold_of(other, folds=4, seed=3) != fold_of(name, folds=4, seed=3)
        ]
        assert one == pytest.approx(sum(others) / len(others), abs=1e-8)


def test_two_points_under_a_ridge():
    """At x = ±1, wrong and right, the intercept is 0 and 2/(1 + eʷ) = λw; so λ gives w = 1."""
    import numpy as np

    penalty = 2 / (1 + math.e)
    weights = fit_logistic(np.array([[-1.0], [1.0]]), np.array([0.0, 1.0]), penalty=penalty)
    assert weights == pytest.approx([0.0, 1.0], abs=1e-8)
