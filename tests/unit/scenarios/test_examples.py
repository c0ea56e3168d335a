"""The bundled scenario and its three assistants."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.dialogue import Message
from turnsure.scenarios import expressions
from turnsure.scenarios.cards import read_cards
from turnsure.scenarios.checking import Checker, check_transcript, finding_lines
from turnsure.scenarios.examples import RENTAL, flaky, forgetful, right
from turnsure.scenarios.verdicts import verdict_of

[SCENARIO] = read_cards(RENTAL)


def scripted(assistant, seed: int = 0) -> Transcript:
    """A run with the words of the card."""
    context = SimpleNamespace(seed=seed, fixtures=SCENARIO.fixtures)
    messages: list[dict[str, str]] = []
    exchanges: list[Exchange] = []
    for turn, reveal in enumerate(SCENARIO.reveals, start=1):
        messages.append({"role": "user", "content": reveal.say})
        given = assistant(messages, context=context)
        messages.append({"role": "assistant", "content": given["content"]})
        exchanges.append(
            Exchange(
                turn=turn,
                user=Message(role="user", content=reveal.say),
                replies=(Message(role="assistant", content=given["content"]),),
                reveals=(reveal.id,),
                items=tuple(given["items"]),
            )
        )
    return Transcript(
        scenario=SCENARIO.id, replicate=seed, exchanges=tuple(exchanges), ending="script_end"
    )


def verdict(assistant, seed: int = 0):
    transcript = scripted(assistant, seed)
    return verdict_of(SCENARIO, transcript, check_transcript(SCENARIO, transcript))


def test_the_right_one_passes_and_shows_flats_that_only_the_twist_allows():
    assert verdict(right).verdict == "pass"
    shown = [{item["id"] for item in one.items} for one in scripted(right).exchanges]
    assert {"B4", "W4"} <= shown[4]
    assert not {"B4", "W4"} & shown[2]


def test_the_forgetful_one_is_found_at_turn_3_by_its_type():
    seen = verdict(forgetful)
    assert (seen.verdict, seen.first_failing_turn) == ("fail", 3)
    assert seen.failure == "forgotten_constraint"
    assert {one.check for one in seen.findings} == {"budget", "pets"}
    assert next(finding_lines(seen.findings)) == "Turn 3: W2 is over budget"


def test_the_flaky_one_forgets_in_four_runs_of_ten():
    seen = Counter(verdict(flaky, seed).verdict for seed in range(200))
    assert set(seen) == {"pass", "fail"}
    # 0.4 of 200, and four standard deviations of a binomial
    assert abs(seen["fail"] - 80) < 28
    assert verdict(flaky, 3) == verdict(flaky, 3)


def test_expressions_are_compiled_once_for_all_transcripts(monkeypatch):
    import cel

    compiled: list[str] = []
    compile_one = cel.compile

    def counted(text: str):
        compiled.append(text)
        return compile_one(text)

    monkeypatch.setattr(cel, "compile", counted)
    expressions._compiled.cache_clear()
    transcripts = [scripted(flaky, seed) for seed in range(5)]
    for transcript in transcripts:
        check_transcript(SCENARIO, transcript)
    checker = Checker(SCENARIO)
    for transcript in transcripts:
        checker.findings(transcript)
    assert sorted(compiled) == sorted({one.expression for one in SCENARIO.checks if one.expression})


@pytest.mark.parametrize("assistant", [right, forgetful])
def test_confidence_by_turn_changes_nothing_that_does_not_ask_for_it(assistant):
    transcript = scripted(assistant)
    with_confidence = check_transcript(SCENARIO, transcript, confidence={1: 0.0, 3: 0.1})
    assert with_confidence == check_transcript(SCENARIO, transcript)


def test_the_card_is_short():
    lines = RENTAL.read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 65
