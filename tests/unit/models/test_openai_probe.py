from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from turnsure.core.errors import InputError
from turnsure.core.protocols import Capabilities
from turnsure.models.openai_probe import (
    PLAIN,
    DeclaredCapabilities,
    Seen,
    ServerFacts,
    Trial,
    check_model,
    probe,
    read_models,
    read_trial,
    trial_body,
    with_props,
)
from turnsure.models.openai_wire import Dialect, Style

HOSTED = ServerFacts(dialect="openai")
NOTHING = DeclaredCapabilities()


def run(
    answer: Callable[[Trial], Seen | None],
    declared: DeclaredCapabilities = NOTHING,
    facts: ServerFacts = HOSTED,
) -> tuple[Capabilities, list[Trial]]:
    trials: list[Trial] = []
    flow = probe(declared, facts)
    try:
        trial = next(flow)
        while True:
            trials.append(trial)
            trial = flow.send(answer(trial))
    except StopIteration as end:
        return end.value, trials


def server(*, top: int = 20, n: int = 128, seed: bool = True) -> Callable[[Trial], Seen | None]:
    """A server that refuses what exceeds its limits."""

    def answer(trial: Trial) -> Seen | None:
        if trial.top_logprobs > top or trial.n > n or (trial.seed and not seed):
            return None
        return Seen(n_listed=trial.top_logprobs, n_samples=trial.n)

    return answer


def test_one_trial_is_enough_for_a_server_that_can_do_everything() -> None:
    found, trials = run(server())
    assert trials == [Trial(top_logprobs=20, n=20, seed=True)]
    assert found == Capabilities(
        label_probabilities="top_k",
        max_top_logprobs=20,
        max_n=20,
        seed=True,
        prefill=False,
        ordered=False,
    )


def test_limits_are_found_one_by_one() -> None:
    found, trials = run(server(top=5, n=2, seed=False))
    assert (found.label_probabilities, found.max_top_logprobs) == ("top_k", 5)
    assert (found.max_n, found.seed) == (2, False)
    assert trials == [
        Trial(top_logprobs=20, n=20, seed=True),
        Trial(top_logprobs=20),
        Trial(top_logprobs=5),
        Trial(n=20),
        Trial(n=2),
        Trial(seed=True),
    ]


def test_a_server_that_can_do_nothing_is_asked_plainly_at_the_end() -> None:
    found, trials = run(server(top=0, n=1, seed=False))
    assert trials[-1] == PLAIN
    assert found.label_probabilities == "none"
    assert (found.max_top_logprobs, found.max_n, found.seed) == (0, 1, False)


def test_what_is_silently_ignored_counts_as_absent() -> None:
    found, trials = run(lambda trial: Seen(n_listed=0, n_samples=1))
    assert len(trials) == 1
    assert (found.label_probabilities, found.max_n) == ("none", 1)


def test_what_is_declared_is_not_tried() -> None:
    declared = DeclaredCapabilities(
        label_probabilities="top_k",
        max_top_logprobs=5,
        max_n=8,
        seed=False,
        prefill=True,
        max_context=4096,
    )
    found, trials = run(server(top=0, n=1), declared)
    assert trials == []
    assert found == Capabilities(
        label_probabilities="top_k",
        max_top_logprobs=5,
        max_n=8,
        seed=False,
        prefill=True,
        ordered=False,
        max_context=4096,
    )


@pytest.mark.parametrize(
    ("declared", "tried"),
    [
        ({"max_n": 3}, Trial(top_logprobs=20, seed=True)),
        ({"seed": True}, Trial(top_logprobs=20, n=20)),
        ({"label_probabilities": "none"}, Trial(n=20, seed=True)),
        ({"max_top_logprobs": 7}, Trial(n=20, seed=True)),
    ],
)
def test_only_the_rest_is_tried(declared: dict[str, Any], tried: Trial) -> None:
    assert run(server(), DeclaredCapabilities(**declared))[1] == [tried]


def test_a_refused_trial_is_not_repeated() -> None:
    declared = DeclaredCapabilities(max_n=1, seed=False)
    trials = run(server(top=0), declared)[1]
    assert trials == [
        Trial(top_logprobs=20),
        Trial(top_logprobs=5),
        Trial(top_logprobs=2),
        PLAIN,
    ]


def test_llama_cpp_is_asked_for_more_neighbours_and_for_as_many_samples_as_it_has_slots() -> None:
    facts = ServerFacts(dialect="llama.cpp", slots=4, max_context=2048)
    found, trials = run(server(top=1000, n=4), facts=facts)
    assert trials == [Trial(top_logprobs=100, n=4, seed=True)]
    assert (found.max_top_logprobs, found.max_n) == (100, 4)
    assert (found.prefill, found.max_context) == (True, 2048)


def test_one_slot_means_one_sample() -> None:
    found, trials = run(server(n=1), facts=ServerFacts(dialect="llama.cpp", slots=1))
    assert [trial.n for trial in trials] == [1, 1, 1, 1]
    assert (found.max_n, found.max_top_logprobs) == (1, 20)


def test_one_listed_token_is_not_enough_to_read_labels_from() -> None:
    found, _ = run(lambda trial: Seen(n_listed=1, n_samples=trial.n))
    assert (found.max_top_logprobs, found.label_probabilities) == (1, "none")


def test_labels_declared_without_a_list_to_read_them_from_are_none() -> None:
    found, _ = run(server(top=0), DeclaredCapabilities(label_probabilities="exact"))
    assert found.label_probabilities == "none"


@pytest.mark.parametrize(
    ("name", "value"), [("max_top_logprobs", -1), ("max_n", 0), ("max_context", 0)]
)
def test_declared_numbers_are_checked(name: str, value: int) -> None:
    with pytest.raises(InputError, match=f"field '{name}': {name} is {value}"):
        DeclaredCapabilities(**{name: value})


def test_trial_bodies() -> None:
    style = Style(model="m", dialect="vllm")
    everything = trial_body(style, Trial(top_logprobs=20, n=3, seed=True))
    assert (everything["max_tokens"], everything["top_logprobs"]) == (1, 20)
    assert (everything["n"], everything["seed"]) == (3, 0)
    assert not {"n", "seed", "logprobs"} & set(trial_body(style, PLAIN))
    assert "grammar" in trial_body(Style(model="m", dialect="llama.cpp"), Trial(top_logprobs=5))


def test_more_than_was_tried_is_not_believed() -> None:
    top = [{"token": str(k), "logprob": -float(k)} for k in range(9)]
    choice = {"message": {}, "logprobs": {"content": [{"top_logprobs": top}]}}
    body: Any = {"choices": [choice, choice, choice]}
    assert read_trial(Trial(top_logprobs=5, n=2), body) == Seen(n_listed=5, n_samples=2)
    assert read_trial(PLAIN, body) == Seen(n_listed=0, n_samples=1)


def models(*entries: dict[str, Any]) -> Any:
    return {"object": "list", "data": list(entries)}


@pytest.mark.parametrize(
    ("owner", "dialect"),
    [
        ("llamacpp", "llama.cpp"),
        ("vllm", "vllm"),
        ("sglang", "sglang"),
        ("library", "ollama"),
        ("openai", "openai"),
        ("system", "openai"),
        ("", "openai"),
    ],
)
def test_the_dialect_follows_from_who_owns_the_models(owner: str, dialect: Dialect) -> None:
    facts = read_models(models({"id": "m", "owned_by": owner}), {}, model="m", dialect=None)
    assert facts.dialect == dialect


def test_the_server_header_helps_and_doubt_means_hosted() -> None:
    header = {"server": "llama.cpp"}
    assert read_models(None, header, model="m", dialect=None).dialect == "llama.cpp"
    mixed = models({"id": "a", "owned_by": "vllm"}, {"id": "b", "owned_by": "sglang"})
    assert read_models(mixed, {}, model="a", dialect=None).dialect == "openai"


def test_a_named_dialect_wins() -> None:
    listed = models({"id": "m", "owned_by": "llamacpp"})
    assert read_models(listed, {}, model="m", dialect="vllm").dialect == "vllm"


def test_facts_of_the_model_that_is_asked() -> None:
    listed = models(
        {"id": "a", "owned_by": "vllm", "max_model_len": 1000},
        {"id": "b", "owned_by": "vllm", "max_model_len": 2000},
    )
    facts = read_models(listed, {}, model="b", dialect=None)
    assert (facts.models, facts.max_context) == (("a", "b"), 2000)
    assert read_models(listed, {}, model="c", dialect=None).max_context is None


def test_llama_cpp_tells_its_weights_slots_and_context() -> None:
    meta = {"n_params": 134515008, "size": 96576768, "ftype": "Q4_1", "n_ctx": 2048}
    entry = {"id": "/m.gguf", "owned_by": "llamacpp", "meta": meta}
    facts = read_models(models(entry), {}, model="any name", dialect=None)
    props: Any = {
        "default_generation_settings": {"n_ctx": 2048},
        "total_slots": 4,
        "build_info": "b1",
    }
    facts = with_props(facts, props)
    assert (facts.slots, facts.max_context) == (4, 2048)
    assert facts.build == {
        "n_params": "134515008",
        "size": "96576768",
        "ftype": "Q4_1",
        "build": "b1",
    }


@pytest.mark.parametrize("body", [None, {}, {"data": None}, {"data": [None, 3, {"id": 5}]}, "no"])
def test_a_list_that_cannot_be_read_tells_nothing(body: Any) -> None:
    assert read_models(body, {}, model="m", dialect=None) == ServerFacts(dialect="openai")


@pytest.mark.parametrize(
    ("model", "listed"),
    [
        ("m", ("m", "other")),
        ("smollm2", ("smollm2:latest",)),
        ("org/m:fastest", ("org/m",)),
        ("m", ()),
    ],
)
def test_models_that_may_be_known(model: str, listed: tuple[str, ...]) -> None:
    facts = ServerFacts(dialect="openai", models=listed)
    assert check_model(model, facts, where="host") is None


def test_llama_cpp_answers_to_any_name() -> None:
    facts = ServerFacts(dialect="llama.cpp", models=("/file.gguf",))
    assert check_model("m", facts, where="host") is None


def test_an_unknown_model_is_told_ten_names_the_nearest_first() -> None:
    names = (*(f"zeta-{k}" for k in range(12)), "gpt-4o-mini")
    with pytest.raises(InputError) as caught:
        check_model("gpt-4o-mni", ServerFacts(dialect="openai", models=names), where="host")
    text = str(caught.value)
    assert text.startswith("field 'model': host has no model 'gpt-4o-mni' (expected one of gpt-4o")
    assert text.endswith("or 3 more)")
    assert text.count("zeta") == 9


@pytest.mark.parametrize(("max_n", "lanes"), [(None, 1), (4, 2), (20, 1)])
def test_a_server_with_slots_takes_as_many_dialogues_as_keep_their_samples(max_n, lanes) -> None:
    facts = ServerFacts(dialect="llama.cpp", slots=8)
    found, _ = run(server(n=8), DeclaredCapabilities(max_n=max_n), facts)
    assert (found.ordered, found.lanes, found.conversations) == (True, lanes, 8)


def test_servers_without_slots_take_all_dialogues_at_once() -> None:
    found, _ = run(server())
    assert (found.ordered, found.lanes, found.conversations) == (False, None, None)
