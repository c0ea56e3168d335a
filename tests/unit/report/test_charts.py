from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from tests.support.synthetic import NASTY, STYLES, Style, hostile, report_data, synthetic
from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.turns import TurnsTable
from turnsure.report import charts, charts_scores, charts_turns
from turnsure.report.svg import inline, standalone

SVG = "{http://www.w3.org/2000/svg}"


def texts(plot) -> list[str]:
    root = ElementTree.fromstring(plot.to_svg())
    return ["".join(node.itertext()).strip() for node in root.iter(f"{SVG}text")]


def one_turn(styles=STYLES):
    dialogue = Dialogue(id="x", task="t", hints=(Hint(answer="a"),), gold=("g",))
    return report_data([dialogue], styles)


def every_chart(data):
    methods = data.evaluation.methods
    return {
        "levels": charts_turns.confidence_by_level(methods),
        "tau": charts_turns.kendall_tau(methods),
        "trajectories": charts_turns.trajectories(data.table, methods),
        "reliability": charts_scores.reliability(methods),
        "scores": charts_scores.score_distribution(methods),
    }


def test_labels_are_different_short_and_on_one_line():
    labels = charts.safe_labels(["a" * 40 + "1", "a" * 40 + "2", "b\nc", "plain_name"])
    assert labels == ["a" * 23 + "…", "a" * 23 + "… (2)", "b c", "plain_name"]


def test_markup_formulas_and_links_in_method_names_stay_text():
    for name, plot in every_chart(hostile()).items():
        svg = plot.to_svg()
        root = ElementTree.fromstring(svg)  # control characters would not parse
        assert not list(root.iter(f"{SVG}a")), name
        assert not list(root.iter(f"{SVG}script")), name
        shown = [text.replace("\u200b", "") for text in texts(plot)]
        assert r"\( \frac{a}{b} \) {{ 7…" in shown, name
        assert '<a href="https://exampl…' in shown, name


@pytest.mark.parametrize("chart", ["levels", "trajectories", "reliability", "scores"])
def test_panels_stand_in_the_order_of_the_methods(chart):
    styles = {"zeta": Style(failing=1.0), "mu": Style(), "alpha": Style()}
    shown = texts(every_chart(synthetic(12, styles))[chart])
    assert [text for text in shown if text in styles] == list(styles)
    assert shown.count("no scored turns") == 1


def test_levels_show_how_many_turns_stand_behind_each_point():
    method = synthetic(30, {"fine": Style()}).evaluation.methods[0]
    plot = charts_turns.confidence_by_level([method], panels=False)
    shown = texts(plot)
    for point in method.confidence_by_level.points:
        assert str(point.n) in shown
    assert "fine" not in shown
    big = replace(method.confidence_by_level.points[0], n=12_345)
    many = replace(method, confidence_by_level=replace(method.confidence_by_level, points=(big,)))
    assert "12k" in texts(charts_turns.confidence_by_level([many], panels=False))


def test_the_tau_axis_reaches_below_zero_only_when_a_value_does():
    below = synthetic(20, {"falling": Style(bias=-0.2, slope=0.0)}).evaluation.methods
    above = synthetic(20, {"rising": Style(bias=0.3)}).evaluation.methods
    assert "−50" in texts(charts_turns.kendall_tau(below))
    assert "−50" not in texts(charts_turns.kendall_tau(above))


def test_methods_without_tau_keep_their_line():
    methods = synthetic(12, {"broken": Style(failing=1.0), "fine": Style()}).evaluation.methods
    shown = texts(charts_turns.kendall_tau(methods))
    assert "broken" in shown
    assert "fine" in shown


def test_a_reliability_point_for_each_bin_with_turns():
    method = synthetic(30, {"fine": Style()}).evaluation.methods[0]
    svg = charts_scores.reliability([method], panels=False).to_svg()
    filled = sum(bin_.n > 0 for bin_ in method.reliability.bins)
    assert svg.count("<circle") == filled > 3


def test_bars_of_the_distribution_are_split_by_outcome():
    method = synthetic(30, {"fine": Style()}).evaluation.methods[0]
    svg = charts_scores.score_distribution([method], panels=False).to_svg()
    right = sum(bar.n_correct > 0 for bar in method.scores.bars)
    wrong = sum(bar.n > bar.n_correct for bar in method.scores.bars)
    assert svg.count('fill="rgb(18,114,124)"') == right > 0
    assert svg.count('fill="rgb(232,163,61)"') == wrong > 0


def test_a_few_turns_still_count_in_whole_numbers():
    shown = texts(charts_scores.score_distribution(one_turn().evaluation.methods[:1], panels=False))
    ticks = [text for text in shown if re.fullmatch(r"\d", text)]
    assert sorted(ticks) == ["0", "0", "1", "2", "3", "4", "5"]  # both axes have a 0


def test_lines_break_where_a_turn_has_no_confidence():
    style = {"cot_verb": Style(failing=0.3)}
    data = synthetic(40, style)
    svg = charts_turns.trajectories(data.table, data.evaluation.methods, panels=False).to_svg()
    runs = 0
    for dialogue in data.dialogues:
        rows = [row for row in data.table.rows if row.dialogue == dialogue.id]
        own = [isinstance(row.confidence, Confidence) for row in rows if row.target == "answer"]
        runs += sum(now and not before for before, now in pairwise([False, *own]))
    drawn = re.findall(r'<path[^>]*fill="none"[^>]*stroke-opacity="0\.45', svg)
    assert len(drawn) == runs > len(data.dialogues)


def test_lines_are_coloured_by_the_last_answer():
    data = synthetic(10, {"fine": Style()})
    rows = [row for row in data.table.rows if row.outcome.correct is not False]
    svg = charts_turns.trajectories(
        TurnsTable.of(rows), data.evaluation.methods, panels=False
    ).to_svg()
    assert "rgb(18,114,124)" in svg
    assert "rgb(232,163,61)" not in svg


def test_many_dialogues_are_thinned_evenly():
    data = synthetic(450, {"fine": Style()})
    shown, n = charts_turns.shown_dialogues(data.table)
    assert (len(shown), n) == (200, 450)
    assert len(set(shown)) == 200
    places = [int(id_.removeprefix("country-")) for id_ in shown]
    assert {after - before for before, after in pairwise(places)} == {2, 3}
    assert charts_turns.shown_dialogues(TurnsTable(())) == ([], 0)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(one_turn(), id="one turn"),
        pytest.param(synthetic(3, {"a": Style(failing=1.0), "b": Style(failing=1.0)}), id="empty"),
        pytest.param(synthetic(5, {"a": Style(failing=0.7, gold=False)}), id="gaps"),
        pytest.param(synthetic(6, {f"m{k}": Style() for k in range(20)}), id="twenty methods"),
    ],
)
def test_odd_data_are_drawn_without_a_word_from_the_library(data, capfd):
    for plot in every_chart(data).values():
        ElementTree.fromstring(plot.to_svg())
    assert capfd.readouterr().out == ""


def test_inline_drawings_are_unique_scalable_described_and_repeatable():
    method = synthetic(10).evaluation.methods[0]
    first, second = (
        inline(charts_scores.reliability([method], panels=False), key=key, label='a "b" <c>')
        for key in ("one", "two")
    )
    ids = re.findall(r'id="([^"]+)"', first)
    assert ids == [f"one-{k}" for k in range(1, len(ids) + 1)]
    assert set(re.findall(r"url\(#([\w-]+)\)", first)) <= set(ids)
    assert second == first.replace("one-", "two-")
    head = first[: first.index(">") + 1]
    assert head == (
        '<svg viewBox="0 0 360.0 270.0" role="img" aria-label="a &quot;b&quot; &lt;c&gt;">'
    )
    rules = re.search("<style>(.*?)</style>", first)
    assert rules is not None
    for rule in rules[1].split("}")[:-1]:
        assert rule.startswith("#one-")  # nothing reaches beyond the chart
    assert "tooltip" not in first
    assert not re.search(r"\d\.\d{3}", first)


def test_a_file_of_its_own_is_complete_xml():
    plot = charts_turns.kendall_tau(synthetic(10).evaluation.methods)
    root = ElementTree.fromstring(standalone(plot, key="tau"))
    assert root.tag == f"{SVG}svg"
    assert float(root.attrib["width"]) == 480


def test_something_that_is_no_drawing_is_refused():
    class Empty:
        def to_svg(self) -> str:
            return "<svg></svg>"

        def to_png(self, path: str, scale: float) -> object:
            return None

    with pytest.raises(ValueError, match="without a width"):
        inline(Empty(), key="x", label="x")


def test_nasty_names_are_as_many_as_panels():
    assert len(set(charts.safe_labels(NASTY))) == len(NASTY)
