import asyncio
from dataclasses import replace

import pytest

from tests.support.conversations import card, run_of, turn
from turnsure.core.confidence import Confidence
from turnsure.core.errors import CapabilityError, InputError, RequestRejected
from turnsure.core.outcome import Failure
from turnsure.core.spec import RunSpec
from turnsure.engine.counters import Counters
from turnsure.experiment.conversations.measuring import confidence_instrument, measure_transcripts
from turnsure.models.scripted import ALL_CAPABLE, ScriptedBackend

SCENARIO = card("  - {name: fine, scope: turn, expression: 'true'}")
RUN = run_of(SCENARIO, turn(text="Sure thing."), turn(text=" "), turn(text="No idea."))


def says(request):
    text = request.messages[-1].content
    if request.labels is None:
        return "90"
    yes = 0.75 if "Sure thing." in text and "No idea." not in text else 0.25
    return dict(zip(request.labels, (yes, 1 - yes), strict=True))


def measured(folder, backend=None, methods=("p_true", "p_sufficient"), transcripts=(RUN,), **more):
    return asyncio.run(
        measure_transcripts(
            transcripts,
            confidence_instrument(RunSpec(methods=methods)),
            backend or ScriptedBackend(says),
            folder / "store.sqlite",
            **more,
        )
    )


def test_every_turn_gets_a_score_of_every_method(tmp_path):
    [turns] = measured(tmp_path).scores
    assert [set(one) for one in turns] == [{"p_true", "p_sufficient"}] * 3
    first, silent, last = (one["p_true"] for one in turns)
    assert isinstance(first, Confidence)
    assert (first.value, last.value) == pytest.approx((0.75, 0.25))
    assert isinstance(silent, Failure)
    assert (silent.kind, silent.turn, silent.method) == ("no_reply", 2, "p_true")


def test_what_was_asked_is_kept_and_not_asked_again(tmp_path):
    counters = measured(tmp_path).counters
    assert (counters.n_requests, counters.n_from_store) == (4, 0)
    again = ScriptedBackend(says)
    shown: list[Counters] = []
    found = measured(tmp_path, again, progress=shown.append)
    assert not again.asked
    assert found.counters.n_from_store == 4
    assert shown
    assert found.scores == measured(tmp_path).scores


def test_a_failed_request_is_a_failure_of_its_turn(tmp_path):
    def fails(request):
        refused = "No idea." in request.messages[-1].content
        return RequestRejected("not this one") if refused else says(request)

    [turns] = measured(tmp_path, ScriptedBackend(fails)).scores
    assert isinstance(turns[0]["p_true"], Confidence)
    assert isinstance(turns[2]["p_true"], Failure)
    assert (turns[2]["p_true"].kind, turns[2]["p_true"].turn) == ("rejected", 3)


def test_the_protocol_says_how_it_was_asked(tmp_path):
    one = measured(tmp_path).protocol
    assert one == measured(tmp_path).protocol
    assert one != measured(tmp_path, methods=("p_true",)).protocol


def test_methods_that_cannot_judge_a_given_reply_are_refused():
    with pytest.raises(InputError, match="'sequence_likelihood_mean' cannot judge") as caught:
        confidence_instrument(RunSpec(methods=("p_true", "sequence_likelihood_mean")))
    assert caught.value.expected == "p_true"
    with pytest.raises(InputError, match="did you mean 'p_true'"):
        confidence_instrument(RunSpec(methods=("p_ture",)))


def test_a_model_that_cannot_is_refused_before_anything_is_asked(tmp_path):
    blind = ScriptedBackend(says, capabilities=replace(ALL_CAPABLE, label_probabilities="none"))
    with pytest.raises(CapabilityError):
        measured(tmp_path, blind)
    assert not blind.asked


def test_runs_of_no_turn_are_no_trouble(tmp_path):
    empty = run_of(SCENARIO)
    assert [len(one) for one in measured(tmp_path, transcripts=(empty, RUN)).scores] == [0, 3]
