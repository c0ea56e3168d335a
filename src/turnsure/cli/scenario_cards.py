"""What the commands about cards do and print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from turnsure.cli.tables import write_text
from turnsure.core.errors import InputError
from turnsure.report.scenario_text import frozen_sentences, scenario_lines, scenario_sentence
from turnsure.scenarios.cards import read_cards
from turnsure.scenarios.importing.reproducing import reproduces
from turnsure.testing.cards import card_files, load_scenarios
from turnsure.testing.freezing import failure_type, freeze_file, replay


def check_cards(paths: Sequence[Path]) -> int:
    """Check every file; a mistake in one does not keep the others from being read.

    Returns
    -------
    The exit code: 0, or that of a mistake.
    """
    code = 0
    for file in (one for path in paths for one in card_files(path)):
        try:
            scenarios = read_cards(file)
        except InputError as error:
            click.echo(f"turnsure: {error}", err=True)
            code = error.exit_code
            continue
        for scenario in scenarios:
            click.echo(f"{file}: {scenario_sentence(scenario)}")
    if not code:
        load_scenarios(paths)  # ids that stand in two files
    return code


def show_cards(paths: Sequence[Path]) -> None:
    """Print every scenario."""
    for place, scenario in enumerate(load_scenarios(paths)):
        if place:
            click.echo()
        for line in scenario_lines(scenario):
            click.echo(line)


def replay_card(
    cards: Sequence[Path],
    conversation: Path,
    *,
    turn: int | None,
    failure: str | None,
    pick: str | None,
    redact: str | None,
    builtin: bool,
) -> bool:
    """Whether the checks of a card find the bug of its conversation."""
    scenarios = load_scenarios(cards)
    if len(scenarios) != 1:
        raise InputError(
            f"there are {len(scenarios)} scenarios", field="cards", expected="one card of one"
        )
    found = replay(
        scenarios[0],
        conversation,
        turn=turn,
        failure=failure,
        pick=pick,
        redact=redact,
        builtin=builtin,
    )
    click.echo(f"{scenarios[0].id}: {found.sentence}")
    return found.reproduced


def freeze_conversation(
    file: Path,
    out: Path | None,
    *,
    parts: Path | None,
    turn: int | None,
    failure: str | None,
    pick: str | None,
    redact: str | None,
    builtin: bool,
) -> bool:
    """Write or print the card; whether it reproduces the bug."""
    wanted = failure_type(failure)
    frozen = freeze_file(
        file,
        parts=parts,
        pick=pick,
        redact=redact,
        builtin=builtin,
        folder=Path() if out is None else out.parent,
    )
    if out is None:
        click.echo(frozen.card, nl=False)
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_text(out, frozen.card)
    found = reproduces(frozen.scenario, frozen.transcript, turn=turn, failure=wanted)
    said = frozen_sentences(
        scenario_sentence(frozen.scenario), frozen.n_redacted, frozen.left_out, found.sentence
    )
    for line in said:
        click.echo(line, err=out is None)
    if not found.reproduced and out is not None:
        click.echo(
            f"Say in {out} what the messages mean and what was wrong, then: turnsure scenario "
            f"check {out} --conversation {file}"
        )
    return found.reproduced
