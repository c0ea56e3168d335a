"""Grids as LaTeX: plain ``tabular``, without packages."""

from __future__ import annotations

from turnsure.core.grid import Grid, GridCell, Tables
from turnsure.report.grid import cell_text, group_spans, heading, label_texts
from turnsure.report.text import printable

_CHARACTERS = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": "$<$",
        ">": "$>$",
        "|": "$|$",
        "−": "$-$",
        "τ": r"$\tau$",
        "↓": r"$\downarrow$",
        "↑": r"$\uparrow$",
        "→": r"$\rightarrow$",
        "×": r"$\times$",
        "—": "---",
        "…": r"\ldots{}",
    }
)


def tables_latex(tables: Tables) -> str:
    """Every grid as a ``tabular`` under a comment with its title; the notes as comments."""
    notes = "".join(f"% {printable(note)}\n" for note in tables.notes)
    return "\n".join(_grid(grid) for grid in tables.grids) + (f"\n{notes}" if notes else "")


def _grid(grid: Grid) -> str:
    n_labels, n_remarks = len(grid.headings), len(grid.remark_headings)
    shape = "l" * n_labels + "r" * (len(grid.columns) + n_remarks)
    lines = [f"% {printable(grid.title)}", rf"\begin{{tabular}}{{{shape}}}", r"\hline"]
    spans = group_spans(grid)
    if any(group for group, _ in spans):
        over = [rf"\multicolumn{{{n}}}{{c}}{{{_escaped(group)}}}" for group, n in spans]
        lines.append(_line([*[""] * n_labels, *over, *[""] * n_remarks]))
    names = [*grid.headings, *map(heading, grid.columns), *grid.remark_headings]
    lines += [_line(list(map(_escaped, names))), r"\hline"]
    for row, labels in zip(grid.rows, label_texts(grid.rows), strict=True):
        cells = [_cell(cell) for cell in row.cells]
        lines.append(_line([*map(_escaped, labels), *cells, *map(_escaped, row.remarks)]))
    lines += [r"\hline", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _cell(shown: GridCell | None) -> str:
    text = cell_text(shown)
    value = _escaped(text.value)
    if text.marked:
        value = rf"\textbf{{{value}}}"
    small = " ".join(part for part in (text.interval, text.p_holm) if part)
    # A bracket at the start of a row would be read as the argument of the line break before it.
    return rf"{value} {{\scriptsize {_escaped(small)}}}" if small else value


def _escaped(text: str) -> str:
    printed = printable(text).translate(_CHARACTERS)
    return f"{{{printed}}}" if printed.startswith(("[", "*")) else printed
