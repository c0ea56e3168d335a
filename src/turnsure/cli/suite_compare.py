"""``turnsure test compare``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from turnsure.cli.paths import NamedPath
from turnsure.cli.tables import BRIEF_FORMAT, RESAMPLES, SEED

WORSE = 28
"""The exit code when B clearly passes less often, where that was asked for."""

_P_CLEAR = 0.05


@click.command(
    epilog=f"""\b
Exit codes: 0 compared, {WORSE} B is worse (with --fail-if-worse), 7 they are different tests.
\b
Examples:
  turnsure test compare runs/test-old runs/test-new
  turnsure test compare runs/test-old runs/test-new --fail-if-worse
"""
)
@click.argument("a", type=NamedPath())
@click.argument("b", type=NamedPath())
@click.option(
    "--allow-different", is_flag=True, help="Compare although judge, user or cards differ."
)
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help=f"Exit with {WORSE} when B passes less often, p < {_P_CLEAR:g} (McNemar).",
)
@RESAMPLES
@SEED
@BRIEF_FORMAT
def compare(
    a: Path,
    b: Path,
    allow_different: bool,
    fail_if_worse: bool,
    resamples: int | None,
    seed: int | None,
    kind: str | None,
) -> None:
    """Compare two suites, paired by scenario.

    A and B are folders of finished suites.  Judge, user and cards have to be the same: otherwise
    it is not the assistant that is compared.
    """
    from turnsure.cli.options import given
    from turnsure.report.suite_compare import comparison_markdown, comparison_terminal
    from turnsure.store.json_files import plain
    from turnsure.testing.comparing import compare_suites

    found = compare_suites(
        a,
        b,
        allow_different=allow_different,
        **given({"resamples": resamples, "seed": seed}),
    )
    if kind == "json":
        body = {"format": 1, "kind": "test-comparison", **plain(found)}
        click.echo(json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False))
    elif kind == "markdown":
        click.echo(comparison_markdown(found), nl=False)
    else:
        from turnsure.cli.execute import print_rich

        print_rich(comparison_terminal(found))
    test = found.difference.pairs
    worse = test is not None and test.n_only_left > test.n_only_right and test.p_value < _P_CLEAR
    if fail_if_worse and worse:
        sys.exit(WORSE)
