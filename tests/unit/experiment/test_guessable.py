"""Asking for answers with and without hints, and what is made of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.flows import drive, texts
from tests.support.planted_answers import N_TURNS, answering, gold, planted
from turnsure.core.errors import ContextOverflow, RequestRejected
from turnsure.core.outcome import Failure
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.tested import LEAST_DIALOGUES
from turnsure.core.turns import PLAIN
from turnsure.dialogues.checking.finding import FROM_ANSWERS, Place
from turnsure.dialogues.jsonl import write_dialogues
from turnsure.experiment.guessable import NO_HINTS, answers_setup, ask_answers
from turnsure.experiment.guessable_found import answers_found, findings_of
from turnsure.experiment.plan import plan
from turnsure.experiment.setup import prepare
from turnsure.models.scripted import ScriptedBackend

SPEC = RunSpec(resamples=200)


def asked(dialogues, right, folder, **spec):
    """What is found, and the model that was asked."""
    reply = answering(right)
    backend = ScriptedBackend(reply=lambda request: reply(request.messages[-1].content))
    setup = answers_setup(replace(SPEC, **spec), dialogues)
    answers = ask_answers(setup, backend, folder)
    return answers_found(answers.table, dialogues, setup.spec), backend, answers


def rising(k, n_hints):
    return n_hints >= 3


def falling(k, n_hints):
    return 0 < n_hints < 3


def test_a_dialogue_is_asked_once_a_turn_and_once_without_any_hint(tmp_path):
    dialogues = planted(3)
    _, backend, _ = asked(dialogues, rising, tmp_path)
    assert len(backend.asked) == 3 * (N_TURNS + 1)
    assert {one.temperature for one in backend.asked} == {0.0}
    assert {one.n for one in backend.asked} == {1}
    assert not any(one.labels or one.logprobs for one in backend.asked)
    bare = [one for one in backend.asked if "Clue" not in one.messages[-1].content]
    assert len(bare) == 3
    for request in bare:
        assert "what is known so far" not in request.messages[-1].content
        assert len(request.messages) == 1


def test_a_turn_is_asked_as_a_run_asks_it(tmp_path):
    dialogues = planted(1)
    data = tmp_path / "d.jsonl"
    write_dialogues(data, dialogues)
    run = prepare(replace(SPEC, data=str(data), methods=("vanilla_verb",), gold=False))
    _, by_run = drive(run.dialogue(dialogues[0]), lambda _: texts("\\boxed{50}"))
    setup = answers_setup(SPEC, dialogues)
    _, by_check = drive(setup.dialogue(dialogues[0]), lambda _: texts("\\boxed{50}"))
    assert by_check[:N_TURNS] == [one for one in by_run if one.tag == "answer"]


def test_dialogues_of_one_task_share_the_request_without_hints(tmp_path):
    dialogues = planted(4, one_task=True)
    found, backend, _ = asked(dialogues, lambda k, n: n == 0 and k == 0, tmp_path)
    assert len(backend.asked) == 4 * N_TURNS + 1
    assert [one.guessed for one in found.dialogues] == [True, False, False, False]
    assert {one.guess for one in found.dialogues} == {gold(0)}


def test_it_goes_on_where_it_stopped(tmp_path):
    dialogues = planted(3)
    _, first, _ = asked(dialogues[:2], rising, tmp_path)
    found, second, answers = asked(dialogues, rising, tmp_path)
    assert len(second.asked) == N_TURNS + 1
    assert answers.counters.n_from_store == len(first.asked)
    assert isinstance(found.guessed, MetricResult)
    assert found.guessed.n_turns == 3


def test_the_plan_counts_what_is_asked(tmp_path):
    dialogues = planted(3)
    _, backend, _ = asked(dialogues, rising, tmp_path)
    counted = plan(answers_setup(SPEC, dialogues), lambda request: False)
    assert [(one.tag, one.n_requests, one.n_kept) for one in counted.calls] == [
        ("answer", len(backend.asked), 0)
    ]
    kept = plan(answers_setup(SPEC, dialogues), lambda request: request in backend.asked)
    assert kept.calls[0].n_kept == len(backend.asked)


@pytest.mark.parametrize(
    ("right", "n", "rise"),
    [
        (rising, 12, "rises"),
        (falling, 12, "falls"),
        (lambda k, n: k < 40, 80, "flat"),
        (lambda k, n: True, 80, "flat"),
        (lambda k, n: True, 12, "open"),
        (lambda k, n: k < 5 or (n == N_TURNS and k < 7), 12, "open"),
        (rising, LEAST_DIALOGUES, "rises"),
        (rising, LEAST_DIALOGUES - 1, "open"),
    ],
)
def test_whether_hints_help_is_told_only_where_it_can_be(right, n, rise, tmp_path):
    found, _, _ = asked(planted(n), right, tmp_path)
    assert found.rise == rise
    change = found.change.change
    assert isinstance(change, MetricResult)
    last = sum(right(k, N_TURNS) for k in range(n)) / n
    first = sum(right(k, 1) for k in range(n)) / n
    assert change.value == pytest.approx(last - first)
    assert (found.first.value, found.last.value) == (pytest.approx(first), pytest.approx(last))


def test_levels_are_the_first_the_middle_and_the_last_turn(tmp_path):
    dialogues = [*planted(6, n_turns=5)[:3], *planted(6, n_turns=4)[3:]]
    found, _, _ = asked(dialogues, lambda k, n: n in (2, 3), tmp_path)
    assert [one.middle for one in found.dialogues] == [True] * 6  # turn 3 of 5, turn 2 of 4
    assert {one.first for one in found.dialogues} == {False}
    assert found.middle.value == 1.0
    # Wilson: six of six turns are no certainty, which a bootstrap of equal ones would claim.
    assert found.middle.interval.low == pytest.approx(6 / (6 + 1.959964**2), abs=1e-6)


def test_dialogues_with_one_turn_are_guessed_at_and_nothing_else(tmp_path):
    found, _, _ = asked([*planted(2, n_turns=1), *planted(3)[2:]], lambda k, n: True, tmp_path)
    assert found.n_one_turn == 2
    assert found.first.n_turns == 1
    assert found.guessed.n_turns == 3
    alone, _, _ = asked(planted(2, n_turns=1), lambda k, n: True, tmp_path / "alone")
    assert isinstance(alone.first, Undefined)
    assert isinstance(alone.change.change, Undefined)
    assert alone.rise == "open"


def test_the_share_of_guesses_has_wilsons_interval(tmp_path):
    found, _, _ = asked(planted(10), lambda k, n: k < 2, tmp_path)
    share = found.guessed
    assert isinstance(share, MetricResult)
    assert share.value == 0.2
    # By hand for 2 of 10: (2 + z²/2 ± z √(2 · 0.8 + z²/4)) / (10 + z²), z = 1.96 (Wilson 1927).
    assert share.interval.low == pytest.approx(0.0567, abs=5e-5)
    assert share.interval.high == pytest.approx(0.5098, abs=5e-5)
    assert [one.dialogue for one in found.dialogues if one.guessed] == ["d0", "d1"]


def test_a_reply_without_an_answer_is_no_guess_and_is_counted(tmp_path):
    found, _, _ = asked(planted(10), lambda k, n: k < 2 if n or k < 4 else None, tmp_path)
    assert found.guessed.value == 0.2
    assert found.guessed.n_turns == 10
    assert sum(found.no_guess.values()) == 6
    assert found.dialogues[9].guess is None
    assert found.dialogues[9].guessed is False
    assert found.dialogues[9].why_none in found.no_guess


def test_a_model_that_fails_on_some_leaves_them_out_and_says_so(tmp_path):
    honest = answering(rising)

    def reply(request):
        prompt = request.messages[-1].content
        if "number 3." in prompt:
            return ContextOverflow("too long")
        if "number 5." in prompt and "Clue" not in prompt:
            return RequestRejected("no")
        return honest(prompt)

    dialogues = planted(12)
    answers = ask_answers(answers_setup(SPEC, dialogues), ScriptedBackend(reply=reply), tmp_path)
    found = answers_found(answers.table, dialogues, SPEC)
    assert answers.counters.n_failed == N_TURNS + 2
    assert (found.guessed.n_turns, found.guessed.n_failed) == (10, 2)
    assert (found.last.n_turns, found.last.n_failed) == (11, 1)
    change = found.change.change
    assert (change.n_dialogues, change.n_failed) == (11, 1)
    assert found.rise == "rises"
    lost = found.dialogues[3]
    assert (lost.guessed, lost.why_none, lost.first) == (None, "context_overflow", None)
    assert (found.dialogues[5].guessed, found.dialogues[5].last) == (None, True)
    assert not found.no_guess


def test_a_model_that_answers_nothing_is_an_error(tmp_path):
    backend = ScriptedBackend(reply=lambda _: RequestRejected("no"))
    with pytest.raises(RequestRejected, match="every request failed"):
        ask_answers(answers_setup(SPEC, planted(2)), backend, tmp_path)


def test_without_any_reply_there_is_no_share(tmp_path):
    def reply(request):
        prompt = request.messages[-1].content
        return answering(rising)(prompt) if "Clue" in prompt else ContextOverflow("too long")

    dialogues = planted(2)
    answers = ask_answers(answers_setup(SPEC, dialogues), ScriptedBackend(reply=reply), tmp_path)
    found = answers_found(answers.table, dialogues, SPEC)
    assert isinstance(found.guessed, Undefined)
    assert found.guessed.n_failed == 2
    assert list(findings_of(found, {}, most_guessed=0.0)) == []


@pytest.mark.parametrize(("n_right", "exceeded"), [(2, False), (8, True)])
def test_closed_worlds_are_held_against_chance(n_right, exceeded, tmp_path):
    names = tuple(gold(k) for k in range(10))
    closed = planted(10, candidates=names, remaining=(tuple(range(10)),) * N_TURNS)
    found, _, _ = asked([*closed, *planted(20)[10:]], lambda k, n: k < n_right, tmp_path)
    assert found.chance is not None
    assert found.chance.expected == pytest.approx(0.1)
    assert (found.chance.guessed.n_turns, found.chance.guessed.value) == (10, n_right / 10)
    assert found.chance.is_exceeded is exceeded
    assert found.guessed.n_turns == 20


def test_open_dialogues_have_no_chance(tmp_path):
    found, _, _ = asked(planted(2), rising, tmp_path)
    assert found.chance is None


def kinds(found, dialogues, most_guessed=None):
    places = {one.id: Place(file="f", line=n) for n, one in enumerate(dialogues, start=1)}
    return [
        (one.kind, one.severity, one.dialogue, one.place and one.place.line)
        for one in findings_of(found, places, most_guessed=most_guessed)
    ]


def test_what_is_guessed_is_a_warning_each_and_too_much_an_error(tmp_path):
    dialogues = planted(10)
    found, _, _ = asked(dialogues, lambda k, n: k in (1, 4) or n >= 3, tmp_path)
    warnings = [("guessable", "warning", "d1", 2), ("guessable", "warning", "d4", 5)]
    assert kinds(found, dialogues) == warnings
    assert kinds(found, dialogues, 0.2) == warnings
    assert kinds(found, dialogues, 0.19) == [("set_guessable", "error", None, None), *warnings]


def test_hints_that_do_not_help_are_a_warning_about_all(tmp_path):
    dialogues = planted(12)
    found, _, _ = asked(dialogues, falling, tmp_path)
    assert kinds(found, dialogues) == [("answers_do_not_rise", "warning", None, None)]


def test_every_kind_that_needs_answers_can_be_found(tmp_path):
    dialogues = planted(12)
    found, _, _ = asked(dialogues, lambda k, n: n < 3, tmp_path)
    assert {kind for kind, *_ in kinds(found, dialogues, 0.5)} == FROM_ANSWERS


def test_rows_are_those_of_turns_and_one_without_hints(tmp_path):
    _, _, answers = asked(planted(2), rising, tmp_path)
    assert len(answers.table.select(condition=PLAIN)) == 2 * N_TURNS
    assert len(answers.table.select(condition=NO_HINTS)) == 2
    kinds = {
        one.confidence.kind for one in answers.table.rows if isinstance(one.confidence, Failure)
    }
    assert kinds == {"not_asked"}


def test_the_backend_is_closed_even_if_it_fails(tmp_path):
    class Gone(ScriptedBackend):
        closed = 0

        async def start(self):
            raise RequestRejected("gone")

        async def close(self):
            Gone.closed += 1

    with pytest.raises(RequestRejected):
        ask_answers(answers_setup(SPEC, planted(1)), Gone(reply=lambda _: ""), tmp_path)
    assert Gone.closed == 1
