"""``turnsure dialogues convert``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from turnsure import registry
from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from turnsure.dialogues.readers.log import ReadReport, Tally


@click.command(
    epilog=f"""\b
Formats:
  {", ".join(registry.READERS)}

\b
Examples:
  turnsure dialogues convert qanta qanta.test.json -o qanta.jsonl
  turnsure dialogues convert twenty_questions results/ -o games.jsonl
  turnsure dialogues convert sharded sharded_instructions.json -o math.jsonl --strict
  turnsure dialogues convert chat_messages log.jsonl -o chats.jsonl --task "Reply to the user."
"""
)
@click.argument("format_name", metavar="FORMAT")
@click.argument("file", type=NamedPath())
@click.option(
    "--out",
    "-o",
    type=NamedPath("file"),
    required=True,
    metavar="OUT.jsonl",
    help="The file to write.",
)
@click.option("--task", metavar="TEXT", help="What is to be answered.  [the format's own]")
@click.option("--strict", is_flag=True, help="Stop at the first record that breaks the format.")
def convert(format_name: str, file: Path, out: Path, task: str | None, strict: bool) -> None:
    """Turn a public data set into dialogues, and say what became of every record.

    FILE is what the set's authors publish, fetched and unpacked by you; nothing is downloaded.  A
    record that cannot become a dialogue is dropped and counted with its reason.
    """
    from turnsure.dialogues.jsonl import write_dialogues
    from turnsure.dialogues.readers.log import ReadLog

    reader = registry.load("readers", format_name)
    if out.exists() and file.exists() and out.samefile(file):
        raise InputError(
            "this is the file that is read", file=out, field="out", expected="another file"
        )
    log = ReadLog(strict=strict)
    write_dialogues(out, reader(file, task=task, log=log))
    click.echo(report_text(log.report()))
    click.echo(f"Dialogues: {out}", err=True)


def report_text(report: ReadReport) -> str:
    """What became of every record, for a person."""
    lines = [
        f"{report.n_records:,} records: {report.n_dialogues:,} dialogues with {report.n_turns:,} "
        f"turns, {report.n_dropped:,} dropped"
    ]
    lines += _block("Dropped records", report.dropped)
    lines += _block("Left out of dialogues", report.left_out)
    return "\n".join(lines)


def _block(title: str, tallies: Sequence[Tally]) -> list[str]:
    if not tallies:
        return []
    rows = [line for one in tallies for line in (f"  {one.n:>7,}  {one.reason}", _first(one))]
    return [f"{title}:", *rows]


def _first(tally: Tally) -> str:
    return f"           first: {tally.first}"
