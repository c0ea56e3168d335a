"""``turnsure dialogues fetch``."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

    from turnsure.dialogues.public_sets import PublicSet

BY_HAND = 21
"""The exit code for a set that has to be got by hand, so that a script stops there."""


@click.command(
    epilog="""\b
Examples:
  turnsure dialogues fetch --list
  turnsure dialogues fetch mtbench101
  turnsure dialogues fetch tau_bench -o data/tau
\b
Exit codes: 0 when the files are there, 21 for a set that has to be got by hand, 2 when another
file of that name is there, 4 when the server cannot be reached or sends something else.
"""
)
@click.argument("name", required=False)
@click.option(
    "--out", "-o", type=NamedPath("folder"), metavar="FOLDER", help="Where the files go.  [NAME]"
)
@click.option("--list", "listing", is_flag=True, help="Show the sets that are known.")
@click.option(
    "--sources", type=NamedPath(), metavar="FILE.toml", help="Your own table of sets instead."
)
def fetch(name: str | None, out: Path | None, listing: bool, sources: Path | None) -> None:
    """Download a public data set, pinned to one version by its digest.

    Nothing is converted and no file is replaced.  A set that cannot be pinned is not downloaded:
    where its authors publish it is printed instead.
    """
    from turnsure.cli.execute import print_rich
    from turnsure.dialogues.public_sets import BUILT_IN, find_set, read_public_sets

    sets = read_public_sets(sources or BUILT_IN)
    if listing:
        print_rich(_table(sets))
        return
    if name is None:
        raise InputError("no set is named", field="name", expected=", ".join(s.name for s in sets))
    one = find_set(name, sets)
    folder = out or Path(one.name)
    if not one.files:
        click.echo(
            f"{one.name} is not pinned here. Get it by hand from where its authors publish it, "
            f"put it into {folder}, and call the command below."
        )
    for line in _fetched(one, folder):
        click.echo(line)
    click.echo("\n".join(_about(one, folder)))
    if not one.files:
        sys.exit(BY_HAND)


def _fetched(one: PublicSet, folder: Path) -> Iterator[str]:
    """Download every file that is not there yet; a line a file, as it comes."""
    from turnsure.cli.progress import download_progress
    from turnsure.files.download import download

    for file in one.files:
        with download_progress(file.name) as progress:
            is_new = download(file, folder, progress)
        became = "fetched" if is_new else "already there"
        yield f"{folder / file.name}: {became}, {file.n_bytes:,} bytes, as pinned"


def _about(one: PublicSet, folder: Path) -> list[str]:
    note = [] if one.note is None else [f"Note: {one.note}"]
    return [
        f"{one.title}, {one.home}",
        f"Licence: {one.licence}. Read it there; this is no legal advice.",
        *note,
        f"Next: {one.use.replace('{folder}', shlex.quote(str(folder)))}",
    ]


def _table(sets: Sequence[PublicSet]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from turnsure.report.text import printable

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("Name", no_wrap=True)
    table.add_column("Size", justify="right", no_wrap=True)
    table.add_column("Format", no_wrap=True)
    table.add_column("What it is, and its licence", overflow="fold")
    for one in sets:
        size = f"{one.n_bytes / 1e6:,.1f} MB" if one.files else "by hand"
        said = Text(f"{printable(one.title)}\n").append(printable(one.licence), style="dim")
        table.add_row(Text(one.name), size, Text(printable(one.form)), said)
    return table
