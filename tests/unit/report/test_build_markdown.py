"""The report of a build."""

from __future__ import annotations

from dataclasses import replace

from tests.support.playing import HINTS, PERU, Script, play
from turnsure.core.built import Built, Played, Secret
from turnsure.metrics.rates import wilson
from turnsure.report.build_markdown import build_markdown

KEPT = play(Script(answers=["Chile", "Peru"]))
LEAKED = play(Script(hints=["Q: Which land is it?\nA: Peru"]))
CERTAIN = play(Script(answers=["Chile"], sure=[0.99]))


def built(*games: Played) -> Built:
    numbered = [
        replace(game, secret=Secret(id=f"guess-{n}", names=(f"Land {n}",)))
        for n, game in enumerate(games, start=1)
    ]
    return Built(
        games=tuple(numbered),
        kept_rate=wilson(sum(game.dropped is None for game in games), len(games)),
        facts=(("Game", "guess"), ("Entities", "a|b.txt")),
        digest="0" * 64,
        seed=0,
        n_requests=1_234,
        n_from_store=34,
        n_failed=0,
    )


def test_the_yield_comes_with_its_interval_and_a_warning_where_it_is_low():
    text = build_markdown(built(KEPT, LEAKED, CERTAIN))
    assert "**1 of 3 games kept: 33.3 %** [6.1, 79.2] (95 % wilson)" in text
    assert "selected set" in text
    assert "selected set" not in build_markdown(built(KEPT, KEPT, LEAKED))


def test_a_yield_of_nothing_says_so():
    text = build_markdown(built(LEAKED, CERTAIN))
    assert "**0 of 2 games kept: 0.0 %**" in text
    assert "Nothing was kept" in text
    assert "Turns of the dialogues" not in text
    assert "## Kept" not in text


def test_every_reason_and_refusal_is_counted_and_explained():
    text = build_markdown(built(KEPT, LEAKED, LEAKED, CERTAIN))
    assert "| leaked_secret | 2 | the hint gives the secret away, at every attempt |" in text
    assert "| never_right | 1 | turn limit: the Guesser was never right |" in text
    assert "| leaked_secret | 6 | the hint gives the secret away |" in text
    assert "It certified 1 of 1 right answer and 5 of 5 others" in text
    assert "| 2 | 1 | █" in text


def test_calls_by_role():
    text = build_markdown(built(KEPT))
    assert "| hinter | 2 | 0 | 20 | 4 | 0 |" in text
    assert "| guesser | 6 | 0 | 20 | 4 | 4 |" in text
    assert "1,234 requests were made, 34 of them answered by the store" in text


def test_games_to_read_are_drawn_by_the_seed_and_shown_whole():
    games = built(*[KEPT] * 8, *[LEAKED] * 8)
    text = build_markdown(games)
    assert text == build_markdown(games)
    assert "## Kept, 3 of 8 to read" in text
    assert "## Dropped, 3 of 8 to read" in text
    assert text.count("    Land ") == 6
    assert "      1. Which continent is it on? South America" in text
    assert "→ Chile (wrong, certified; only one that fits: 90 %)" in text
    assert "→ Peru (right, certified; only one that fits: 90 %)" in text
    assert "1. refused (leaked_secret):" in text
    assert "dropped at turn 1: the hint gives the secret away, at every attempt" in text
    other = build_markdown(replace(games, seed=1))
    assert other != text
    assert "to read" not in build_markdown(games, n_shown=0)


def test_what_models_write_cannot_break_the_page():
    wild = play(
        Script(hints=[HINTS[0]], answers=["# `Chile` | <b>\x1b[31m", "Peru"], sure=[0.9]),
        secret=replace(PERU, names=("Peru",)),
    )
    text = build_markdown(built(wild, KEPT))
    assert "\x1b" not in text
    shown = [line for line in text.splitlines() if "Chile` |" in line]
    assert shown
    assert all(line.startswith("    ") for line in shown)
    assert "`a\\|b.txt`" in text
