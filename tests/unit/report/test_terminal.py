from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from tests.support.synthetic import STYLES, Style, hostile, report_data, synthetic
from turnsure.core.results import Interval
from turnsure.report.terminal import summary_table


def printed(evaluation, width, **console):
    out = io.StringIO()
    Console(file=out, width=width, **console).print(summary_table(evaluation))
    return out.getvalue()


def with_negative_tau(evaluation):
    """The widest numbers that can occur: three negative digits with their bounds."""

    def lowered(method):
        changed = {
            name: replace(
                result,
                value=-0.501,
                interval=Interval(low=-0.612, high=-0.401, method="cluster_bootstrap"),
            )
            for name, result in method.metrics.items()
            if name.startswith("kendall")
        }
        return replace(method, metrics={**method.metrics, **changed})

    return replace(evaluation, methods=tuple(map(lowered, evaluation.methods)))


@pytest.mark.parametrize("width", [120, 112, 100, 92, 80, 66])
def test_no_line_is_too_long_and_no_number_is_cut(width):
    evaluation = with_negative_tau(synthetic(40).evaluation)
    shown = printed(evaluation, width)
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    assert "/ asked" in shown
    for method in evaluation.methods:
        assert f"/ {method.n_rows}" in shown
        assert method.method in shown
    for method in evaluation.methods:
        for name in ("info_ece", "ece"):
            assert f"{100 * method.metrics[name].value:.1f}" in shown
    assert shown.count("−50.1") == 2 * len(evaluation.methods)


@pytest.mark.parametrize(
    ("width", "n_intervals"), [(112, 6), (111, 3), (92, 3), (91, 2), (80, 2), (79, 0)]
)
def test_intervals_give_way_on_narrow_screens(width, n_intervals):
    methods = synthetic(40).evaluation.methods
    shown = printed(replace(synthetic(40).evaluation, methods=methods), width)
    accuracy = 1 if n_intervals else 0
    assert len(re.findall(r"\[−?[\d.]+,", shown)) == n_intervals * len(methods) + accuracy


def test_rows_are_accuracy_and_then_the_methods():
    shown = printed(synthetic(40).evaluation, 100)
    places = [shown.index(name) for name in ("Accuracy %", *STYLES)]
    assert places == sorted(places)
    assert "smollm2-135m on countries" in shown


def test_doubts_stand_below():
    shown = printed(synthetic(20).evaluation, 100)
    below = shown[shown.index("! ") :]
    assert "Only 20 dialogues" in below
    assert "cot_verb: no confidence in the own answer" in below
    assert "less than half of the probability" in below.replace("\n", "")


@pytest.mark.parametrize(
    "evaluation",
    [
        report_data([], STYLES).evaluation,
        synthetic(3, {}).evaluation,
        synthetic(3, {"broken": Style(failing=1.0)}).evaluation,
    ],
)
def test_missing_numbers_are_dashes(evaluation):
    assert "—" in printed(evaluation, 100)


def test_texts_cannot_steer_the_terminal():
    shown = printed(hostile().evaluation, 100, force_terminal=True, color_system="standard")
    assert "\x07" not in shown
    assert "\u202e" not in shown
    codes = set(re.findall(r"\x1b\[[\d;]*m", shown))
    assert "\x1b[31m" not in codes
    assert not re.search(r"\x1b(?!\[[\d;]*m)", shown)


def test_names_in_square_brackets_are_no_styling():
    shown = printed(synthetic(3, {"[bold]x[/bold]": Style()}).evaluation, 100)
    assert "[bold]x[/bold]" in shown
