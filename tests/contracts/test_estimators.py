"""What every registered estimator must keep to."""

from __future__ import annotations

import dataclasses
import json
from typing import get_args

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.flows import context, dialogue, drive, settings
from turnsure import registry
from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import CapabilityError
from turnsure.core.generation import (
    Generation,
    GenerationRequest,
    LabelReading,
    TokenLogprob,
)
from turnsure.core.outcome import Failure
from turnsure.dialogues.rendering import HistoryWording, render
from turnsure.experiment.measure import Measurement
from turnsure.grading.match import MatchGrader
from turnsure.models.scripted import ALL_CAPABLE
from turnsure.store.wire import dump_generation, dump_request, load_generation, request_key

NAMES = registry.names("estimators")
WAYS = {
    "logprobs": {},
    "sampled": {"label_reading": "sampled"},
    "judge": {"grouping": "judge"},
    "judge, sampled": {"grouping": "judge", "label_reading": "sampled"},
    "embedding": {"grouping": "embedding", "embeddings": True},
}
"""Every setting that makes a method ask or read differently."""

OWN = "A"
"""The answer that :func:`agreeable` gives when it is asked the question itself."""
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1
).filter(str.strip)
HINTS = st.builds(Hint, answer=WORDS, question=st.none() | WORDS)


def build(name: str, way: str = "logprobs"):
    return registry.load("estimators", name)(settings(**WAYS[way]))


def agreeable(request: GenerationRequest) -> Generation:
    """Replies that every method can read."""
    if request.labels is not None:
        mass = {label: 0.6 / (place + 1) for place, label in enumerate(request.labels)}
        return Generation(labels=LabelReading(mass=mass, n_top=20))
    if request.embed:
        return Generation(embedding=(1.0, float(len(request.messages[-1].content))))
    texts = {
        "answer": [OWN],
        "samples": [OWN, "B", OWN, "see"],
        "top_k_verb": [f"Guess 1: {OWN}\nProbability 1: 70"],
    }.get(request.tag, ["A\n### Confidence: \\boxed{70}", "A"])
    tokens = (TokenLogprob(token=OWN, logprob=-0.5),)
    return Generation(
        texts=tuple(texts[place % len(texts)] for place in range(request.n)),
        finish_reasons=("stop",) * request.n,
        token_logprobs=(tokens,) if request.logprobs else (),
    )


def measurement(style: str, way: str) -> Measurement:
    shared = settings(answer_logprobs=True, **WAYS[way])

    def shown(prefix):
        return render(prefix, style=style, wording=HistoryWording())

    return Measurement(
        estimators=tuple(registry.load("estimators", name)(shared) for name in NAMES),
        settings=shared,
        grader=MatchGrader(),
        render=shown,
        evidence=shown,
        targets=("answer",),
        seed=5,
    )


def asked_at(turn: int, of: Dialogue, how: Measurement) -> list[GenerationRequest]:
    _, asked = drive(how.turn(of, turn), agreeable)
    return asked


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("style", ["transcript", "chat"])
@hypothesis.settings(deadline=None)  # how long a busy machine takes is no part of the promise
@given(
    hints=st.lists(HINTS, min_size=1, max_size=4),
    later=st.lists(HINTS, max_size=3),
    other_later=st.lists(HINTS, max_size=3),
    gold=WORDS,
    other_gold=WORDS,
)
def test_later_hints_and_the_gold_answer_change_nothing_that_is_asked(
    style, way, hints, later, other_later, gold, other_gold
):
    """Every method, through the whole of a turn: the answer request and all that follow."""
    how = measurement(style, way)
    one = Dialogue(id="d", task="Name it.", hints=(*hints, *later), gold=(gold,))
    two = Dialogue(id="d", task="Name it.", hints=(*hints, *other_later), gold=(other_gold,))
    turn = len(hints)
    assert asked_at(turn, one, how) == asked_at(turn, two, how)


def test_the_promise_above_can_be_broken_by_an_earlier_hint():
    how = measurement("transcript", "logprobs")
    changed = dataclasses.replace(
        dialogue(), hints=(Hint(answer="Another."), *dialogue().hints[1:])
    )
    assert asked_at(2, dialogue(), how) != asked_at(2, changed, how)


def test_a_turn_asks_for_the_answer_and_for_the_samples_once_for_all_methods():
    asked = asked_at(2, dialogue(), measurement("transcript", "logprobs"))
    for tag in ("answer", "samples", "p_true"):
        same = [request for request in asked if request.tag == tag]
        assert len(same) > 1
        assert len({request_key("m", request) for request in same}) == 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NAMES)
class TestEveryEstimator:
    def test_its_name_is_the_registered_one(self, name, way):
        assert build(name, way).name == name

    def test_the_same_input_gives_the_same_output(self, name, way):
        runs = [drive(build(name, way).estimate(context(), OWN), agreeable) for _ in range(2)]
        assert runs[0] == runs[1]

    def test_the_confidence_is_typed_and_in_range(self, name, way):
        result, asked = drive(build(name, way).estimate(context(), OWN), agreeable)
        assert isinstance(result, Confidence)
        assert 0.0 <= result.value <= 1.0
        assert result.method == name
        assert asked

    def test_every_request_says_what_it_is_for(self, name, way):
        _, asked = drive(build(name, way).estimate(context(), OWN), agreeable)
        assert all(request.tag for request in asked)

    def test_a_failed_call_becomes_a_failure(self, name, way):
        gone = Failure(stage="generation", kind="timeout", message="no answer")
        result, _ = drive(build(name, way).estimate(context(), OWN), lambda _: gone)
        assert result == gone

    def test_unreadable_replies_become_failures_and_no_numbers(self, name, way):
        def silent(request):
            if request.labels is None:
                return Generation(texts=("",) * request.n, finish_reasons=("stop",) * request.n)
            return Generation()

        result, _ = drive(build(name, way).estimate(context(), OWN), silent)
        assert isinstance(result, Failure)
        assert result.stage == "confidence"

    def test_it_says_which_answers_it_can_judge(self, name, way):
        targets = build(name, way).targets
        assert set(targets) <= set(get_args(Target))
        assert "answer" in targets
        result, _ = drive(build(name, way).estimate(context(), "Somewhere else"), agreeable)
        if "gold" not in targets:
            assert isinstance(result, Failure)
            assert result.kind == "not_own_answer"
        else:
            assert isinstance(result, Confidence)

    def test_what_it_asks_and_gets_can_be_kept(self, name, way):
        _, asked = drive(build(name, way).estimate(context(), OWN), agreeable)
        for request in asked:
            reply = agreeable(request)
            assert load_generation(dump_generation(reply)) == reply
            assert json.loads(dump_request(request))["max_tokens"] == request.max_tokens

    def test_its_definition_can_be_written_down(self, name, way):
        definition = build(name, way).definition
        assert json.loads(json.dumps(dict(definition))) == dict(definition)
        assert definition

    def test_its_check_passes_a_capable_model_and_asks_for_no_more_than_it_needs(self, name, way):
        method = build(name, way)
        assert method.check(ALL_CAPABLE, model="m") is None
        blind = dataclasses.replace(ALL_CAPABLE, label_probabilities="none", max_top_logprobs=0)
        _, asked = drive(method.estimate(context(), OWN), agreeable)
        if any(request.labels or request.logprobs for request in asked):
            with pytest.raises(CapabilityError, match=name):
                method.check(blind, model="m")
        else:
            assert method.check(blind, model="m") is None
