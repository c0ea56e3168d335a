"""The question about uniqueness."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.flows import context, drive, label_mass, texts
from turnsure.dialogues.hinting.prompts import load_prompts
from turnsure.experiment.building.roles import LETTERS, in_role, uniqueness
from turnsure.models.scripted import ALL_CAPABLE


def ask(reply, capabilities=ALL_CAPABLE):
    counted = []
    flow = uniqueness(load_prompts(), capabilities).ask(context(), "Peru")
    read, asked = drive(in_role("guesser", "unique", flow, counted.append), reply)
    assert {(request.role, request.tag) for request in asked} == {("guesser", "unique")}
    assert len(counted) == len(asked)
    assert isinstance(read, float)
    return read, asked


def test_a_model_that_prefers_a_letter_is_never_sure():
    value, asked = ask(lambda request: label_mass(A=0.9, B=0.1))
    assert value == pytest.approx(0.1)
    first, second = (request.messages[-1].content for request in asked)
    assert "A. Only Peru fits" in first
    assert "B. Only Peru fits" in second


def test_a_model_that_reads_the_options_is_believed():
    def reply(request):
        given = "A. Only Peru fits" in request.messages[-1].content
        return label_mass(A=0.8, B=0.2) if given else label_mass(A=0.2, B=0.8)

    value, _ = ask(reply)
    assert value == pytest.approx(0.8)


def test_without_log_probabilities_letters_are_drawn():
    def reply(request):
        assert request.labels is None
        assert request.n == LETTERS
        given = "A. Only Peru fits" in request.messages[-1].content
        return texts(*("AAAAB" if given else "BBBBA"))

    value, _ = ask(reply, replace(ALL_CAPABLE, label_probabilities="none"))
    assert value == pytest.approx(0.8)
