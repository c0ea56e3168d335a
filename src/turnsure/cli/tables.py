"""Tables on the standard output or in a file, for the commands that print some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from turnsure.core.grid import Tables

FORMATS = ("table", "markdown", "latex", "csv", "json")

_FORMAT_OF = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json"}

FORMAT = click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    help="Of what is printed.  [table]",
)
BRIEF_FORMAT = click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "markdown", "json"]),
    help="Of what is printed.  [table]",
)
DIALOGUE = click.option(
    "--dialogue", metavar="COLUMN", help="Which rows belong together.  [by name]"
)
TURN = click.option(
    "--turn", metavar="COLUMN", help="Counts from 1.  [by name, else there are none]"
)
PERCENT = click.option("--percent", is_flag=True, help="Scores are on a scale of 0 to 100.")
SLICES = click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="COLUMN",
    help="Judge the rows of each of its values too; repeat it, or say none.  "
    "[every column of few words]",
)
BINS = click.option("--bins", type=int, metavar="B", help="Of InfoECE and ECE.  [10]")
RESAMPLES = click.option("--resamples", type=int, metavar="N", help="Of the bootstrap.  [2000]")
SEED = click.option("--seed", type=int, metavar="N", help="Of the bootstrap.  [0]")


def print_tables(tables: Tables, kind: str, body: object) -> None:
    """Print in one of the formats; notes that the format has no place for go to the error stream.

    Parameters
    ----------
    tables
        What is printed as tables.
    kind
        One of :data:`FORMATS`.
    body
        What is printed as JSON.
    """
    from turnsure.report.text import printable

    if kind == "table":
        from turnsure.cli.execute import print_rich
        from turnsure.report.grid_terminal import tables_terminal

        print_rich(tables_terminal(tables))
        return
    click.echo(tables_text(tables, kind, body), nl=False)
    if kind == "csv":
        for note in tables.notes:
            click.echo(f"! {printable(note)}", err=True)


def tables_text(tables: Tables, kind: str, body: object) -> str:
    """The text of a file in one of the formats, all but ``table``."""
    if kind == "json":
        from turnsure.store.json_files import plain

        json_body: dict[str, Any] = {"format": 1, **plain(body)}
        return json.dumps(json_body, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if kind == "markdown":
        from turnsure.report.grid_markdown import tables_markdown

        return tables_markdown(tables)
    if kind == "latex":
        from turnsure.report.grid_latex import tables_latex

        return tables_latex(tables)
    from turnsure.report.grid_csv import tables_csv

    return tables_csv(tables)


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    temporary = path.with_name(f".{path.name}.part")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


def format_of(path: Path, kind: str | None) -> str:
    """The format of a file: as said, else as its name ends.

    Raises
    ------
    InputError
        Neither says a format that a file can have.
    """
    found = kind or _FORMAT_OF.get(path.suffix.lower())
    if found is None or found == "table":
        endings = ", ".join(_FORMAT_OF)
        raise InputError(
            f"{path.name!r} does not say a format",
            field="out",
            expected=f"a name that ends in {endings}, or --format {'|'.join(FORMATS[1:])}",
        )
    return found
