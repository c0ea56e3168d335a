"""Cross-fitted probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.labelled import counted, overconfident
from turnsure.calibration import fitting
from turnsure.calibration.folds import fold_of_rows, out_of_fold
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.errors import InputError, UndefinedMetricError


def test_a_dialogue_is_in_one_fold():
    rows = overconfident(200)
    fold = fold_of_rows(rows, folds=5, seed=0)
    for dialogue in range(50):
        assert len(set(fold[rows.group == dialogue].tolist())) == 1
    assert np.bincount(fold).tolist() == [40] * 5


@pytest.mark.parametrize("feature", ["none", "level", "per_level"])
def test_each_fold_is_mapped_by_a_fit_on_the_others(feature):
    rows = overconfident(400)
    fold = fold_of_rows(rows, folds=3, seed=7)
    probability = out_of_fold("platt", rows, folds=3, seed=7, feature=feature, least=20)
    for place in range(3):
        here = fold == place
        fit = fitting.fit("platt", rows.rows(~here), feature=feature, least=20)
        assert probability[here].tolist() == fit.on(rows.rows(here)).tolist()


def test_the_order_of_the_rows_changes_no_bit():
    rows = overconfident(200)
    order = np.random.default_rng(2).permutation(200)
    probability = out_of_fold("venn_abers", rows, seed=1)
    assert out_of_fold("venn_abers", rows.rows(order), seed=1).tolist() == (
        probability[order].tolist()
    )


def test_a_label_does_not_reach_its_own_probability():
    rows = overconfident(60, turns=1)
    before = out_of_fold("isotonic", rows)
    turned = LabelledScores.of(
        rows.score,
        np.where(np.arange(60) == 7, ~rows.correct, rows.correct),
        dialogue=[rows.groups[code] for code in rows.group.tolist()],
    )
    after = out_of_fold("isotonic", turned)
    same_fold = fold_of_rows(rows, folds=5, seed=0)
    same_fold = same_fold == same_fold[7]
    assert after[same_fold].tolist() == before[same_fold].tolist()
    assert after.tolist() != before.tolist()


def test_a_fold_that_holds_all_of_a_class_is_named():
    score, correct = counted((0.4, 9, 9), (0.6, 1, 0))
    rows = LabelledScores.of(score, correct)
    fold = int(fold_of_rows(rows, folds=5, seed=0)[-1])
    with pytest.raises(
        UndefinedMetricError, match=f"without fold {fold + 1} of 5: .* all 8 are right"
    ):
        out_of_fold("isotonic", rows)


def test_settings_out_of_range():
    rows = overconfident(40)
    with pytest.raises(InputError, match="'folds'"):
        out_of_fold("platt", rows, folds=1)
    with pytest.raises(InputError, match="'seed'"):
        out_of_fold("platt", rows, seed=-1)
    with pytest.raises(UndefinedMetricError, match="10 dialogues"):
        out_of_fold("platt", rows, folds=11)
    with pytest.raises(InputError, match="did you mean 'platt'"):
        out_of_fold("plat", rows)
