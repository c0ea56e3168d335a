from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations

import pytest

from turnsure.core.errors import InputError
from turnsure.scenarios.counting import count_runs
from turnsure.scenarios.importing.tau_bench import read_tau_bench


def trial(task=0, number=0, reward=1.0, traj=None, info=None):
    said = [
        {"role": "system", "content": "Policy."},
        {"role": "user", "content": "Cancel my flight."},
        {"role": "assistant", "content": "Done."},
        {"role": "user", "content": "Thanks. ###STOP###"},
    ]
    return {
        "task_id": task,
        "trial": number,
        "reward": reward,
        "info": {"task": {"instruction": "You want to cancel."}} if info is None else info,
        "traj": said if traj is None else traj,
    }


def read(tmp_path, *trials):
    file = tmp_path / "runs.json"
    file.write_text(json.dumps(trials))
    return read_tau_bench(file)


def test_a_trial_becomes_a_transcript_with_its_verdict(tmp_path):
    [run] = read(tmp_path, trial(3, 2))
    assert (run.transcript.scenario, run.transcript.replicate) == ("task-3", 2)
    [exchange] = run.transcript.exchanges
    assert (exchange.user.content, exchange.text) == ("Cancel my flight.", "Done.")
    assert run.transcript.ending == "user_stop"
    assert (run.verdict.verdict, run.verdict.n_turns) == ("pass", 1)
    assert (run.instruction, run.policy) == ("You want to cancel.", "Policy.")


def test_less_than_the_full_reward_is_a_fail(tmp_path):
    runs = read(tmp_path, trial(reward=0.0), trial(number=1, reward=0.5), trial(number=2, reward=1))
    assert [one.verdict.verdict for one in runs] == ["fail", "fail", "pass"]
    assert runs[1].verdict.reason == "the reward is 0.5"


def test_a_trial_that_broke_off_is_an_error_and_no_fail(tmp_path):
    runs = read(
        tmp_path, trial(traj=[], reward=0.0, info={"error": "timeout"}), trial(number=1, traj=[])
    )
    assert [one.verdict.verdict for one in runs] == ["error", "error"]
    assert runs[0].verdict.reason == "timeout"
    assert count_runs([one.verdict for one in runs]).runs.n_error == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"reward": 2}, "reward"),
        ({"reward": "1"}, "reward"),
        ({"reward": True}, "reward"),
        ({"trial": None}, "trial"),
        ({"task_id": "x"}, "task_id"),
        ({"traj": "none"}, "traj"),
        ({"traj": [{"role": "narrator", "content": "x"}]}, "[1].traj[0].role"),
        ({"traj": [{"role": "user", "content": 3}]}, "[1].traj[0].content"),
    ],
)
def test_a_trial_that_does_not_fit_says_where(tmp_path, change, field):
    with pytest.raises(InputError) as error:
        read(tmp_path, trial(), {**trial(number=1), **change})
    assert field in str(error.value)
    assert "[1]" in str(error.value)


@pytest.fixture(scope="module")
def airline(shared_data):
    file = shared_data / "tau_bench" / "gpt-4o-airline.json"
    return file, read_tau_bench(file)


@pytest.mark.shared
def test_the_airline_runs_have_their_published_counts(airline):
    _, runs = airline
    counts = count_runs([one.verdict for one in runs])
    assert len(counts.scenarios) == 50
    assert (counts.runs.n_pass, counts.runs.n_fail, counts.runs.n_undecided) == (84, 116, 0)


@pytest.mark.shared
def test_pass_hat_k_of_the_airline_runs_by_looking_at_every_choice(airline):
    """All choices of k of 4 trials, one by one, from the rewards in the file."""
    file, runs = airline
    rewards: dict[int, list[int]] = {}
    for one in json.loads(file.read_text()):
        rewards.setdefault(one["task_id"], []).append(int(one["reward"] == 1.0))
    counts = count_runs([one.verdict for one in runs], ks=[1, 2, 3, 4])
    for repeats in counts.repeats:
        shares = [
            [Fraction(kind(choice)) for choice in combinations(trials, repeats.k)]
            for kind in (all, any)
            for trials in rewards.values()
        ]
        means = [sum(share) / len(share) for share in shares]
        every, some = sum(means[:50]) / 50, sum(means[50:]) / 50
        assert repeats.all_of_k.as_failures.value == float(every)
        assert repeats.any_of_k.as_failures.value == float(some)
        bounds = repeats.all_of_k.as_failures.interval
        assert bounds.low < every < bounds.high
    assert float(every) == 0.2


@pytest.mark.shared
def test_no_message_of_the_airline_runs_is_lost(airline):
    file, runs = airline
    for one, run in zip(json.loads(file.read_text()), runs, strict=True):
        said = [message for message in one["traj"] if message["role"] != "system"]
        if said[-1]["role"] == "user":
            said.pop()
        kept = run.transcript.messages
        assert [message.content for message in kept] == [one["content"] or "" for one in said]
        calls = [call["function"] for message in said for call in message.get("tool_calls") or []]
        assert [(c.name, c.arguments) for message in kept for c in message.tool_calls] == [
            (call["name"], call["arguments"]) for call in calls
        ]
