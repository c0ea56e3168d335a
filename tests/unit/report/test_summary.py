from __future__ import annotations

from dataclasses import replace

from tests.support.synthetic import STYLES, Style, synthetic
from turnsure.core.results import MetricResult, Undefined
from turnsure.report.summary import COLUMNS, cell, gaps, metric_cells, sensitivity, warnings


def test_every_metric_of_an_evaluation_has_a_column():
    method = synthetic(5).evaluation.methods[0]
    assert {column.key for column in COLUMNS} == set(method.metrics)


def test_arrows_agree_with_the_direction_that_the_metrics_carry():
    arrows = {"lower": "↓", "higher": "↑", "none": ""}
    method = synthetic(5).evaluation.methods[0]
    for column in COLUMNS:
        result = method.metrics[column.key]
        assert isinstance(result, MetricResult)
        assert column.arrow == arrows[result.direction]


def test_cells_say_why_there_is_no_number():
    method = replace(
        synthetic(5).evaluation.methods[0],
        metrics={"auroc": Undefined(name="auroc", reason="one class only")},
    )
    shown = dict(zip([column.key for column in COLUMNS], metric_cells(method), strict=True))
    assert (shown["auroc"].value, shown["auroc"].interval) == ("—", None)
    assert shown["auroc"].note == "not defined: one class only"
    assert shown["ece"].note == "not computed"
    assert gaps([method]) == (
        (
            "vanilla_verb",
            "InfoECE, τ, τ gold, ECE, smooth ECE, Brier, mean confidence",
            "not computed",
        ),
        ("vanilla_verb", "AUROC", "not defined: one class only"),
    )


def test_a_value_without_interval_shows_none():
    result = MetricResult(name="ece", value=0.25, n_turns=4, direction="lower")
    assert (cell(result, "percent").value, cell(result, "percent").interval) == ("25.0", None)


def test_sensitivity_headings_come_from_whichever_method_is_defined():
    table = sensitivity(
        synthetic(5, {"broken": Style(failing=1.0), "fine": Style()}).evaluation.methods
    )
    assert table.headings[:2] == ("5 bins, equal width", "10 bins, equal width")
    assert table.headings[-1] == "20 bins, equal mass"
    broken, fine = table.rows
    assert [shown.value for shown in broken[1]] == ["—"] * 6
    assert "—" not in [shown.value for shown in fine[1]]


def test_sensitivity_without_any_value_or_method():
    table = sensitivity(synthetic(5, {"broken": Style(failing=1.0)}).evaluation.methods)
    assert table.headings == ("not defined",) * 6
    assert sensitivity(()).headings == ()


def test_a_clean_run_has_no_warnings():
    styles = {"fine": Style()}
    evaluation = replace(synthetic(30, styles).evaluation, ungraded={})
    assert warnings(evaluation) == ()


def test_every_reason_for_doubt_is_named():
    evaluation = synthetic(29, STYLES, seed=5).evaluation
    found = "\n".join(warnings(evaluation))
    assert "Only 29 dialogues" in found
    assert "without a graded answer (refusal" in found
    assert "cot_verb: no confidence in the own answer on" in found
    assert "in the gold answer on" in found
    assert "p_sufficient: on" in found
    assert "less than half of the probability" in found
    mass = replace(evaluation.methods[-1].label_mass, n_truncated=3, n_low=0)
    method = replace(evaluation.methods[-1], label_mass=mass)
    found = "\n".join(warnings(replace(evaluation, methods=(method,))))
    assert "on 3 turns a label was outside the listed top tokens" in found
    assert "less than half" not in found


def test_no_method_is_a_warning():
    assert any("No method" in line for line in warnings(synthetic(40, {}).evaluation))
