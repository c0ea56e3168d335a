"""What every registered estimator must keep to."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.flows import context, dialogue, drive, settings
from turnsure import registry
from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import CapabilityError
from turnsure.core.generation import Generation, GenerationRequest, LabelReading
from turnsure.core.outcome import Failure
from turnsure.dialogues.rendering import HistoryWording, render
from turnsure.experiment.measure import Measurement
from turnsure.grading.match import MatchGrader
from turnsure.models.scripted import ALL_CAPABLE

NAMES = registry.names("estimators")
READINGS = ("logprobs", "sampled")
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1
).filter(str.strip)
HINTS = st.builds(Hint, answer=WORDS, question=st.none() | WORDS)


def build(name: str, reading: str = "logprobs"):
    return registry.load("estimators", name)(settings(label_reading=reading))


def agreeable(request: GenerationRequest) -> Generation:
    """Replies that every method can read."""
    if request.labels is not None:
        mass = {label: 0.6 / (place + 1) for place, label in enumerate(request.labels)}
        return Generation(labels=LabelReading(mass=mass, n_top=20))
    return Generation(
        texts=("A\n### Confidence: \\boxed{70}",) * request.n, finish_reasons=("stop",) * request.n
    )


def measurement(style: str, reading: str) -> Measurement:
    shared = settings(label_reading=reading)
    return Measurement(
        estimators=tuple(registry.load("estimators", name)(shared) for name in NAMES),
        settings=shared,
        grader=MatchGrader(),
        render=lambda prefix: render(prefix, style=style, wording=HistoryWording()),
        targets=("answer",),
        seed=5,
    )


def asked_at(turn: int, of: Dialogue, how: Measurement) -> list[GenerationRequest]:
    _, asked = drive(how.turn(of, turn), agreeable)
    return asked


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("style", ["transcript", "chat"])
@given(
    hints=st.lists(HINTS, min_size=1, max_size=4),
    later=st.lists(HINTS, max_size=3),
    other_later=st.lists(HINTS, max_size=3),
    gold=WORDS,
    other_gold=WORDS,
)
def test_later_hints_and_the_gold_answer_change_nothing_that_is_asked(
    style, reading, hints, later, other_later, gold, other_gold
):
    """Every method, through the whole of a turn: the answer request and all that follow."""
    how = measurement(style, reading)
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


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("name", NAMES)
class TestEveryEstimator:
    def test_its_name_is_the_registered_one(self, name, reading):
        assert build(name, reading).name == name

    def test_the_same_input_gives_the_same_output(self, name, reading):
        runs = [drive(build(name, reading).estimate(context(), "A"), agreeable) for _ in range(2)]
        assert runs[0] == runs[1]

    def test_the_confidence_is_typed_and_in_range(self, name, reading):
        result, asked = drive(build(name, reading).estimate(context(), "A"), agreeable)
        assert isinstance(result, Confidence)
        assert 0.0 <= result.value <= 1.0
        assert result.method == name
        assert asked

    def test_every_request_says_what_it_is_for(self, name, reading):
        _, asked = drive(build(name, reading).estimate(context(), "A"), agreeable)
        assert all(request.tag for request in asked)

    def test_a_failed_call_becomes_a_failure(self, name, reading):
        gone = Failure(stage="generation", kind="timeout", message="no answer")
        result, _ = drive(build(name, reading).estimate(context(), "A"), lambda _: gone)
        assert result == gone

    def test_unreadable_replies_become_failures_and_no_numbers(self, name, reading):
        def silent(request):
            if request.labels is None:
                return Generation(texts=("",) * request.n, finish_reasons=("stop",) * request.n)
            return Generation()

        result, _ = drive(build(name, reading).estimate(context(), "A"), silent)
        if name == "self_consistency":  # nothing agrees, and that is a number
            assert isinstance(result, Confidence)
            assert result.value == 0.0
        else:
            assert isinstance(result, Failure)
            assert result.stage == "confidence"

    def test_its_definition_can_be_written_down(self, name, reading):
        definition = build(name, reading).definition
        assert json.loads(json.dumps(dict(definition))) == dict(definition)
        assert definition

    def test_its_check_passes_a_capable_model_and_asks_for_no_more_than_it_needs(
        self, name, reading
    ):
        method = build(name, reading)
        assert method.check(ALL_CAPABLE, model="m") is None
        blind = dataclasses.replace(ALL_CAPABLE, label_probabilities="none", max_top_logprobs=0)
        _, asked = drive(method.estimate(context(), "A"), agreeable)
        if any(request.labels for request in asked):
            with pytest.raises(CapabilityError, match=name):
                method.check(blind, model="m")
        else:
            assert method.check(blind, model="m") is None
