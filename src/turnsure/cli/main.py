"""The command line: which commands there are, and how errors end."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping

import click

from turnsure.core.errors import TurnsureError

_INTERRUPTED = 130
_IO_ERROR = 10

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "demo": ("turnsure.cli.demo:demo", "Measure the embedded model on built-in dialogues."),
    "run": ("turnsure.cli.run:run", "Measure a model on dialogues, turn by turn."),
    "build": ("turnsure.cli.build:build", "Let two models build dialogues, hint by hint."),
    "report": ("turnsure.cli.report:report", "Draw a finished run's report and charts again."),
    "score": ("turnsure.cli.score:score", "Judge confidences that were made elsewhere."),
    "compare": ("turnsure.cli.compare:compare", "Put finished runs side by side."),
    "test": ("turnsure.cli.test:test", "Test an assistant in whole conversations, turn by turn."),
    "scenario": ("turnsure.cli.scenario:scenario", "Check and make the cards of such tests."),
    "sharded": ("turnsure.cli.sharded:sharded", "Test tasks told whole and piece by piece."),
    "judge": ("turnsure.cli.judge:judge", "See how far a judge agrees with people."),
    "calibrate": ("turnsure.cli.calibrate:calibrate", "Judge scores; choose maps and thresholds."),
    "gate": ("turnsure.cli.gate:gate", "Build a gate from scores, replay it, serve it."),
    "drift": ("turnsure.cli.drift:drift", "Say whether a gate still holds on new rows."),
    "models": ("turnsure.cli.models:models", "List models, and see what one can do."),
    "dialogues": ("turnsure.cli.dialogues:dialogues", "Show, check, convert and split dialogues."),
}


class _LazyGroup(click.Group):
    """Imports a command's module only when the command is called or asked for its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module, _, name = _COMMANDS[cmd_name][0].partition(":")
        return getattr(importlib.import_module(module), name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in _COMMANDS.items()])


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    del param
    if value and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"turnsure {version('turnsure')}")
        ctx.exit()


@click.command(
    cls=_LazyGroup,
    epilog="Try it: turnsure demo     Then: turnsure run --data FILE.jsonl --limit 5",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and exit.",
)
def cli() -> None:
    """Tell how sure a language model is at every turn of a dialogue, and whether it is right."""


def main() -> None:
    """Run the command line; every error that turnsure knows ends in one line and an exit code."""
    try:
        cli.main(prog_name="turnsure", standalone_mode=False)
    except TurnsureError as error:
        _fail(str(error), error.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.exceptions.Abort):
        _fail("stopped", _INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone (turnsure … | head): not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        # A full disk, a folder without permission, a path through a file.
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{error.strerror or error}", _IO_ERROR)


def _fail(message: str, code: int) -> None:
    click.echo(f"turnsure: {message}", err=True)
    sys.exit(code)
