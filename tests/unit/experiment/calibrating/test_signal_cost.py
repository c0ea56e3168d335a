"""What a signal costs is read from the store, method by method."""

from __future__ import annotations

import re

import pytest

from tests.support import scripted_followers as followers
from turnsure import pipeline
from turnsure.core.generation import Generation, LabelReading, Usage
from turnsure.core.results import Undefined
from turnsure.core.spec import RunSpec
from turnsure.experiment.calibrating.predictions import read_predictions
from turnsure.experiment.calibrating.settings import CalibrationSettings
from turnsure.experiment.calibrating.signal_cost import signal_cost
from turnsure.models.scripted import ScriptedBackend

METHODS = ("p_true", "p_true_averaged", "vanilla_verb", "ensemble")
SETTINGS = CalibrationSettings(resamples=20)
N, TURNS = 6, followers.N_TURNS


def answer(request):
    """Right from the third fact on."""
    prompt = "".join(message.content for message in request.messages)
    facts = re.findall(r"FACT \d of (\w+)", prompt)
    return rf"\boxed{{{facts[0][::-1] if len(facts) > 2 else 'somebody'}}}"


def reply(request):
    """Every request costs 100 prompt tokens, 40 of them cached, and half a second."""
    usage = Usage(prompt_tokens=100, cached_tokens=40, completion_tokens=1)
    if request.labels is not None:
        share = followers.by_information(str(request.messages), "")
        mass = {request.labels[0]: share, request.labels[1]: 1.0 - share}
        return Generation(labels=LabelReading(mass=mass, n_top=2), usage=usage, seconds=0.5)
    texts = (answer(request) if request.tag == "answer" else "70",) * request.n
    return Generation(texts=texts, finish_reasons=("stop",) * request.n, usage=usage, seconds=0.5)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("cost")
    world = followers.write_world(root / "world.jsonl", N)
    spec = RunSpec(data=str(world), methods=METHODS, controls=("placebo",), resamples=20)
    return pipeline.measure(pipeline.prepare(spec), ScriptedBackend(reply), root / "r").folder


def test_each_method_is_charged_for_what_it_asks_alone(run):
    cost = signal_cost(read_predictions(run.path), SETTINGS)
    calls = {row.method: row.n_calls for row in cost.rows}
    turns = N * TURNS
    # The averaged one asks in both orders, the first of which is p_true's own request.
    assert calls == {
        "p_true": turns,
        "p_true_averaged": 2 * turns,
        "vanilla_verb": turns,
        "ensemble": 3 * turns,
    }
    assert cost.answer.n_calls == turns
    for row in (*cost.rows, cost.answer):
        assert (row.n_turns, row.n_unknown, row.n_uncounted) == (turns, 0, 0)
        assert row.prompt_tokens == 100 * row.n_calls
        assert row.cached_tokens == 40 * row.n_calls
        assert row.completion_tokens == row.n_calls
        assert row.seconds == pytest.approx(0.5 * row.n_calls)


def test_what_it_buys_is_the_error_at_equal_coverage(run):
    cost = signal_cost(read_predictions(run.path), SETTINGS)
    assert cost.n_common == N * TURNS
    for row in cost.rows:
        assert row.risk[1.0].value == pytest.approx(2 / 5)
        assert set(row.risk) == {0.5, 0.8, 1.0}
        assert row.aurc.n_dialogues == N
    by_method = {row.method: row for row in cost.rows}
    # Surer with every fact, so that the surest half holds no wrong answer.
    assert by_method["p_true"].risk[0.5].value == 0.0
    # Always 70 % sure: any half is as good as the whole.
    assert by_method["vanilla_verb"].risk[0.5].value == pytest.approx(2 / 5)


def test_nothing_is_known_of_a_file_or_without_a_store(run, tmp_path):
    assert signal_cost(read_predictions(run.turns), SETTINGS) is None
    moved = run.store.rename(tmp_path / "store.sqlite")
    try:
        found = signal_cost(read_predictions(run.path), SETTINGS)
    finally:
        moved.rename(run.store)
    assert isinstance(found, Undefined)
    assert "no store.sqlite" in found.reason
