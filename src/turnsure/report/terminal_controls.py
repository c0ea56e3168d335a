"""What the controls found, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from turnsure.core.controls import ControlEffects
from turnsure.core.evaluation import Evaluation
from turnsure.core.tested import Verdict
from turnsure.report.readings import confidence_sentences, placebo_counts, placebo_sentences
from turnsure.report.readings_questions import (
    flip_sentences,
    flips_headline,
    judged_sources,
    sources,
    supplied_sentence,
)
from turnsure.report.sentences import Sentence
from turnsure.report.text import MISSING, printable, shortened
from turnsure.report.verdicts import MARKS, Judged, judged

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table
    from rich.text import Text

_NAME_WIDTH = 16
_STYLES: dict[Verdict, str] = {"passed": "green", "failed": "red", "open": "dim"}


def controls_table(evaluation: Evaluation) -> RenderableType:
    """The verdicts as a table, the counts of placebo turns, and a sentence behind every verdict.

    Prints nothing when no control was run, and no sentence about what is open.  Wrong answers have
    one column, over all sources that are judged; the page has the others.
    """
    return _Controls(evaluation.controls)


@dataclass(frozen=True, slots=True)
class _Controls:
    """Prints itself at the width that the console offers."""

    effects: ControlEffects

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        del console, options
        from rich.padding import Padding
        from rich.text import Text

        if not self.effects.any:
            return
        shown = [one for one in judged(self.effects) if one.main]
        if shown:
            yield _table(shown)
        for headline in _headlines(self.effects):
            yield Padding(Text(headline), (0, 0, 0, 1))
        for sentence in _sentences(self.effects):
            if sentence.decided:
                yield _item(sentence)


def _table(shown: Sequence[Judged]) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title="What the controls say",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=True,
    )
    table.add_column("Method", min_width=_NAME_WIDTH, max_width=_NAME_WIDTH, overflow="fold")
    columns = dict.fromkeys(_column(one) for one in shown)
    for column in columns:
        table.add_column("\n".join(column), no_wrap=True)
    found: dict[tuple[str, tuple[str, str]], Verdict] = {
        (one.method, _column(one)): one.verdict for one in shown
    }
    for method in dict.fromkeys(one.method for one in shown):
        name = Text(shortened(printable(method), 2 * _NAME_WIDTH))
        table.add_row(name, *(verdict_mark(found.get((method, column))) for column in columns))
    return table


def _column(one: Judged) -> tuple[str, str]:
    """The two lines of its heading; which source of wrong answers is not among them."""
    return (one.control, "answers" if one.control == "supplied" else one.part)


def verdict_mark(verdict: Verdict | None) -> Text:
    """A verdict with its mark and colour; a dash where there is none."""
    from rich.text import Text

    if verdict is None:
        return Text(MISSING, style="dim")
    return Text(f"{MARKS[verdict]} {verdict}", style=_STYLES[verdict])


def _item(sentence: Sentence) -> Table:
    """A sentence whose further lines stand under its first word."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=2, justify="right")
    grid.add_column()
    grid.add_row("·", Text(sentence.whole))
    return grid


def _headlines(effects: ControlEffects) -> Iterator[str]:
    if effects.placebo is not None:
        yield placebo_counts(effects.placebo)
    if effects.protocols is not None:
        yield flips_headline(effects.protocols)


def _sentences(effects: ControlEffects) -> Iterator[Sentence]:
    """Those behind the verdicts, of further sources only where they failed, and the flips.

    Sources that are not judged are told where there are no others.
    """
    if effects.placebo is not None:
        yield from placebo_sentences(effects.placebo)
    for told in effects.formats:
        yield from confidence_sentences(told)
    if (supplied := effects.supplied) is not None:
        named = sources(supplied)
        main = (judged_sources(supplied) or named)[:1]
        for row in sorted(supplied.rows, key=lambda row: named.index(row.source)):
            if row.source in main or row.verdict == "failed":
                yield supplied_sentence(row, supplied.tolerance)
    if effects.protocols is not None:
        yield from flip_sentences(effects.protocols.flips)
