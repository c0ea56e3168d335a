"""``turnsure scenario``: the schema of cards, checking them, and making them of conversations."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from turnsure.cli.paths import NamedPath

NOT_REPRODUCED = 29
"""The exit code when a card's checks do not find the bug that a conversation is said to show."""

_TURN = click.option("--turn", type=int, metavar="N", help="The turn of the bug.  [any]")
_FAILURE = click.option(
    "--failure", metavar="TYPE", help="Its failure type, such as forgotten_constraint.  [any]"
)
_REDACT = click.option(
    "--redact",
    metavar="module:function",
    help="Your own redaction, text to text, before the built-in one.",
)
_BUILT_IN = click.option(
    "--built-in-redaction/--no-built-in-redaction",
    "builtin",
    default=True,
    help="Replace e-mail addresses, phone and card numbers.  [yes]",
)
_PICK = click.option("--pick", metavar="ID", help="Which conversation of the file.  [the only one]")


@click.group()
def scenario() -> None:
    """Check the cards of scenarios, and make them of real conversations."""


@scenario.command(epilog="Example: turnsure scenario schema > scenario.schema.json")
def schema() -> None:
    """Print the JSON schema of a card, for editors."""
    from turnsure.scenarios.card_schema import card_schema

    click.echo(json.dumps(card_schema(), indent=2, ensure_ascii=False))


@scenario.command(
    epilog=f"""\b
Exit codes: 0 all cards fit, 2 one does not, {NOT_REPRODUCED} the bug is not reproduced.
\b
Examples:
  turnsure scenario check cards/
  turnsure scenario check bug.yaml --conversation bug.jsonl --turn 3
"""
)
@click.argument("cards", nargs=-1, required=True, type=NamedPath())
@click.option(
    "--conversation",
    type=NamedPath(),
    metavar="FILE",
    help="Replay the conversation that the card was made of.",
)
@_TURN
@_FAILURE
@_PICK
@_REDACT
@_BUILT_IN
def check(
    cards: tuple[Path, ...],
    conversation: Path | None,
    turn: int | None,
    failure: str | None,
    pick: str | None,
    redact: str | None,
    builtin: bool,
) -> None:
    """Check cards; with --conversation, whether their checks find its bug.

    Every mistake is told with file, line and column.
    """
    from turnsure.cli.scenario_cards import check_cards, replay_card

    if conversation is None:
        sys.exit(check_cards(cards))
    found = replay_card(
        cards, conversation, turn=turn, failure=failure, pick=pick, redact=redact, builtin=builtin
    )
    sys.exit(0 if found else NOT_REPRODUCED)


@scenario.command(epilog="Example: turnsure scenario show rental.yaml")
@click.argument("cards", nargs=-1, required=True, type=NamedPath())
def show(cards: tuple[Path, ...]) -> None:
    """Say turn by turn what the user makes known, and what is checked."""
    from turnsure.cli.scenario_cards import show_cards

    show_cards(cards)


@scenario.command(
    "from-transcript",
    epilog=f"""\b
Exit codes: 0 the card reproduces the bug, {NOT_REPRODUCED} it does not (yet): the card is written
all the same.
\b
Examples:
  turnsure scenario from-transcript bug.jsonl -o bug.yaml
  turnsure scenario from-transcript bug.jsonl --parts parts.yaml --turn 3 -o bug.yaml
""",
)
@click.argument("file", type=NamedPath())
@click.option(
    "--out",
    "-o",
    type=NamedPath("file"),
    metavar="CARD.yaml",
    help="The card to write.  [print it]",
)
@click.option(
    "--parts",
    type=NamedPath(),
    metavar="FILE.yaml",
    help="What the conversation cannot say: id, goal, sets, rejects, items, checks, success …",
)
@_TURN
@_FAILURE
@_PICK
@_REDACT
@_BUILT_IN
def from_transcript(
    file: Path,
    out: Path | None,
    parts: Path | None,
    turn: int | None,
    failure: str | None,
    pick: str | None,
    redact: str | None,
    builtin: bool,
) -> None:
    """Make a frozen scenario of a real conversation, and say whether it reproduces the bug.

    FILE holds messages as in OpenAI's interfaces, in JSON or JSON Lines. What the user said
    becomes a script, what the tools gave back is served again, personal data get stand-ins.
    """
    from turnsure.cli.scenario_cards import freeze_conversation

    found = freeze_conversation(
        file,
        out,
        parts=parts,
        turn=turn,
        failure=failure,
        pick=pick,
        redact=redact,
        builtin=builtin,
    )
    sys.exit(0 if found else NOT_REPRODUCED)
