"""The guards on hints that people and models gave in real games."""

from __future__ import annotations

from collections import Counter

import pytest

from turnsure.dialogues.hinting.guards import Position, check_hint
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.grading.normalise import normal

pytestmark = pytest.mark.shared

N_GAMES = 40


def test_few_hints_of_real_games_are_refused_and_names_are(shared_data):
    """Answers such as "maybe" aside, the guards refuse what gives a name away and little else."""
    games = read_dialogues(shared_data / "20q_vibelang" / "dialogues.jsonl", limit=N_GAMES)
    reasons: Counter[str] = Counter()
    for game in games:
        for turn, hint in enumerate(game.hints):
            position = Position(
                names=game.gold,
                task=game.task,
                game="20q",
                earlier=game.hints[:turn],
                normalise=normal,
            )
            refused = check_hint(hint, position)
            reasons["taken" if refused is None else refused.reason] += 1
            named = any(
                f" {normal(name)} " in f" {normal(hint.question or '')} " for name in game.gold
            )
            assert not named or refused is not None
    assert reasons.total() == sum(game.n_turns for game in games)
    assert reasons["taken"] >= 0.93 * reasons.total()
    assert reasons["repeated_hint"] + reasons["contradicting_hint"] <= 0.02 * reasons.total()
