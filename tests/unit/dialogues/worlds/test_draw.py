"""Dialogues of worlds: counted by brute force, drawn alike everywhere, shaped by the settings."""

from __future__ import annotations

import hashlib
import itertools
import os
import statistics
import subprocess
import sys

import pytest

from tests.support.worlds import animals, check_dialogue, said_by_table
from turnsure import metrics
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import dialogue_line
from turnsure.dialogues.worlds.chance import Chance
from turnsure.dialogues.worlds.draw import Drawer
from turnsure.dialogues.worlds.facts import Question
from turnsure.dialogues.worlds.of_cities import cities
from turnsure.dialogues.worlds.of_countries import countries_gain, countries_yes_no
from turnsure.dialogues.worlds.opening import world_dialogues
from turnsure.dialogues.worlds.settings import WorldSettings
from turnsure.dialogues.worlds.source import draw_dialogues

SOURCES = pytest.mark.parametrize(
    "source", [countries_gain, countries_yes_no, cities], ids=["gain", "yes-no", "cities"]
)


@pytest.fixture(scope="module")
def many():
    """10,000 dialogues of ``countries-gain``, and how many drawings they took.

    The first n are the same however many are asked for, so they serve every test that needs fewer.
    """
    n_drawings = 0
    script = Drawer.script

    def counted(drawer, secret, chance):
        nonlocal n_drawings
        n_drawings += 1
        return script(drawer, secret, chance)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Drawer, "script", counted)
        dialogues = countries_gain(10_000)
    return dialogues, n_drawings


def n_left(dialogue) -> list[int]:
    return [len(places) for places in dialogue.remaining]


def test_ten_thousand_dialogues_are_counted_by_brute_force(many):
    world = countries_gain.build()
    said = said_by_table(world, "statements")
    dialogues, n_drawings = many
    assert len(dialogues) == 10_000
    for dialogue in dialogues:
        check_dialogue(dialogue, said, world)
    # Most drawings lead somewhere: what decides how long it takes.
    assert n_drawings < 20_000


@SOURCES
@pytest.mark.parametrize("style", ["statements", "questions"])
@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
@pytest.mark.parametrize("twists", [0, 1, 2])
def test_every_variant_is_counted_by_brute_force(source, style, difficulty, twists):
    options = {"style": style, "difficulty": difficulty, "twists": str(twists)}
    world = source.build()
    said = said_by_table(world, style)
    for dialogue in source(40, seed=5, options=options):
        check_dialogue(dialogue, said, world)
        assert sum(hint.corrects is not None for hint in dialogue.hints) == twists
        assert {name: dialogue.meta[name] for name in options} == options


@SOURCES
def test_every_entity_is_the_secret_once_before_one_is_again(source):
    n = len(source.build().entities)
    rounds = source(2 * n)
    for some in (rounds[:n], rounds[n:], source()):
        assert len({one.gold for one in some}) == n
    assert [one.gold for one in rounds[:n]] != [one.gold for one in rounds[n:]]
    assert len({one.id for one in rounds}) == 2 * n


@SOURCES
def test_another_seed_gives_other_dialogues(source):
    assert source(20, seed=1) == source(20, seed=1)
    assert source(20, seed=1) != source(20, seed=2)


def test_same_seed_same_bytes_in_any_process():
    data = "countries-gain?twists=1&style=questions"
    code = (
        "from turnsure.dialogues.worlds.opening import world_dialogues as draw\n"
        "from turnsure.dialogues.jsonl import dialogue_line\n"
        f"for one in draw({data!r}, 80, seed=3): print(ascii(dialogue_line(one)))"
    )
    here = [ascii(dialogue_line(one)) for one in world_dialogues(data, 80, seed=3)]
    printed = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("0", "77")
    ]
    assert len(here) == 80
    assert [text.decode().splitlines() for text in printed] == [here, here]


def test_a_seed_keeps_its_dialogues_from_version_to_version():
    lines = [dialogue_line(one) for one in draw_dialogues(animals(), 12, seed=4)]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest[:16] == "278918f2949fc525"


@SOURCES
@pytest.mark.parametrize("turns", [(5, 5), (6, 7)])
def test_lengths_are_within_the_range(source, turns):
    least, most = turns
    options = {"min_turns": str(least), "max_turns": str(most)}
    lengths = {one.n_turns for one in source(100, options=options)}
    assert lengths == set(range(least, most + 1))


@SOURCES
def test_difficulty_decides_how_early_the_telling_clue_comes(source):
    """The telling clue: the hint that divides the candidates by the most."""

    def place(difficulty: str) -> float:
        shares = []
        for one in source(150, options={"difficulty": difficulty}):
            counts = [len(one.candidates), *n_left(one)]
            drops = [before / after for before, after in itertools.pairwise(counts)]
            shares.append(drops.index(max(drops)) / (one.n_turns - 1))
        return statistics.mean(shares)

    easy, medium, hard = (place(difficulty) for difficulty in ("easy", "medium", "hard"))
    assert easy < medium - 0.1
    assert hard > medium + 0.1


def test_questions_are_chosen_by_what_they_are_expected_to_bring():
    """The first question of two-turn dialogues divides more evenly than one drawn by chance."""
    world = countries_yes_no.build()
    share = {}
    for question in world.questions():
        yes = question.answers[0].fits.bit_count() / len(world.entities)
        share[question.text] = min(yes, 1 - yes)
    drawn = countries_yes_no(200, options={"max_turns": "8"})
    first = statistics.mean(share[one.hints[0].question] for one in drawn)
    assert first > 2 * statistics.mean(share.values())


def test_a_twist_lowers_the_ideal_confidence_and_brings_the_secret_back():
    for one in countries_gain(200, options={"twists": "1"}):
        [turn] = [t for t, hint in enumerate(one.hints, start=1) if hint.corrects is not None]
        false = one.hints[turn - 1].corrects
        secret = one.gold[0]
        for earlier in range(1, one.n_turns + 1):
            assert (one.ideal_confidence(earlier, secret) == 0) == (false <= earlier < turn)
        top = [1 / n for n in n_left(one)]
        assert top[turn - 1] < top[turn - 2]
        assert turn < one.n_turns


@pytest.mark.parametrize(
    ("style", "question", "answer"),
    [
        ("questions", "Does it fly?", "Correction: no, not yes."),
        ("statements", None, 'Correction: "It flies." was wrong. It does not fly.'),
    ],
)
def test_the_words_of_a_correction_say_so(style, question, answer):
    settings = WorldSettings(style=style, twists=1)
    said = {
        (hint.question, hint.answer)
        for seed in range(8)
        for one in draw_dialogues(animals(), seed=seed, settings=settings)
        for hint in one.hints
        if hint.corrects is not None
    }
    assert (question, answer) in said


@SOURCES
def test_no_single_fact_of_the_built_in_worlds_gives_the_secret_away(source):
    for one in source(options={"difficulty": "easy"}):
        assert n_left(one)[0] >= 2


def test_an_answer_is_given_only_when_it_fits_enough_entities():
    world = animals(least_fitting=2)
    rare = {
        answer.statement
        for question in world.questions()
        for answer in question.answers
        if answer.fits.bit_count() < 2
    }
    assert rare
    said = {hint.answer for one in draw_dialogues(world, 8) for hint in one.hints}
    assert not said & rare


@pytest.mark.parametrize(
    ("n", "changes", "problem"),
    [
        (10**5, {}, "different dialogues"),
        (None, {"min_turns": 7}, "gives 0 different dialogues"),
    ],
)
def test_more_than_there_are_is_an_error(n, changes, problem):
    settings = WorldSettings(**{"min_turns": 1, "max_turns": 8, **changes})
    with pytest.raises(InputError, match=problem):
        draw_dialogues(animals(), n, settings=settings)


def test_fewer_than_one_is_an_error():
    with pytest.raises(InputError, match="0 dialogues"):
        draw_dialogues(animals(), 0)


def test_entities_that_no_fact_tells_apart_are_never_the_secret():
    world = animals()
    twin = world.entities[0].values
    [lion, *others] = world.entities
    alike = animals(entities=(lion, type(lion)(names=("puma",), values=twin), *others))
    secrets = {one.gold[0] for one in draw_dialogues(alike)}
    assert secrets == {"cow", "bat", "shark", "gull", "whale"}
    with pytest.raises(InputError, match="can be told from"):
        draw_dialogues(animals(entities=alike.entities[:2]))


def test_a_question_that_names_the_secret_is_not_asked():
    world = countries_gain.build()
    questions: list[Question] = world.questions()
    about_france = [one for one in questions if "France" in one.text]
    assert about_france
    asked = {
        hint.question
        for one in countries_gain(600, options={"style": "questions"})
        if "France" in one.gold
        for hint in one.hints
    }
    assert asked
    assert not asked & {one.text for one in about_france}


def test_a_guess_among_the_remaining_is_right_as_often_as_the_ideal_says(many):
    chance = Chance("guesses")
    rows = []
    for one in many[0][:3000]:
        for turn in range(1, one.n_turns + 1):
            left = one.candidates_at(turn)
            guess = left[chance.below(len(left))]
            ideal = one.ideal_confidence(turn, guess)
            rows.append((ideal, float(guess == one.gold[0]), turn, one.n_turns))
    confidence, correct, turns, n_turns = zip(*rows, strict=True)
    assert metrics.info_ece(confidence, correct, turns, n_turns).value < 0.02
