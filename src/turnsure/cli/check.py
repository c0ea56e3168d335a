"""``turnsure dialogues check``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from turnsure.dialogues.checking.finding import Finding
    from turnsure.dialogues.checking.mending import Mended
    from turnsure.dialogues.checking.reading import CheckedFile

NOT_CLEAN = 20
"""The exit code for a file that has errors, or warnings with ``--strict``."""


@click.command(
    epilog="""\b
Examples:
  turnsure dialogues check dialogues.jsonl
  turnsure dialogues check fit.jsonl test.jsonl --strict
  turnsure dialogues check raw.jsonl --fix clean.jsonl
\b
Exit codes: 0 for no errors, 20 for errors (also when --fix mends them), 2 for a file that
cannot be read at all.
"""
)
@click.argument("files", nargs=-1, required=True, type=NamedPath(), metavar="FILE [OTHER...]")
@click.option(
    "--fix",
    type=NamedPath(),
    metavar="OUT.jsonl",
    help="Write FILE there without what is broken, and say what was left out.",
)
@click.option("--strict", is_flag=True, help="Warnings fail, too.")
@click.option("--task", metavar="TEXT", help="The task, for dialogues that name none.")
@click.option(
    "--max-turns",
    type=click.IntRange(min=1),
    metavar="N",
    help="Point out dialogues with more turns.  [30]",
)
@click.option(
    "--examples",
    type=click.IntRange(min=0),
    default=3,
    metavar="N",
    help="Print so many of each kind.  [3]",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["table", "json"]),
    default="table",
    help="Of what is printed; json has every finding.  [table]",
)
def check(
    files: tuple[Path, ...],
    fix: Path | None,
    strict: bool,
    task: str | None,
    max_turns: int | None,
    examples: int,
    kind: str,
) -> None:
    """Look for what makes dialogues unfit to be measured, before any call is spent.

    Every file is checked; dialogues that several files share are pointed out as well.
    """
    from turnsure.cli.options import given
    from turnsure.dialogues.checking.check import check_files
    from turnsure.dialogues.checking.finding import Rules
    from turnsure.dialogues.checking.mending import mend
    from turnsure.dialogues.checking.reading import read_leniently
    from turnsure.grading.normalise import normal

    _refuse_same(files, fix)
    rules = Rules(normalise=normal, **given({"most_turns": max_turns}))
    read = [read_leniently(path, task=task) for path in files]
    findings = check_files(read, rules)
    mended = None if fix is None else mend(read, findings, rules)
    if fix is not None and mended is not None and mended.dialogues:
        from turnsure.dialogues.jsonl import write_dialogues

        write_dialogues(fix, mended.dialogues)
    if kind == "json":
        click.echo(_json(read, findings, mended, fix))
    else:
        from turnsure.cli.check_table import findings_text, mended_text
        from turnsure.cli.execute import print_rich

        print_rich(findings_text(read, findings, examples))
        if fix is not None and mended is not None:
            print_rich(mended_text(mended, fix))
    if any(finding.is_error or strict for finding in findings):
        sys.exit(NOT_CLEAN)


def _refuse_same(files: Sequence[Path], fix: Path | None) -> None:
    known: set[Path] = set()
    for path in files:
        if path.resolve() in known:
            raise InputError(f"{str(path)!r} is named twice", expected="different files")
        known.add(path.resolve())
    if fix is not None and fix.resolve() in known:
        raise InputError(
            f"{str(fix)!r} is a file that is checked", field="fix", expected="a file of its own"
        )


def _json(
    files: Sequence[CheckedFile],
    findings: Sequence[Finding],
    mended: Mended | None,
    fix: Path | None,
) -> str:
    """Everything that was found, and what was left out, as one JSON object."""
    body: dict[str, Any] = {
        "format": 1,
        "kind": "check",
        "files": [{"file": file.name, "n_dialogues": len(file.dialogues)} for file in files],
        "n_errors": sum(finding.is_error for finding in findings),
        "n_warnings": sum(not finding.is_error for finding in findings),
        "findings": [{"severity": one.severity, **asdict(one)} for one in findings],
    }
    if mended is not None:
        body["fix"] = {
            "file": str(fix) if mended.dialogues else None,
            "n_dialogues": len(mended.dialogues),
            "dropped": [asdict(one) for one in mended.dropped],
        }
    return json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)
