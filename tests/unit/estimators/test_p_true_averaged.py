"""P(True) in both orders."""

from __future__ import annotations

import pytest

from tests.support.flows import context, drive, label_mass, settings, texts
from turnsure.core.confidence import Confidence
from turnsure.core.errors import InputError
from turnsure.core.generation import Generation, LabelReading
from turnsure.core.outcome import Failure
from turnsure.estimators.label_probe import p_true
from turnsure.estimators.p_true_averaged import p_true_averaged
from turnsure.estimators.templates import PromptTemplate, Templates
from turnsure.store.wire import request_key


def ask(*replies, **changes):
    waiting = list(replies)
    method = p_true_averaged(settings(**changes))
    return drive(method.estimate(context(), "Peru"), lambda _: waiting.pop(0))


def test_the_mean_of_true_in_both_orders():
    result, [first, second] = ask(label_mass(A=0.6, B=0.2), label_mass(A=0.3, B=0.1))
    assert result.value == pytest.approx((0.75 + 0.25) / 2)  # swapped, B means true
    assert result.label_mass == pytest.approx(0.4)
    assert result.off_format
    assert result.rule == "0.750 as given, 0.250 swapped"
    assert "A. True\nB. False" in first.messages[-1].content
    assert "A. False\nB. True" in second.messages[-1].content


def test_a_pure_preference_for_a_letter_cancels():
    result, _ = ask(label_mass(A=0.9, B=0.1), label_mass(A=0.9, B=0.1))
    assert result.value == pytest.approx(0.5)


def test_the_first_request_is_that_of_p_true():
    _, [first, second] = ask(label_mass(A=0.6, B=0.2), label_mass(A=0.6, B=0.2))
    _, [plain] = drive(
        p_true(settings()).estimate(context(), "Peru"), lambda _: label_mass(A=0.6, B=0.2)
    )
    assert first == plain
    assert request_key("m", second) != request_key("m", plain)


@pytest.mark.parametrize("place", [0, 1])
def test_one_reading_that_fails_fails_the_method(place):
    absent = LabelReading(mass={"A": 0.0, "B": 0.0}, truncated=("A", "B"), n_top=5)
    replies = [label_mass(A=0.6, B=0.2)] * 2
    replies[place] = Generation(labels=absent)
    result, _ = ask(*replies)
    assert isinstance(result, Failure)
    assert (result.kind, result.method) == ("labels_absent", "p_true_averaged")


@pytest.mark.parametrize("place", [0, 1])
def test_a_bound_in_either_order_marks_the_value(place):
    replies = [label_mass(A=0.6, B=0.2)] * 2
    replies[place] = Generation(
        labels=LabelReading(mass={"A": 0.6, "B": 0.01}, truncated=("B",), n_top=5)
    )
    result, _ = ask(*replies)
    assert result.truncated


def test_it_can_be_read_by_sampling():
    result, asked = ask(
        texts("A", "A", "A", "B"), texts("A", "B", "B", "?"), label_reading="sampled"
    )
    assert isinstance(result, Confidence)
    assert result.value == pytest.approx((3 / 4 + 2 / 3) / 2)
    assert (result.path, result.label_mass) == ("sampled", 3 / 4)
    assert [request.n for request in asked] == [4, 4]


def test_both_wordings_are_part_of_the_definition():
    definition = p_true_averaged(settings()).definition
    assert "A. True" in definition["template"]
    assert "A. False" in definition["swapped"]


def test_a_template_without_option_lines_is_refused_before_any_call():
    odd = PromptTemplate(name="p_true", text="{question} {answer} A or B?", labels=("A", "B"))
    with pytest.raises(InputError, match=r"'p_true\.text'.*0 lines offer option 'A'"):
        p_true_averaged(settings(templates=Templates(prompts={"p_true": odd}, history={})))
