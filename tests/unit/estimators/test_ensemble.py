"""Combining methods without letting a dialogue judge itself."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import optimize, special

from turnsure.core.errors import InputError, LeakageError
from turnsure.core.outcome import Failure
from turnsure.estimators.ensemble import CLIP, cross_fitted, fold_of, require_disjoint
from turnsure.numerics import logistic


def measured(n_dialogues=30, n_turns=4, seed=0):
    """Rows of two methods: one that knows something, one that does not."""
    rng = random.Random(seed)
    base, correct, dialogue = [], [], []
    for d in range(n_dialogues):
        for _ in range(n_turns):
            right = rng.random() < 0.5
            base.append([min(1.0, max(0.0, 0.4 + 0.3 * right + rng.gauss(0, 0.2))), rng.random()])
            correct.append(right)
            dialogue.append(f"d{d}")
    return base, correct, dialogue


def held_out_by_hand(base, correct, fold, held_out, penalty):
    """The confidence of one fold, from a general minimiser."""
    logits = special.logit(np.clip(np.array(base), CLIP, 1 - CLIP))
    train = np.array(fold) != held_out
    x, y = logits[train], np.array(correct, dtype=float)[train]

    def objective(w):
        z = w[0] + x @ w[1:]
        return -special.log_expit(np.where(y == 1, z, -z)).sum() + penalty / 2 * w[1:] @ w[1:]

    w = optimize.minimize(objective, np.zeros(3), method="Nelder-Mead",
                          options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 5000}).x  # fmt: skip
    return special.expit(w[0] + logits[~train] @ w[1:])


def test_each_fold_is_scored_by_a_regression_on_the_others():
    base, correct, dialogue = measured()
    result = cross_fitted(base, correct, dialogue, folds=3, seed=7, penalty=2.0)
    for held_out in range(3):
        mine = [v for v, f in zip(result.confidence, result.fold, strict=True) if f == held_out]
        expected = held_out_by_hand(base, correct, result.fold, held_out, 2.0)
        np.testing.assert_allclose(mine, expected, atol=1e-6)
    assert [fit.fold for fit in result.fits] == [0, 1, 2]
    assert all(fit.weights[0] > abs(fit.weights[1]) for fit in result.fits)
    assert sum(fit.n_rows for fit in result.fits) == 2 * len(base)
    assert sum(fit.n_dialogues for fit in result.fits) == 2 * 30


def test_a_dialogues_own_labels_do_not_touch_its_scores_and_do_touch_others():
    base, correct, dialogue = measured()
    before = cross_fitted(base, correct, dialogue)
    flipped = [not c if d == "d3" else c for c, d in zip(correct, dialogue, strict=True)]
    after = cross_fitted(base, flipped, dialogue)
    changed = {
        d
        for d, old, new in zip(dialogue, before.confidence, after.confidence, strict=True)
        if old != new
    }
    own_fold = {d for d, f in zip(dialogue, before.fold, strict=True) if f == before.fold[12]}
    assert dialogue[12] == "d3"
    assert changed == set(dialogue) - own_fold


def test_the_order_of_the_rows_changes_no_bit():
    base, correct, dialogue = measured()
    order = list(range(len(base)))
    random.Random(1).shuffle(order)
    straight = cross_fitted(base, correct, dialogue)
    mixed = cross_fitted(
        [base[i] for i in order], [correct[i] for i in order], [dialogue[i] for i in order]
    )
    assert mixed.confidence == tuple(straight.confidence[i] for i in order)
    assert mixed.fits == straight.fits


def test_a_fold_depends_on_id_and_seed_alone():
    assert [fold_of(f"d{i}", folds=5, seed=0) for i in range(8)] == [
        fold_of(f"d{i}", folds=5, seed=0) for i in range(8)
    ]
    many = [fold_of(f"d{i}", folds=5, seed=0) for i in range(1000)]
    assert min(many.count(fold) for fold in range(5)) > 150
    assert many != [fold_of(f"d{i}", folds=5, seed=1) for i in range(1000)]


def test_a_missing_base_confidence_is_a_failure_and_trains_nothing():
    base, correct, dialogue = measured()
    base[5] = [0.9, None]
    gone = cross_fitted(base, correct, dialogue)
    assert isinstance(gone.confidence[5], Failure)
    assert gone.confidence[5].kind == "missing_base"
    assert "1 of 2" in gone.confidence[5].message
    wrong = list(correct)
    wrong[5] = not wrong[5]
    assert cross_fitted(base, wrong, dialogue) == gone


def test_an_ungraded_row_is_scored_and_trains_nothing():
    base, correct, dialogue = measured()
    correct[5] = None
    result = cross_fitted(base, correct, dialogue)
    assert isinstance(result.confidence[5], float)
    rest = [i for i in range(len(base)) if i != 5]
    without = cross_fitted(
        [base[i] for i in rest], [correct[i] for i in rest], [dialogue[i] for i in rest]
    )
    assert without.fits == result.fits


def test_one_class_elsewhere_is_a_failure_and_no_base_rate():
    base, _, dialogue = measured(6, 2)
    result = cross_fitted(base, [True] * 12, dialogue, folds=2)
    assert {one.kind for one in result.confidence} == {"one_class"}
    assert "right and 0 wrong" in result.confidence[0].message
    assert result.fits == ()


def test_a_fit_that_does_not_converge_gives_no_number(monkeypatch):
    monkeypatch.setattr(logistic, "MAX_STEPS", 1)
    assert {one.kind for one in cross_fitted(*measured()).confidence} == {"not_converged"}


def test_a_single_dialogue_has_nothing_to_learn_from():
    result = cross_fitted([[0.5], [0.6]], [True, False], ["d", "d"])
    assert [one.kind for one in result.confidence] == ["one_class", "one_class"]


def test_certain_base_confidences_stay_finite():
    base = [[1.0] if i % 3 else [0.0] for i in range(40)]
    result = cross_fitted(base, [i % 3 > 0 for i in range(40)], [str(i) for i in range(40)])
    assert all(0 < one < 1 for one in result.confidence)


def test_nothing_in_nothing_out():
    assert cross_fitted([], [], []).confidence == ()


def test_a_leak_is_an_error_that_names_it():
    require_disjoint({"a"}, {"b"})
    with pytest.raises(LeakageError, match=r"1 dialogues.*'b'"):
        require_disjoint(["a", "b"], ["b", "c"])


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ({"correct": [True]}, "'correct'.*1 entries.*expected 2"),
        ({"dialogue": ["a"]}, "'dialogue'"),
        ({"base": [[0.5], [0.5, 0.5]]}, "'base'.*differ"),
        ({"base": [[], []]}, "'base'"),
        ({"base": [[0.5], [1.5]]}, "row 1 holds 1.5"),
        ({"base": [[0.5], [float("nan")]]}, "row 1 holds nan"),
        ({"folds": 1}, "'folds'"),
        ({"penalty": 0.0}, "'penalty'"),
        ({"penalty": float("inf")}, "'penalty'"),
    ],
)
def test_what_cannot_be_fitted_is_named(change, names):
    good = {"base": [[0.5], [0.6]], "correct": [True, False], "dialogue": ["a", "b"]}
    with pytest.raises(InputError, match=names):
        cross_fitted(**{**good, **change})
