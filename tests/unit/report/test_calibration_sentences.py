"""Sentences about scores claim what the numbers hold, and no more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from turnsure.calibration.labelled import LabelledScores
from turnsure.core.chosen import LabelsNeeded, ThresholdChoice
from turnsure.core.decision import DecisionRule
from turnsure.core.results import Undefined
from turnsure.experiment.calibrating.columns import CodedColumn
from turnsure.experiment.calibrating.evaluation import evaluate_scores
from turnsure.experiment.calibrating.predictions import PredictionGroup
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.report.calibration_sentences import choice_sentences, verdict_sentences


def judged(score, correct, *, language=None, no_score=0, resamples=100, **places):
    rows = LabelledScores.of(score, correct, **places)
    slices = {}
    if language is not None:
        names, codes = np.unique(language, return_inverse=True)
        slices["language"] = CodedColumn(codes=codes.astype(np.int32), names=tuple(names.tolist()))
    group = PredictionGroup(
        model="m", method="score", n_rows=len(rows) + no_score, n_no_score=no_score, n_no_label=0,
        rows=rows, slices=slices,
    )  # fmt: skip
    return evaluate_scores(group, CalibrationSettings(resamples=resamples))


def sentences(*given, **named):
    return " ".join(verdict_sentences(judged(*given, **named)))


def drawn(n, chance, seed=0):
    random = np.random.default_rng(seed)
    score = random.random(n)
    return score, random.random(n) < chance(score)


@pytest.mark.parametrize(
    ("chance", "says", "not_says"),
    [
        (lambda s: s, "scores and accuracy do not clearly differ", "confident"),
        (lambda s: 0.6 * s, "Scores are overconfident", "underconfident"),
        (lambda s: 0.4 + 0.6 * s, "Scores are underconfident", "overconfident"),
        (lambda s: 1.0 - s, "the wrong way round", "tell right from wrong answers:"),
        (lambda s: np.full(len(s), 0.5), "do not clearly tell right from wrong",
         "scores higher"),
        (lambda s: s, "Scores tell right from wrong answers", "wrong way round"),
    ],
)  # fmt: skip
def test_what_holds_is_said(chance, says, not_says):
    text = sentences(*drawn(1_500, chance))
    assert says in text
    assert not_says not in text


def test_scores_that_are_worse_than_one_number_are_called_that():
    text = sentences(*drawn(800, lambda s: 1.0 - s))
    assert "worse than the base rate for every row" in text
    assert "worse than a single number" in text


def test_the_data_come_first_with_what_is_missing():
    first = verdict_sentences(
        judged([0.9, 0.8] * 20, [1, 0] * 20, no_score=3, dialogue=np.arange(40) // 2)
    )[0]
    assert first.startswith("40 rows with score and label of 20 dialogues, of which 50.0 % [")
    assert first.endswith("left out: 3 without a score.")


def test_few_dialogues_claim_nothing():
    text = sentences([0.9] * 5, [0] * 5)
    assert "With 5 dialogues nothing can be claimed" in text
    assert "overconfident" not in text


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([0.5], "takes a single value"),
        ([0.5, 0.7, 0.9], "takes only 3 distinct values: treat it as 3 buckets"),
    ],
)
def test_buckets_are_called_buckets(scores, says):
    assert says in sentences(scores * 30, [1, 0, 1] * 10 * len(scores))


def test_slices_that_deviate_are_named_with_numbers():
    random = np.random.default_rng(4)
    language = np.array(["en"] * 900 + ["pl"] * 60 + ["fi"] * 5)
    score = random.choice([0.6, 0.9], len(language))
    correct = random.random(len(language)) < score - 0.4 * (language == "pl")
    text = sentences(score, correct, language=language)
    assert "slices tested deviate" in text
    assert "language pl by −" in text
    assert "n = 60, p <.001" in text
    assert "1 slice has fewer than 30 rows, or one dialogue: too few, no claim." in text
    calm = sentences(score, random.random(len(score)) < score, language=language)
    assert "No slice deviates from the rest (2 tests" in calm


CHOICE = ThresholdChoice(
    rule=DecisionRule(answer_at=0.83, ask_at=0.5), method="fixed_sequence", unit="row",
    guarantee="At most 5 % are wrong", assumptions=("Rows are exchangeable.",), reason=None,
    needed=None, n_units=100, n_dialogues=100, n_rows=100, evidence=None, naive=None,
    stability=None,
)  # fmt: skip


def test_a_threshold_comes_with_its_promise_and_what_it_rests_on():
    assert choice_sentences(CHOICE) == [
        "Answer from a score of 83 %, ask from 50 %, else escalate.",
        "At most 5 % are wrong.",
        "This assumes: Rows are exchangeable.",
    ]


def test_a_threshold_on_mapped_probabilities_names_the_map():
    first = choice_sentences(CHOICE, "platt")[0]
    assert first.startswith("Answer from a probability, mapped by platt, of 83 %")


def test_no_threshold_says_what_would_be_needed():
    none = replace(
        CHOICE, rule=DecisionRule(answer_at=None), reason="No threshold meets the target",
        needed=LabelsNeeded(n_more=120, reason="About 120 more labels would do."), guarantee=None,
        assumptions=(),
    )  # fmt: skip
    assert choice_sentences(none) == [
        "No threshold meets the target. About 120 more labels would do."
    ]
    assert choice_sentences(Undefined(name="choice", reason="there is one class")) == [
        "No threshold: there is one class."
    ]
