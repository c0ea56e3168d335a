"""``turnsure dialogues check``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnsure.cli.check_model import ASKING, Asked, ask, make_asking, refuse_odd_flags
from turnsure.cli.options import VERBOSE, given, options
from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError
from turnsure.core.spec import Plan

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
  turnsure dialogues check dialogues.jsonl --model openai:my-model \\
      --base-url http://127.0.0.1:8000/v1 --max-guessed 0.1
\b
Exit codes: 0 for no errors, 20 for errors (also when --fix mends them), 2 for a file that
cannot be read at all, 4 for a model that cannot be reached.
"""
)
@click.argument("files", nargs=-1, required=True, type=NamedPath(), metavar="FILE [OTHER...]")
@click.option(
    "--fix",
    type=NamedPath("file"),
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
@options(ASKING)
@VERBOSE
def check(
    files: tuple[Path, ...],
    fix: Path | None,
    strict: bool,
    task: str | None,
    max_turns: int | None,
    examples: int,
    kind: str,
    max_guessed: float | None,
    drop_guessable: bool,
    out: Path | None,
    dry_run: bool,
    verbose: bool,
    **flags: Any,
) -> None:
    """Look for what makes dialogues unfit to be measured, before any call is spent.

    Every file is checked; dialogues that several files share are pointed out as well.  With --model
    a model is asked for every answer, once without any hint and once at every turn: whether it can
    be guessed, and whether hints help.
    """
    from turnsure.dialogues.checking.check import check_files
    from turnsure.dialogues.checking.finding import Rules
    from turnsure.dialogues.checking.mending import mend
    from turnsure.dialogues.checking.reading import read_leniently
    from turnsure.experiment.config import make_spec
    from turnsure.grading.normalise import normal

    _refuse_same(files, fix)
    switches = {"drop_guessable": drop_guessable, "dry_run": dry_run, "verbose": verbose}
    named = {"max_guessed": max_guessed, "out": out, **flags}
    refuse_odd_flags(given(named) | {name: on for name, on in switches.items() if on}, fix=fix)
    spec = make_spec({**given(flags), "data": str(files[0])})
    rules = Rules(normalise=normal, **given({"most_turns": max_turns}))
    read = [read_leniently(path, task=task) for path in files]
    found = check_files(read, rules)
    checked = _Checked(
        files=read, findings=found, mended=None if fix is None else mend(read, found, rules)
    )
    if flags["model"] is not None:
        asking = make_asking(spec, read, found, checked.mended, out)
        if dry_run:
            checked = replace(checked, plan=asking.plan())
        else:
            asked = ask(asking, most_guessed=max_guessed, verbose=verbose)
            checked = checked.with_answers(asked, drop_guessable=drop_guessable)
    if fix is not None and checked.mended is not None and checked.mended.dialogues:
        from turnsure.dialogues.jsonl import write_dialogues

        write_dialogues(fix, checked.mended.dialogues)
    if kind == "json":
        click.echo(_json(checked, fix))
    else:
        _print(checked, fix, examples)
    if any(finding.is_error or strict for finding in checked.findings):
        sys.exit(NOT_CLEAN)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    """What there is to tell.

    Attributes
    ----------
    files, findings
        What was read, and what is wrong with it.
    mended
        What is left of the first file, with ``--fix``.
    asked, plan
        What a model answered, or would be asked.
    """

    files: Sequence[CheckedFile]
    findings: tuple[Finding, ...]
    mended: Mended | None
    asked: Asked | None = None
    plan: Plan | None = None

    def with_answers(self, asked: Asked, *, drop_guessable: bool) -> _Checked:
        """The same with what a model's answers showed."""
        mended = self.mended
        if mended is not None and drop_guessable:
            mended = mended.without(one for one in asked.findings if one.kind == "guessable")
        findings = (*self.findings, *asked.findings)
        return replace(self, findings=findings, mended=mended, asked=asked)


def _print(checked: _Checked, fix: Path | None, examples: int) -> None:
    from turnsure.cli.check_table import findings_text, mended_text
    from turnsure.cli.execute import print_rich, show_plan

    print_rich(findings_text(checked.files, checked.findings, examples))
    if checked.asked is not None:
        from turnsure.cli.answers_table import answers_text

        print_rich(answers_text(checked.asked))
    if fix is not None and checked.mended is not None:
        print_rich(mended_text(checked.mended, fix))
    if checked.plan is not None:
        show_plan(checked.plan)


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


def _json(checked: _Checked, fix: Path | None) -> str:
    """Everything that was found, and what was left out, as one JSON object."""
    from turnsure.store.json_files import plain

    findings, mended = checked.findings, checked.mended
    body: dict[str, Any] = {
        "format": 1,
        "kind": "check",
        "files": [{"file": one.name, "n_dialogues": len(one.dialogues)} for one in checked.files],
        "n_errors": sum(finding.is_error for finding in findings),
        "n_warnings": sum(not finding.is_error for finding in findings),
        "findings": [{"severity": one.severity, **asdict(one)} for one in findings],
    }
    if checked.asked is not None:
        body["answers"] = checked.asked.body
    if checked.plan is not None:
        body["plan"] = plain(checked.plan)
    if mended is not None:
        body["fix"] = {
            "file": str(fix) if mended.dialogues else None,
            "n_dialogues": len(mended.dialogues),
            "dropped": [asdict(one) for one in mended.dropped],
        }
    return json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)
