from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.synthetic import Style, distribution, synthetic
from turnsure.report.figures import bucket_note, figures


@pytest.mark.parametrize(
    ("values", "note"),
    [
        ([], ""),
        ([k / 20 for k in range(11)], ""),
        (
            [0.9, 0.9, 0.8],
            "Takes only 2 distinct values: treat it as 2 buckets, not as a fine scale. "
            "Most frequent: 90 (2×), 80 (1×).",
        ),
        ([1.0, 1.0], "Takes a single value, 100 (2×): it cannot tell any two turns apart."),
    ],
)
def test_methods_of_few_values_are_called_buckets(values, note):
    assert bucket_note(distribution(values, [1.0] * len(values))) == note


def test_ten_values_are_buckets_and_eleven_are_not():
    ten = distribution([k / 10 for k in range(10)], [1.0] * 10)
    assert "10 buckets" in bucket_note(ten)


def test_a_method_without_scores_has_a_title_and_no_drawing():
    drawn = figures(synthetic(8, {"broken": Style(failing=1.0), "fine": Style()}))
    for panels in (drawn.levels, drawn.reliability, drawn.distributions, drawn.trajectories):
        assert [panel.title for panel in panels] == ["broken", "fine"]
        assert panels[0].svg is None
        assert panels[1].svg is not None
    assert drawn.tau is not None


def test_without_methods_accuracy_alone_is_drawn():
    data = synthetic(8, {})
    assert figures(data).levels == ()
    assert figures(data).tau is None
    curve = synthetic(8).evaluation.accuracy_by_level
    with_curve = replace(data, evaluation=replace(data.evaluation, accuracy_by_level=curve))
    [panel] = figures(with_curve).levels
    assert panel.title == "accuracy"
    assert panel.svg is not None
