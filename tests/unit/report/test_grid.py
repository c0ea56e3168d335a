"""Grids in every format."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from turnsure.core.grid import Grid, GridCell, GridColumn, GridRow, Tables
from turnsure.core.results import Interval, MetricResult, Undefined
from turnsure.experiment.evaluate import METHOD_METRICS
from turnsure.report.grid import cell_text, column_of, label_texts
from turnsure.report.grid_csv import tables_csv
from turnsure.report.grid_latex import tables_latex
from turnsure.report.grid_markdown import tables_markdown
from turnsure.report.grid_terminal import tables_terminal


def result(value, metric="info_ece", **changes):
    values = {
        "name": metric, "value": value, "n_turns": 20, "n_dialogues": 5, "n_failed": 2,
        "direction": "lower",
        "interval": Interval(low=value - 0.05, high=value + 0.05, method="cluster_bootstrap"),
    }  # fmt: skip
    return MetricResult(**{**values, **changes})


def number(value, metric="info_ece", **changes):
    return GridCell(metric=metric, result=result(value, metric), **changes)


ODD = r"a|b_c&d%e#f{g}~h^i\j*k"

GRID = Grid(
    key="grid",
    title="Side by side",
    headings=("Model", "Method"),
    columns=(
        GridColumn(group="20Q", metric="info_ece"),
        GridColumn(group="20Q", metric="kendall_tau"),
        GridColumn(group="Guess", metric="info_ece"),
    ),
    rows=(
        GridRow(labels=(ODD, "Accuracy"), cells=(number(0.25, "accuracy"), None, None)),
        GridRow(
            labels=(ODD, "p_true"),
            cells=(
                number(0.123, marked=True),
                number(-0.2, "kendall_tau", p_value=0.01, p_holm=0.03),
                GridCell(metric="info_ece", result=Undefined(name="info_ece", reason="no rows")),
            ),
        ),
    ),
)
TABLES = Tables(grids=(GRID,), notes=("Only 5 dialogues_here.",))


def printed(tables, width):
    out = io.StringIO()
    Console(file=out, width=width).print(tables_terminal(tables))
    return out.getvalue()


@pytest.mark.parametrize("metric", ["accuracy", *METHOD_METRICS])
def test_every_metric_has_a_heading(metric):
    assert column_of(metric).key == metric


def test_cells_are_formatted_as_in_the_summary():
    shown = cell_text(number(0.123))
    assert (shown.value, shown.interval) == ("12.3", "[7.3, 17.3]")
    assert cell_text(number(0.5, "brier")).value == ".500"
    assert cell_text(None).value == ""
    assert cell_text(GridCell(metric="ece", result=None)).value == "—"
    for p_holm, text in ((0.0312, "p = .031"), (1.0, "p = 1"), (0.0004, "p < .001")):
        assert cell_text(number(0.1, p_holm=p_holm)).p_holm == text


def test_labels_that_repeat_the_row_above_are_blank_but_never_the_last():
    rows = [
        GridRow(labels=labels, cells=())
        for labels in (("q", "m", "x"), ("q", "m", "y"), ("q", "n", "y"), ("r", "n", "y"))
    ]
    assert label_texts(rows) == [("q", "m", "x"), ("", "", "y"), ("", "n", "y"), ("r", "n", "y")]


def test_markdown_has_one_cell_a_column_whatever_names_hold():
    text = tables_markdown(TABLES)
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {6}
    assert lines[0] == "| Model | Method | 20Q InfoECE % ↓ | 20Q τ % ↑ | Guess InfoECE % ↓ |"
    assert lines[1] == "| --- | --- | ---: | ---: | ---: |"
    assert r"a\|b\_c\&d%e\#f{g}\~h^i\\j\*k" in lines[2]
    assert lines[3] == (
        r"|  | p\_true | **12.3** [7.3, 17.3] | −20.0 [−25.0, −15.0] p = .030 | — |"
    )
    assert text.endswith("- Only 5 dialogues\\_here.\n")


def test_latex_is_a_plain_tabular_with_every_special_character_escaped():
    text = tables_latex(TABLES)
    body = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert text.startswith("% Side by side\n\\begin{tabular}{llrrr}\n\\hline\n")
    assert body[0] == r" &  & \multicolumn{2}{c}{20Q} & \multicolumn{1}{c}{Guess} \\"
    assert body[1] == (
        r"Model & Method & InfoECE \% $\downarrow$ & $\tau$ \% $\uparrow$ & InfoECE \% "
        r"$\downarrow$ \\"
    )
    assert body[2].startswith(
        r"a$|$b\_c\&d\%e\#f\{g\}\textasciitilde{}h\textasciicircum{}i\textbackslash{}j*k & Acc"
    )
    assert body[3] == (
        r" & p\_true & \textbf{12.3} {\scriptsize {[7.3, 17.3]}} & $-$20.0 {\scriptsize "
        r"{[$-$25.0, $-$15.0] p = .030}} & --- \\"
    )
    for line in body[1:]:
        assert len(re.findall(r"(?<!\\)&", line)) == 4
    assert text.isascii()
    assert text.endswith("\n% Only 5 dialogues_here.\n")
    bare = re.sub(r"\\.", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0


def test_a_note_cannot_leave_its_latex_comment():
    text = tables_latex(Tables(grids=(), notes=("one\ntwo",)))
    assert text == "\n% one two\n"


def test_csv_has_a_number_a_line_with_everything_to_quote_it():
    records = list(csv.DictReader(io.StringIO(tables_csv(TABLES))))
    assert len(records) == 4  # where nothing belongs there is no line
    first, second, third, last = records
    assert (first["model"], first["method"], first["metric"]) == (ODD, "Accuracy", "accuracy")
    assert float(second["value"]) == 0.123
    assert (second["group"], second["marked"], second["n_turns"]) == ("20Q", "1", "20")
    assert (second["n_dialogues"], second["n_failed"], second["level"]) == ("5", "2", "0.95")
    assert (third["p_value"], third["p_holm"], third["marked"]) == ("0.01", "0.03", "0")
    assert (last["value"], last["undefined"]) == ("", "no rows")


def test_csv_has_no_columns_for_grids_without_numbers():
    runs = Grid(key="runs", title="", headings=("Run",), columns=(), rows=())
    header = tables_csv(Tables(grids=(GRID, runs))).splitlines()[0]
    assert header.startswith("table,model,method,group,")
    assert "run" not in header.split(",")


def test_the_terminal_shows_intervals_where_there_is_room():
    wide = printed(TABLES, 200)
    assert "12.3*" in wide
    assert "[7.3,17.3]" in wide
    assert "p = .030" in wide
    assert "! Only 5 dialogues_here." in wide
    assert "have no room" not in wide
    narrow = printed(TABLES, 36)
    assert "12.3*" in narrow
    assert "[7.3,17.3]" not in narrow
    assert "! Intervals have no room here: --format markdown shows" in " ".join(narrow.split())


@pytest.mark.parametrize("width", [24, 40, 60, 80, 120])
def test_no_number_and_no_name_is_lost_however_narrow_the_terminal(width):
    columns = tuple(GridColumn(group=f"set{n}", metric="info_ece") for n in range(6))
    rows = tuple(
        GridRow(
            labels=("model-7B", f"m{line}"),
            cells=tuple(number((10 * line + n) / 1000 + 0.1) for n in range(6)),
            remarks=(f"{line} of 9",),
        )
        for line in range(3)
    )
    grid = Grid(
        key="g", title="Title", headings=("Model", "Method"), columns=columns, rows=rows,
        remark_headings=("scored",),
    )  # fmt: skip
    text = printed(Tables(grids=(grid,)), width)
    assert all(len(line) <= width for line in text.splitlines())
    for line in range(3):
        assert f"m{line}" in text
        assert text.count(f"{line} of 9") == 1
        for n in range(6):
            assert f"{10 + line + n / 10:.1f}" in text
    assert "model-7B" in text
    assert all(f"set{n}" in text for n in range(6))


def scores(models, methods, n_columns=3, **changes):
    """A grid of data, models and methods, every number different."""
    metrics = ("accuracy", "info_ece", "brier", "auroc")[:n_columns]
    rows = [
        GridRow(
            labels=("set", model, method),
            cells=tuple(
                number((3 * line + n) / 1000 + 0.1, name) for n, name in enumerate(metrics)
            ),
        )
        for line, (model, method) in enumerate((a, b) for a in models for b in methods)
    ]
    values = {
        "key": "g", "title": "All", "headings": ("Data", "Model", "Method"), "rows": tuple(rows),
        "columns": tuple(GridColumn(group="", metric=name) for name in metrics),
    }  # fmt: skip
    return Grid(**{**values, **changes})


LONG = ("Meta-Llama-3.1-70B-Instruct", "Meta-Llama-3.1-8B-Instruct", "gpt-4o")
METHODS = ("stated_confidence", "chosen_token_confidence")


def test_a_row_is_one_line_with_model_and_method_when_names_have_to_be_shortened():
    lines = printed(Tables(grids=(scores(LONG, METHODS),)), 58).splitlines()
    [first] = [line for line in lines if "10.0" in line]
    model, method, *numbers = first.split()
    assert numbers == ["10.0", "10.1", ".102"]
    text = "\n".join(lines)
    assert f"{model} = {LONG[0]}" in text
    assert f"{method} = {METHODS[0]}" in text
    assert sum(line.startswith(" set ") for line in lines) == 1


def test_names_are_whole_where_there_is_room_for_them():
    text = printed(Tables(grids=(scores(LONG, METHODS),)), 120)
    assert all(name in text for name in (*LONG, *METHODS))
    assert " = " not in text


def test_names_of_several_words_are_folded_between_them():
    grid = scores(("m",), (f"{METHODS[0]} → {METHODS[1]}",))
    lines = printed(Tables(grids=(grid,)), 74).splitlines()
    place = next(n for n, line in enumerate(lines) if "stated_confidence →" in line)
    assert lines[place].split()[-3:] == ["10.0", "10.1", ".102"]
    assert lines[place + 1].split()[0] == "chosen_token_confidence"


def test_a_column_without_any_number_is_left_out_and_named():
    undefined = GridCell(metric="kendall_tau", result=Undefined(name="kendall_tau", reason="?"))
    rows = tuple(
        GridRow(labels=(name,), cells=(number(0.25), undefined)) for name in ("one", "two")
    )
    columns = tuple(GridColumn(group="", metric=name) for name in ("info_ece", "kendall_tau"))
    grid = Grid(key="g", title="T", headings=("Method",), columns=columns, rows=rows)
    text = printed(Tables(grids=(grid,)), 80)
    assert "—" not in text
    assert "Left out, as no line has a value: τ." in text
    lone = replace(
        grid,
        columns=columns[1:],
        rows=tuple(replace(row, cells=row.cells[1:]) for row in rows),
    )
    assert printed(Tables(grids=(lone,)), 80).count("—") == 2


def test_a_heading_of_several_columns_stands_once_over_them():
    columns = tuple(
        GridColumn(group=group, metric=metric)
        for group, metric in (("20Q", "info_ece"), ("20Q", "kendall_tau"), ("Guess", "info_ece"))
    )
    lines = printed(Tables(grids=(scores(("m",), ("p",), columns=columns),)), 120).splitlines()
    assert lines[1].split() == ["20Q", "Guess"]
    assert lines[2].split() == ["InfoECE", "τ", "InfoECE"]


def test_wide_characters_keep_the_columns_in_line():
    grid = scores(("日本語モデル", "m"), ("p",))
    lines = printed(Tables(grids=(grid,)), 120).splitlines()
    ends = {cell_len(line.rstrip()) for line in lines if ".102" in line or ".105" in line}
    assert len(ends) == 1


def test_names_cannot_write_to_the_terminal():
    text = printed(Tables(grids=(scores(("a\x1b[31mb\u202ec\nd",), ("p",)),)), 120)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "a [31mb c d" in text
