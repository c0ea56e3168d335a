"""One game: every way in which it ends, and what each role may know."""

from __future__ import annotations

import pytest

from tests.support.playing import HINTS, PERU, Script, failure, play, text_of
from turnsure.core.built import DROPS, Secret
from turnsure.core.outcome import Failure


def test_right_and_certified_ends_the_game():
    script = Script(answers=["Chile", "Ecuador", "Peru"], sure=[0.1, 0.2, 0.9])
    game = play(script)
    assert game.dropped is None
    assert [hint.answer for hint in game.hints] == ["South America", "the llama", "the Andes"]
    assert [guess.answer for guess in game.guesses] == ["Chile", "Ecuador", "Peru"]
    assert [guess.unique for guess in game.guesses] == pytest.approx([0.1, 0.2, 0.9])
    assert game.first_right == 3
    assert len(script.of("hinter")) == 3
    assert len(script.of("guesser")) == 9  # an answer, and the question in both orders


def test_an_alias_is_right():
    assert play(Script(answers=["the Republic of Peru"])).dropped is None


def test_right_but_not_certified_goes_on_until_it_is():
    game = play(Script(sure=[0.5, 0.3, 0.51]))
    assert game.dropped is None
    assert len(game.hints) == 3  # exactly one half certifies nothing
    assert game.first_right == 1


def test_certified_too_early_is_counted_and_no_stop():
    game = play(Script(answers=["Chile", "Chile", "Peru"], sure=[0.99]))
    assert game.dropped is None
    assert game.n_early == 2
    assert len(game.hints) == 3


def test_never_certified():
    game = play(Script(answers=["Chile", "Peru"], sure=[0.2]))
    assert game.dropped is not None
    assert (game.dropped.reason, game.dropped.turn) == ("never_certified", 4)
    assert game.dropped.evidence == "right at 3 of 4 turns"


def test_never_right_though_certified():
    game = play(Script(answers=["Chile"], sure=[0.99]))
    assert game.dropped is not None
    assert game.dropped.reason == "never_right"
    assert game.n_early == 4
    assert "Chile" in game.dropped.evidence


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("Q: Which land is it?\nA: Peru", "leaked_secret"),
        ("Q: Which food?\nA: Peruvian ceviche", "leaked_secret"),
        ("Q: How is it written?\nA: Перу", "leaked_secret"),
        ("Q: How is it written?\nA: 秘魯", "other_script"),
        (HINTS[0], "repeated_hint"),
        ("Q: Which continent is it on?\nA: Africa", "contradicting_hint"),
        ("", "empty_reply"),
        ("The secret is well kept.", "unreadable_reply"),
        ("I cannot help with that.", "refused_reply"),
    ],
)
def test_a_hint_that_is_refused_is_asked_for_again_and_then_the_game_is_dropped(reply, reason):
    script = Script(hints=[HINTS[0], reply], answers=["Chile"])
    game = play(script)
    assert game.dropped is not None
    assert (game.dropped.reason, game.dropped.turn) == (reason, 2)
    assert [one.refused.reason for one in game.refusals] == [reason] * 3
    assert [(one.turn, one.attempt, one.reply) for one in game.refusals] == [
        (2, attempt, reply) for attempt in (1, 2, 3)
    ]
    asked = script.of("hinter")[1:]
    # Each attempt is a request of its own, or the store would give the same reply again.
    assert [request.replicate for request in asked] == [0, 1, 2]
    assert len({request.seed for request in asked}) == 3
    assert all(request.temperature > 0 for request in asked)
    assert "could not be used" not in text_of(asked[0])
    assert "could not be used" in text_of(asked[1])
    assert reason in DROPS


def test_in_20q_an_open_question_is_refused():
    game = play(Script(hints=[HINTS[0]]), game="20q", turns=4)
    assert game.dropped is not None
    assert game.dropped.reason == "not_yes_no"


def test_an_attempt_that_succeeds_goes_on_and_counts_what_was_refused():
    game = play(Script(hints=["Q: Which land is it?\nA: Peru", HINTS[0]]))
    assert game.dropped is None
    assert len(game.hints) == 1
    assert [one.refused.reason for one in game.refusals] == ["leaked_secret"]


def test_the_reason_is_that_of_the_last_attempt():
    game = play(Script(hints=["", "Q: Which land is it?\nA: Peru"]), attempts=2)
    assert game.dropped is not None
    assert game.dropped.reason == "leaked_secret"
    assert [one.refused.reason for one in game.refusals] == ["empty_reply", "leaked_secret"]


@pytest.mark.parametrize(
    "script",
    [
        Script(hints=[HINTS[0], failure()], answers=["Chile"]),
        Script(answers=["Chile", failure()]),
        Script(answers=["Chile", "Peru"], sure=[0.1, failure()]),
    ],
)
def test_a_request_that_fails_ends_the_game(script):
    game = play(script)
    assert game.dropped is not None
    assert (game.dropped.reason, game.dropped.turn) == ("backend_failed", 2)
    assert game.dropped.evidence == "unavailable: the server has gone"
    assert sum(spent.n_failed for spent in game.spent.values()) == 1


def test_a_guess_that_cannot_be_read_is_a_wrong_one():
    game = play(Script(answers=["", "I do not know.", "Peru"]))
    assert game.dropped is None
    assert [guess.right for guess in game.guesses] == [False, False, True]
    first = game.guesses[0]
    assert isinstance(first.answer, Failure)
    assert isinstance(first.unique, Failure)


def test_a_probe_that_cannot_be_read_certifies_nothing():
    game = play(Script(sure=[None, 0.9]))
    assert game.dropped is None
    assert [guess.certified for guess in game.guesses] == [False, True]
    first = game.guesses[0].unique
    assert isinstance(first, Failure)
    assert first.kind == "labels_absent"


def test_the_guesser_never_sees_the_secret_nor_what_comes_later():
    script = Script(answers=["Chile", "Ecuador", "Bolivia", "Brazil"], sure=[0.2])
    play(script)
    assert len(script.of("guesser")) == 12
    facts = ("South America", "llama", "Andes", "Pacific")
    for place, request in enumerate(script.of("guesser")):
        seen = text_of(request)
        assert not any(name.casefold() in seen.casefold() for name in PERU.names)
        turn = place // 3 + 1
        assert [fact in seen for fact in facts] == [n < turn for n in range(4)]
    for request in script.of("hinter"):
        assert not any(guess in text_of(request) for guess in ("Chile", "Ecuador", "Bolivia"))


def test_the_guesser_sees_the_task_and_closing_of_its_secret():
    secret = Secret(id="x", names=("Peru",), task="Name the land.", closing="Which land is it?")
    script = Script()
    play(script, secret)
    seen = text_of(script.of("guesser")[0])
    assert seen.index("Name the land.") < seen.index("South America")
    assert seen.index("South America") < seen.index("Which land is it?")


def test_what_is_spent_is_counted_by_role():
    game = play(Script(answers=["Chile", "Peru"], sure=[0.1, 0.9]))
    hinter, guesser = game.spent["hinter"], game.spent["guesser"]
    assert (hinter.n_requests, hinter.prompt_tokens, hinter.completion_tokens) == (2, 20, 4)
    assert (guesser.n_requests, guesser.prompt_tokens) == (6, 20)
    assert guesser.n_uncounted == 4  # the probes told no tokens


def test_requests_are_marked_with_role_and_step():
    script = Script()
    play(script)
    assert [(request.role, request.tag) for request in script.asked] == [
        ("hinter", "hint"),
        ("guesser", "answer"),
        ("guesser", "unique"),
        ("guesser", "unique"),
    ]


def test_a_question_that_names_the_secret_says_it_instead():
    game = play(Script(hints=["Q: On which continent does Peru lie?\nA: South America"]))
    assert game.dropped is None
    assert game.hints[0].question == "On which continent does it lie?"
    assert game.n_mended == 1
    assert play(Script()).n_mended == 0


def test_a_question_that_is_nothing_but_the_secret_cannot_be_mended():
    game = play(Script(hints=["Q: Is it Peru?\nA: Yes"]), game="20q")
    assert game.dropped is not None
    assert (game.dropped.reason, game.n_mended) == ("repeated_hint", 0)
