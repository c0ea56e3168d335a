"""``turnsure dialogues``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from turnsure.cli.check import check
from turnsure.cli.convert import convert
from turnsure.cli.fetch import fetch
from turnsure.cli.split import split
from turnsure.core.dialogue import Dialogue


@click.group()
def dialogues() -> None:
    """Look at dialogues: files in JSON Lines and built-in worlds; turn public sets into them."""


dialogues.add_command(fetch)
dialogues.add_command(convert)
dialogues.add_command(check)
dialogues.add_command(split)


@dialogues.command(
    epilog="""\b
Examples:
  turnsure dialogues show countries --limit 2
  turnsure dialogues show dialogues.jsonl --prompt --render chat --limit 1
  turnsure dialogues show countries --jsonl --limit 50 > countries.jsonl
"""
)
@click.argument("data")
@click.option("--limit", type=int, metavar="N", help="The first N dialogues only.")
@click.option("--seed", type=int, metavar="N", help="Of a built-in world.  [0]")
@click.option("--task", metavar="TEXT", help="The task, for dialogues that name none.")
@click.option("--jsonl", is_flag=True, help="Print JSON Lines, to save and edit.")
@click.option("--prompt", is_flag=True, help="Print what a model is sent at the last turn.")
@click.option(
    "--render",
    type=click.Choice(["transcript", "chat"]),
    help="With --prompt: as one text or as chat messages.  [transcript]",
)
def show(
    data: str,
    limit: int | None,
    seed: int | None,
    task: str | None,
    jsonl: bool,
    prompt: bool,
    render: str | None,
) -> None:
    """Print dialogues.  DATA is a file, or the name of a built-in world."""
    from turnsure.cli.options import given
    from turnsure.dialogues.jsonl import dialogue_line
    from turnsure.experiment.config import make_spec
    from turnsure.pipeline import prepare

    flags = {"data": data, "limit": limit, "seed": seed, "task": task, "render": render}
    setup = prepare(make_spec(given(flags)))
    if jsonl:
        for dialogue in setup.dialogues:
            click.echo(dialogue_line(dialogue))
        return
    for dialogue in setup.dialogues:
        click.echo(_text(dialogue))
        if prompt:
            messages = setup.measurement.prompt(dialogue, dialogue.n_turns)
            for message in messages:
                click.echo(f"[{message.role}]\n{message.content}\n")
    click.echo(_summary(setup.dialogues), err=True)


def _text(dialogue: Dialogue) -> str:
    meta = "".join(f"  {name}={value}" for name, value in dialogue.meta.items())
    lines = [f"{dialogue.id}{meta}", f"  Task: {dialogue.task}"]
    for turn, hint in enumerate(dialogue.hints, start=1):
        question = "" if hint.question is None else f"{hint.question} "
        lines.append(f"  {turn}. {question}{hint.answer}")
    lines.append(f"  Accepted: {', '.join(dialogue.gold)}\n")
    return "\n".join(lines)


def _summary(dialogues: Sequence[Dialogue]) -> str:
    turns = [dialogue.n_turns for dialogue in dialogues]
    return f"{len(turns)} dialogues, {sum(turns)} turns ({min(turns)} to {max(turns)} each)"
