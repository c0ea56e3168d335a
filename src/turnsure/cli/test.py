"""``turnsure test``: run scenarios against an assistant, and ``turnsure test compare``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from turnsure.cli.options import MODEL_OPTIONS, VERBOSE, options
from turnsure.cli.paths import NamedPath
from turnsure.cli.suite_compare import compare
from turnsure.cli.tables import BRIEF_FORMAT, RESAMPLES

FAILED, UNDECIDED, INCONCLUSIVE = 25, 26, 27
"""Exit codes of suites that did not pass; one that did is 0."""

EXIT_CODES = {"passed": 0, "failed": FAILED, "error": UNDECIDED, "inconclusive": INCONCLUSIVE}

_SHARED = MODEL_OPTIONS[1:]
"""All but the model itself, of which there are up to four."""


class _TestCommand(click.Command):
    """``turnsure test CARDS…``, and ``turnsure test compare A B``."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        if args[:1] == ["compare"]:
            return compare.make_context(f"{info_name} compare", args[1:], parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    cls=_TestCommand,
    epilog=f"""\b
Exit codes: 0 every scenario passed, {FAILED} one failed, {UNDECIDED} one is invalid or in error,
{INCONCLUSIVE} one is inconclusive; others are errors, and nothing was tested.
\b
Examples:
  turnsure test example:rental --assistant turnsure.scenarios.examples:forgetful
  turnsure test rental.yaml --assistant my_bot:reply
  turnsure test cards/ --assistant https://bot.example/turn --runs 20 --fail-under 0.9
  turnsure test cards/ --assistant openai:my-model --base-url http://127.0.0.1:8000/v1 \\
      --user openai:large --judge openai:large -o runs/test-new --junit junit.xml
  turnsure test compare runs/test-old runs/test-new
""",
)
@click.argument("cards", nargs=-1, required=True, type=NamedPath())
@click.option(
    "--assistant",
    required=True,
    metavar="WHAT",
    help="module:function, http(s)://…, or a model: openai:NAME, local:FILE.gguf.",
)
@click.option("--user", metavar="scripted|MODEL", help="Who speaks for the user.  [scripted]")
@click.option("--judge", metavar="MODEL", help="Who judges rubrics.  [nobody]")
@click.option("--user-url", metavar="URL", help="Its address, for an endpoint.  [--base-url]")
@click.option("--judge-url", metavar="URL", help="Its address, for an endpoint.  [--base-url]")
@click.option("--runs", type=int, metavar="N", help="Of every scenario.  [what each card says]")
@click.option("--k", type=int, metavar="K", help="For pass^k, at most the runs.  [3]")
@click.option(
    "--fail-under",
    type=float,
    metavar="RATE",
    help="Share of passes that every scenario needs, above 0.  [1]",
)
@click.option("--seed", type=int, metavar="N", help="Of users and assistants.  [0]")
@click.option(
    "--out",
    "-o",
    type=NamedPath("folder"),
    metavar="FOLDER",
    help="Where it is kept.  [runs/test-…]",
)
@click.option("--junit", type=NamedPath("file"), metavar="FILE", help="Also write JUnit XML there.")
@BRIEF_FORMAT
@click.option(
    "--confidence",
    metavar="A,B,…",
    help="Also ask how sure a model is at every turn, by these methods: p_true,p_sufficient.",
)
@click.option(
    "--confidence-model", metavar="MODEL", help="Which.  [the assistant's, else the embedded one]"
)
@click.option("--confidence-url", metavar="URL", help="Its address, for an endpoint.  [--base-url]")
@click.option("--system", type=NamedPath(), metavar="FILE", help="System message of a model.")
@click.option("--temperature", type=float, metavar="T", help="Of a model under test.  [1.0]")
@click.option("--max-tokens", type=int, metavar="N", help="Limit of one of its replies.  [1024]")
@click.option("--user-wording", type=NamedPath(), metavar="FILE.toml", help="Your own prompts.")
@click.option("--judge-wording", type=NamedPath(), metavar="FILE.toml", help="Your own prompts.")
@RESAMPLES
@click.option("--dry-run", is_flag=True, help="Say what would be asked, and ask nothing.")
@options(_SHARED)
@VERBOSE
def test(cards: tuple[Path, ...], dry_run: bool, kind: str | None, **flags: Any) -> None:
    """Run scenarios against an assistant, and check every turn.

    CARDS are YAML files, folders of them, or example:rental.  Every scenario is run several times;
    checks in code say at which turn a run broke first, and why.  What finished is kept: the same
    command goes on where it was stopped.
    """
    from turnsure.cli.suite_run import execute_tests, show_planned

    if dry_run:
        show_planned(cards, flags)
        return
    sys.exit(EXIT_CODES[execute_tests(cards, kind or "table", flags).ending])
