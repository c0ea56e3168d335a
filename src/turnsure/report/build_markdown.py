"""The report of a build: how much was kept, why the rest was not, and some games to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from turnsure.core.built import DROPS, REFUSALS, Built, Guess, Played, spent_by_role
from turnsure.core.digest import seed_from
from turnsure.core.outcome import Failure
from turnsure.report.text import count, interval, interval_kind, number, printable, score, shortened

LOW_YIELD = 0.5
"""Below this share of games kept, the report warns of selection."""

N_SHOWN = 3
"""Games shown of those kept, and of those dropped."""

_MOST_SHOWN = 200
_MOST_BAR = 40


def build_markdown(built: Built, *, n_shown: int = N_SHOWN) -> str:
    """The whole report as Markdown.

    Parameters
    ----------
    built
        What was built.
    n_shown
        How many kept and how many dropped games are written out, drawn by the build's seed.
    """
    drops = [
        (one.reason, DROPS[one.reason])
        for one in (game.dropped for game in built.games)
        if one is not None
    ]
    refusals = [
        (one.refused.reason, REFUSALS[one.refused.reason])
        for game in built.games
        for one in game.refusals
    ]
    parts = [
        "# Hinter and Guesser: what was built",
        _yield(built),
        *_counted("Why games were dropped", drops),
        *_counted(
            "Hints that were refused and asked for again",
            refusals,
        ),
        *_turns(built.kept),
        _guesser(built.games),
        _calls(built),
        _table(
            ("setting", "value"), [(name, f"`{text}`") for name, text in built.facts], "Made with"
        ),
        *_samples(built, n_shown),
    ]
    return "\n\n".join(parts) + "\n"


def _yield(built: Built) -> str:
    n, kept = len(built.games), len(built.kept)
    rate = number(kept / n, "percent")
    lines = [
        f"**{kept:,} of {count(n, 'game')} kept: {rate} %** "
        f"{interval(built.kept_rate, 'percent')} ({interval_kind(built.kept_rate)})."
    ]
    if not kept:
        lines.append(
            "Nothing was kept, and no file of dialogues was written: with these rules, these two "
            "models build no dialogue of these entities."
        )
    elif kept / n < LOW_YIELD:
        lines.append(
            "**Fewer than half of the games are kept, so this is a selected set:** the entities "
            "that this Hinter can describe and this Guesser can find. What is measured on it says "
            "nothing about the others."
        )
    return "\n\n".join(lines)


def _counted(title: str, reasons: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Reasons with their texts, most frequent first; nothing where there are none."""
    if reasons:
        rows = [(name, f"{n:,}", text) for (name, text), n in Counter(reasons).most_common()]
        yield _table(("reason", "n", "what it says"), rows, title)


def _turns(kept: Sequence[Played]) -> Iterable[str]:
    """How many kept dialogues have how many turns, with a bar each."""
    counts = Counter(len(game.hints) for game in kept)
    if counts:
        most = max(counts.values())
        rows = [
            (str(n_turns), f"{n:,}", "█" * max(1, round(_MOST_BAR * n / most)))
            for n_turns, n in sorted(counts.items())
        ]
        yield _table(("turns", "dialogues", ""), rows, "Turns of the dialogues that are kept")


def _guesser(games: Sequence[Played]) -> str:
    guesses = [guess for game in games for guess in game.guesses]
    unread = sum(isinstance(guess.answer, Failure) for guess in guesses)
    certified = Counter(guess.right for guess in guesses if guess.certified)
    n_right = sum(guess.right for guess in guesses)
    n_found = sum(game.first_right is not None for game in games)
    mended = sum(game.n_mended for game in games)
    named = f' In {count(mended, "hint")} the question named the secret, where "it" stands now.'
    return (
        f"The Guesser was asked at {count(len(guesses), 'turn')}; at {unread:,} no answer could be "
        f"read. It was right at some turn of {n_found:,} of {count(len(games), 'game')}. It "
        f"certified {certified[True]:,} of {count(n_right, 'right answer')} and "
        f"{certified[False]:,} of {count(len(guesses) - n_right, 'other')}: a Guesser whose "
        "certificates mean something certifies few of the others. After a wrong certificate a game "
        f"goes on.{named if mended else ''}"
    )


def _calls(built: Built) -> str:
    spent = spent_by_role(built.games)
    rows = [
        (
            role,
            f"{one.n_requests:,}",
            f"{one.n_failed:,}",
            f"{one.prompt_tokens:,}",
            f"{one.completion_tokens:,}",
            f"{one.n_uncounted:,}",
        )
        for role, one in spent.items()
    ]
    headings = ("role", "requests", "failed", "prompt tokens", "completion tokens", "uncounted")
    return (
        _table(headings, rows, "Calls")
        + f"\n\nThis time {count(built.n_requests, 'request')} were made, {built.n_from_store:,} "
        "of them answered by the store."
    )


def _samples(built: Built, n_shown: int) -> Iterable[str]:
    dropped = [game for game in built.games if game.dropped is not None]
    for title, games in (("Kept", built.kept), ("Dropped", dropped)):
        drawn = sorted(range(len(games)), key=lambda k: seed_from(built.seed, games[k].secret.id))
        drawn = sorted(drawn[:n_shown])
        if drawn:
            shown = "\n\n".join(_game(games[place]) for place in drawn)
            yield f"## {title}, {len(drawn)} of {len(games):,} to read\n\n{shown}"


def _game(game: Played) -> str:
    """One game as an indented block, which needs no escapes."""
    lines = [f"{' / '.join(game.secret.names)}  ({game.secret.id})"]
    for turn, hint in enumerate(game.hints, start=1):
        lines += _refused(game, turn)
        question = "" if hint.question is None else f"{hint.question} "
        lines.append(f"{turn:>3}. {question}{hint.answer}")
        if turn <= len(game.guesses):
            lines.append(f"       {_said(game.guesses[turn - 1])}")
    lines += _refused(game, len(game.hints) + 1)
    if game.dropped is not None:
        lines.append(f"  dropped at turn {game.dropped.turn}: {DROPS[game.dropped.reason]}")
    return "\n".join(f"    {shortened(printable(line), _MOST_SHOWN)}" for line in lines)


def _refused(game: Played, turn: int) -> list[str]:
    return [
        f"  {turn}. refused ({one.refused.reason}): {one.refused.evidence}"
        for one in game.refusals
        if one.turn == turn
    ]


def _said(guess: Guess) -> str:
    if isinstance(guess.answer, Failure):
        return f"→ no answer ({guess.answer.kind})"
    unique = guess.unique
    sure = unique.kind if isinstance(unique, Failure) else f"only one that fits: {score(unique)} %"
    marks = ("right" if guess.right else "wrong") + (", certified" if guess.certified else "")
    return f"→ {guess.answer} ({marks}; {sure})"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]], title: str) -> str:
    """A Markdown table of our own words and numbers under a heading."""
    head = f"## {title}\n\n| {' | '.join(headings)} |\n|{' --- |' * len(headings)}\n"
    cells = (tuple(printable(cell).replace("|", "\\|") for cell in row) for row in rows)
    return head + "\n".join(f"| {' | '.join(row)} |" for row in cells)
