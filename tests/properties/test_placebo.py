"""Placebo hints: laws that hold for any dialogue, pool and seed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.english import plain
from turnsure.dialogues.placebo import (
    BUILT_IN,
    PlaceboPool,
    choose_turns,
    load_pool,
    placebo_hint,
    placebo_prefix,
    pool_for,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(str.strip)
QUESTIONS = [hint.question for hint in load_pool("things").hints[:8]]
PAIRS = st.builds(Hint, question=TEXT | st.sampled_from(QUESTIONS), answer=TEXT)
DIALOGUES = st.builds(
    Dialogue,
    id=TEXT,
    task=TEXT,
    hints=st.lists(PAIRS | st.builds(Hint, answer=TEXT), min_size=1, max_size=12).map(tuple),
    gold=st.lists(TEXT, min_size=1, max_size=2).map(tuple),
)
SEEDS = st.integers(0, 2**31)
POOLS = {name: load_pool(name) for name in BUILT_IN}
SMALL = {name: replace(pool, hints=pool.hints[:8]) for name, pool in POOLS.items()}


@given(dialogue=DIALOGUES, seed=SEEDS, name=st.sampled_from(BUILT_IN))
def test_placebos_of_a_dialogue_are_new_different_and_give_nothing_away(dialogue, seed, name):
    pool = SMALL[name]
    turns = choose_turns(dialogue, which="all", seed=seed)
    drawn = [placebo_hint(pool, dialogue, turn, seed=seed) for turn in turns]
    hints = [one for one in drawn if isinstance(one, Hint)]
    assert len(set(hints)) == len(hints)
    assert set(hints) <= set(pool.hints)
    assert drawn == [placebo_hint(pool, dialogue, turn, seed=seed) for turn in turns]
    said = {plain(hint.question or hint.answer) for hint in dialogue.hints}
    gold = {plain(answer) for answer in dialogue.gold} - {""}
    for hint in hints:
        assert plain(hint.question or hint.answer) not in said
        for text in (hint.question or "", hint.answer):
            assert not any(f" {answer} " in f" {plain(text)} " for answer in gold)
    # Once the pool is used up it stays so.
    failed = [isinstance(one, Failure) for one in drawn]
    assert failed == sorted(failed)


@given(dialogue=DIALOGUES, seed=SEEDS)
def test_a_placebo_prefix_differs_from_the_plain_one_in_its_last_hint_alone(dialogue, seed):
    for turn in choose_turns(dialogue, which="one", seed=seed):
        hint = placebo_hint(SMALL["things"], dialogue, turn, seed=seed)
        if isinstance(hint, Failure):
            hint = Hint(answer="The pool is used up.")
        prefix, plain_prefix = placebo_prefix(dialogue, turn, hint), dialogue.prefix(turn)
        assert prefix.hints == (*plain_prefix.hints[:-1], hint)
        assert (prefix.turn, prefix.task) == (turn, dialogue.task)


@given(
    dialogue=DIALOGUES,
    seed=SEEDS,
    shares=st.tuples(st.integers(1, 100), st.integers(1, 100)).map(sorted),
)
def test_the_turns_of_a_smaller_fraction_are_among_those_of_a_larger(dialogue, seed, shares):
    fewer, more = (choose_turns(dialogue, which=share / 100, seed=seed) for share in shares)
    assert set(fewer) <= set(more) <= set(range(2, dialogue.n_turns + 1))
    assert list(more) == sorted(set(more))
    wanted = Fraction(shares[1], 100) * (dialogue.n_turns - 1)
    assert wanted <= len(more) < wanted + 1
    one = choose_turns(dialogue, which="one", seed=seed)
    assert len(one) == min(1, dialogue.n_turns - 1)
    assert set(one) <= set(fewer)


@given(dialogue=DIALOGUES)
def test_every_dialogue_has_a_built_in_pool_of_its_kind(dialogue):
    pool = POOLS[pool_for(dialogue)]
    has_question = any(hint.question is not None for hint in dialogue.hints)
    assert (pool.hints[0].question is not None) == has_question


def pool_or_error(file: Path) -> PlaceboPool | InputError:
    try:
        return load_pool(file)
    except InputError as error:
        return error


@given(raw=st.binary(max_size=60), ending=st.sampled_from(["toml", "jsonl"]))
def test_any_bytes_are_a_pool_or_refused_with_their_file(tmp_path_factory, raw, ending):
    file = tmp_path_factory.mktemp("pool") / f"p.{ending}"
    file.write_bytes(raw)
    read = pool_or_error(file)
    if isinstance(read, InputError):
        assert read.file == str(file)
        assert read.expected
    else:
        assert read.name == file.name
