"""What ``turnsure dialogues check --model`` prints of the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from turnsure.cli.check_model import Asked
from turnsure.core.results import MetricResult
from turnsure.core.tested import LEAST_DIALOGUES, Found
from turnsure.report.text import MISSING, count, interval, kinds, number, p_value, printable, signed

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from turnsure.experiment.guessable_found import AnswersFound


def answers_text(asked: Asked) -> RenderableType:
    """A table of accuracy by what was known, and what it comes to in sentences."""
    from rich.console import Group
    from rich.text import Text

    body, found = asked.body, asked.found
    left_out = [
        f"{count(body[key], 'dialogue')} {why} not asked about"
        for key, why in (("n_unfit", "with errors"), ("n_beyond_limit", "beyond --limit"))
        if body[key]
    ]
    n_asked, n_turns = count(body["n_dialogues"], "dialogue"), count(body["n_turns"], "turn")
    head = "; ".join([f"Answers of {printable(body['model'])}: {n_asked}, {n_turns}", *left_out])
    lines = [*_guessing(found), _rise(found), *_failures(body["cost"])]
    return Group(Text(head), _table(found), *(Text(line) for line in lines))


def _table(found: AnswersFound) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("Known")
    table.add_column("Right, %", justify="right", no_wrap=True)
    table.add_column("95 % interval", no_wrap=True)
    table.add_column("n", justify="right", no_wrap=True)
    rows: Mapping[str, Found] = {
        "the task alone": found.guessed,
        "the first hint": found.first,
        "half of the hints": found.middle,
        "all hints": found.last,
    }
    for known, share in rows.items():
        table.add_row(known, *_cells(share))
    return table


def _cells(share: Found) -> tuple[str, str, str]:
    if not isinstance(share, MetricResult):
        return MISSING, MISSING, "0"
    bounds = MISSING if share.interval is None else interval(share.interval, "percent")
    return number(share.value, "percent"), bounds, f"{share.n_turns:,}"


def _guessing(found: AnswersFound) -> Iterator[str]:
    share = found.guessed
    if not isinstance(share, MetricResult):
        yield f"Whether answers can be guessed cannot be told: {share.reason}."
        return
    yield (
        f"Guessed from the task alone, asked once and greedily: {share.details['n_guessed']} of "
        f"{count(share.n_turns, 'dialogue')}."
    )
    if found.no_guess:
        yield f"Replies without an answer, which count as no guess: {kinds(found.no_guess)}."
    if found.chance is not None:
        guessed = found.chance.guessed
        verdict = "more than chance" if found.chance.is_exceeded else "what chance may give, too"
        yield (
            f"Of {count(guessed.n_turns, 'dialogue')} with candidates "
            f"{number(guessed.value, 'percent')} % are guessed, where drawing a candidate gives "
            f"{number(found.chance.expected, 'percent')} %: {verdict}."
        )


def _rise(found: AnswersFound) -> str:
    """Whether hints help, in a sentence."""
    change = found.change.change
    if not isinstance(change, MetricResult):
        return f"Whether hints help cannot be told: {change.reason}."
    bounds = "" if change.interval is None else f" {interval(change.interval, 'percent')}"
    numbers = (
        f"{signed(change.value, 'percent')} points{bounds} from the first to the last turn, "
        f"{count(change.n_dialogues or 0, 'dialogue')}, p {p_value(found.change.p_value)}"
    )
    few = (change.n_dialogues or 0) < LEAST_DIALOGUES
    said = {
        "rises": "Hints help: answers are right more often at the last turn than at the first",
        "falls": "Hints do not help: answers are right less often at the last turn than at the "
        "first",
        "flat": "Hints do not help: answers are hardly right more often at the last turn",
        "open": f"Whether hints help cannot be told from so few dialogues; it takes "
        f"{LEAST_DIALOGUES} or more"
        if few
        else "Whether hints help cannot be told from these dialogues",
    }[found.rise]
    return f"{said} ({numbers})."


def _failures(cost: Mapping[str, int]) -> Iterator[str]:
    yield (
        f"{count(cost['n_requests'], 'request')}, {cost['n_from_store']:,} of them answered from "
        f"the folder or by an equal one, {cost['n_failed']:,} failed."
    )
    if cost["n_failed"]:
        yield "The same command asks those that failed again, and nothing else."
