"""``turnsure build``."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnsure.cli.options import MODEL_OPTIONS, VERBOSE, given, options
from turnsure.cli.paths import NamedPath

if TYPE_CHECKING:
    from turnsure.core.built import Built
    from turnsure.core.protocols import Backend
    from turnsure.core.spec import RunSpec

NOTHING_KEPT = 21
"""The exit code when every game was dropped."""

_INTERRUPTED = 130
_SHARED = MODEL_OPTIONS[1:]
"""All but the model itself, of which there are two."""

_OF_THE_BUILD = frozenset({"task", "limit", "seed", "temperature", "answer_tokens"})
"""Settings that a build and a run both have, each its own."""

_SLOTS = 1
"""Samples side by side in an embedded model: a game draws one at a time."""


@click.command(
    epilog="""\b
Examples:
  turnsure build guess --entities cities.txt -o cities.jsonl
  turnsure build 20q --entities things.csv --hinter openai:large --guesser openai:small \\
      --base-url http://127.0.0.1:8000/v1 --concurrency 16 -o things.jsonl
  turnsure build guess --entities world:countries-gain --limit 20 --hinter local:model.gguf
\b
Exit codes: 0 when a dialogue was kept, 21 when none was.
"""
)
@click.argument("game", type=click.Choice(["20q", "guess"]))
@click.option(
    "--entities",
    required=True,
    metavar="FILE|world:NAME",
    help="What is to be guessed: text (name | alias | alias), CSV or JSON Lines; or a world's.",
)
@click.option("--hinter", metavar="MODEL", help="The model that gives hints, as for turnsure run.")
@click.option("--guesser", metavar="MODEL", help="The model that guesses.  [the Hinter's]")
@click.option("--hinter-url", metavar="URL", help="Its address, for an endpoint.  [--base-url]")
@click.option("--guesser-url", metavar="URL", help="Its address, for an endpoint.  [--base-url]")
@click.option(
    "--hinter-key-env", metavar="NAME", help="Variable with the Hinter's key.  [--api-key-env]"
)
@click.option(
    "--guesser-key-env", metavar="NAME", help="Variable with the Guesser's key.  [--api-key-env]"
)
@click.option(
    "--out",
    "-o",
    type=NamedPath("file"),
    metavar="OUT.jsonl",
    help="The file to write.  [GAME.jsonl]",
)
@click.option("--turns", type=int, metavar="N", help="Turn limit.  [20q: 20, guess: 12]")
@click.option("--attempts", type=int, metavar="N", help="At one hint, before it is given up.  [3]")
@click.option("--temperature", type=float, metavar="T", help="Of the Hinter.  [0.7]")
@click.option(
    "--certain",
    type=float,
    metavar="P",
    help="The Guesser certifies above this probability.  [0.5]",
)
@click.option("--hint-tokens", type=int, metavar="N", help="Limit of a hint.  [80]")
@click.option("--answer-tokens", type=int, metavar="N", help="Limit of an answer.  [32]")
@click.option("--task", metavar="TEXT", help="What the Guesser is asked, e.g. Name the city.")
@click.option("--wording", metavar="FILE.toml", help="Your own words for the prompts.")
@click.option("--limit", type=int, metavar="N", help="The first N entities only.")
@click.option("--seed", type=int, metavar="N", help="Of sampling and of a world's order.  [0]")
@options(_SHARED)
@VERBOSE
def build(game: str, out: Path | None, verbose: bool, **flags: Any) -> None:
    """Let a Hinter and a Guesser build dialogues in which information accumulates.

    The Hinter knows the secret and gives a hint a turn; the Guesser answers and says whether other
    answers fit as well.  A game is kept when the Guesser is right and certifies that nothing else
    fits.  Stop it whenever you like and call it again: nothing is asked twice.
    """
    from turnsure.cli.progress import run_progress
    from turnsure.experiment.building.build import BuildFolder, build_dialogues
    from turnsure.experiment.building.spec import BuildSpec, prepare_build
    from turnsure.report.build_markdown import build_markdown

    flagged = given(flags)
    hinter_spec, guesser_spec = model_specs(flagged)
    rest = {name: flagged[name] for name in BuildSpec.__dataclass_fields__ if name in flagged}
    spec = BuildSpec(game="20q" if game == "20q" else "guess", **rest)
    setup = prepare_build(spec)
    file = out or Path(f"{game}.jsonl")
    folder = BuildFolder(file)
    click.echo(
        f"Entities: {len(setup.secrets)}, up to {spec.most_turns} turns each, at most "
        f"{setup.most_requests:,} requests and repeated attempts; hints by {hinter_spec.model}, "
        f"guesses by {guesser_spec.model}; dialogues go to {file}",
        err=True,
    )
    hinter, guesser = open_models(hinter_spec, guesser_spec, verbose=verbose)
    try:
        with run_progress(setup.most_requests) as progress:
            built = build_dialogues(setup, hinter, guesser, file, progress)
    except KeyboardInterrupt:
        again = shlex.join(["turnsure", *sys.argv[1:]])
        click.echo(
            f"\nStopped; what was finished is kept in {folder.path}. Go on with: {again}", err=True
        )
        sys.exit(_INTERRUPTED)
    folder.report.write_text(build_markdown(built), encoding="utf-8")
    _say(built, file, folder.report)
    if not built.kept:
        sys.exit(NOTHING_KEPT)


def _say(built: Built, file: Path, report: Path) -> None:
    from rich.markdown import Markdown

    from turnsure.cli.execute import print_rich
    from turnsure.report.build_markdown import build_markdown

    print_rich(Markdown(build_markdown(built, n_shown=0)))
    if built.n_failed:
        click.echo("The same command asks what failed again, and nothing else.", err=True)
    if built.kept:
        click.echo(f"Dialogues: {file}")
    click.echo(f"Report, with games to read: {report}")


def model_specs(flags: dict[str, Any]) -> tuple[RunSpec, RunSpec]:
    """How to reach both models; what is said of one goes before what is said of both."""
    from turnsure.core.spec import RunSpec
    from turnsure.experiment.config import make_spec

    names = (RunSpec.__dataclass_fields__.keys() & flags.keys()) - _OF_THE_BUILD
    shared = {"slots": _SLOTS, **{name: flags[name] for name in names}}

    def of(*roles: str) -> RunSpec:
        """The model of the first role; what is not said of it is taken from the next."""
        settings = dict(shared)
        for role in reversed(roles):
            settings |= given(
                {
                    "model": flags.get(role),
                    "base_url": flags.get(f"{role}_url"),
                    "api_key_env": flags.get(f"{role}_key_env"),
                }
            )
        return make_spec(settings)

    # A Guesser of its own is reached in its own way.
    return of("hinter"), of("guesser") if "guesser" in flags else of("guesser", "hinter")


def open_models(hinter: RunSpec, guesser: RunSpec, *, verbose: bool) -> tuple[Backend, Backend]:
    """The two models; one that plays both roles is loaded once."""
    from turnsure.cli.execute import open_with_progress

    first = open_with_progress(hinter, verbose=verbose)
    if hinter == guesser:
        return first, first
    return first, open_with_progress(guesser, verbose=verbose)
