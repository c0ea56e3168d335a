"""Models whose confidence follows a known thing must be diagnosed as what they are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support import scripted_followers as followers
from turnsure import pipeline
from turnsure.core.results import MetricResult
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnsTable
from turnsure.experiment.effects.placebo import placebo_effects
from turnsure.models.scripted import ScriptedBackend
from turnsure.store.turns_file import read_turns

N_DIALOGUES = 40


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the controls found for each behaviour; every one is run once."""
    folder = tmp_path_factory.mktemp("followers")
    data = followers.write_world(folder / "world.jsonl", N_DIALOGUES)
    kept = {}

    def effects(name):
        if name not in kept:
            spec = RunSpec(
                data=str(data),
                methods=("p_true",),
                controls=("placebo", "summary", "supplied"),
                supplied_from=("remaining", "eliminated"),
                resamples=500,
            )
            backend = ScriptedBackend(followers.model(getattr(followers, name)))
            run = pipeline.measure(pipeline.prepare(spec), backend, folder / name)
            kept[name] = run
        return kept[name].evaluation.controls

    effects.runs = kept
    return effects


@pytest.fixture(scope="module")
def tables(found):
    """The tables behind."""

    def table(name):
        found(name)
        return read_turns(found.runs[name].folder.turns)[0]

    return table


def diagnosis(effects):
    """Everything that the three controls say of the method, in one value."""
    placebo = {row.target: row.diagnosis for row in effects.placebo.rows}
    supplied = {row.source: row.verdict for row in effects.supplied.rows}
    joined = next(one for one in effects.formats if one.condition == "joined")
    return {
        "own answer": placebo["answer"],
        "gold answer": placebo["gold"],
        "wrong answers": supplied["eliminated"],
        "told at once": joined.rows[0].verdict,
    }


KNOWN = {
    # Blind to which answer it is asked about, so that wrong ones get the confidence of right ones.
    "by_information": {
        "own answer": "information",
        "gold answer": "information",
        "wrong answers": "failed",
        "told at once": "passed",
    },
    "by_information_and_truth": {
        "own answer": "information",
        "gold answer": "information",
        "wrong answers": "passed",
        "told at once": "passed",
    },
    "by_turns": {
        "own answer": "turns",
        "gold answer": "turns",
        "wrong answers": "failed",
        "told at once": "failed",
    },
    "by_nothing": {
        "own answer": "neither",
        "gold answer": "neither",
        "wrong answers": "failed",
        "told at once": "passed",
    },
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_behaviour_is_diagnosed(found, name):
    assert diagnosis(found(name)) == KNOWN[name]


def test_confidence_that_follows_the_answers_length_is_diagnosed(found):
    """Wrong answers grow longer by the turn: so grows the own confidence, while that in the gold
    answer, whose length is fixed, does not move; and wrong answers get as much as right ones."""
    effects = found("by_length")
    seen = diagnosis(effects)
    assert seen["gold answer"] == "neither"
    assert seen["own answer"] != "information"
    assert seen["wrong answers"] != "passed"
    area = next(row.auroc for row in effects.supplied.rows if row.source == "eliminated")
    assert isinstance(area, MetricResult)
    assert area.value < 0.75


def relabelled(effects_of, table, condition):
    """The placebo control with the rows of other states in place of those after a placebo."""
    plain, placebo = table.select(condition="plain"), table.select(condition="placebo")
    known = {row.key: row for row in plain.rows}
    shift = {"before": 1, "after the hint": 0}[condition]
    swapped = TurnsTable(
        tuple(
            replace(
                row,
                confidence=known[
                    (row.dialogue, row.turn - shift, "plain", row.target, row.method)
                ].confidence,
            )
            for row in placebo.rows
        )
    )
    spec = RunSpec(resamples=500)
    found = placebo_effects(plain, swapped, spec, effects_of.placebo.definition)
    return {row.target: row.diagnosis for row in found.rows}


def test_a_follower_of_information_fails_when_placebos_inform(found, tables):
    """The diagnosis comes from the placebo rows: with those of real hints for them it turns."""
    effects, table = found("by_information"), tables("by_information")
    assert relabelled(effects, table, "after the hint")["gold"] == "turns"


def test_a_follower_of_turns_passes_when_placebos_are_no_turns(found, tables):
    effects, table = found("by_turns"), tables("by_turns")
    assert relabelled(effects, table, "before")["gold"] == "information"


def test_a_perfect_reasoner_is_not_blamed_for_candidates_that_still_fit(found):
    """It gives all remaining candidates the same, as it should, and eliminated ones nothing."""
    supplied = {row.source: row for row in found("by_reason").supplied.rows}
    assert set(supplied) == {"remaining", "eliminated"}
    assert supplied["remaining"].verdict is None
    assert float(supplied["remaining"].gap.change) == pytest.approx(0.0, abs=followers.NOISE)
    assert supplied["eliminated"].verdict == "passed"


def test_the_planted_changes_are_found(found):
    """A line adds 0.15 whatever it says; a fact adds 0.15 and a placebo nothing."""
    turns = {row.target: row for row in found("by_turns").placebo.rows}["gold"]
    facts = {row.target: row for row in found("by_information").placebo.rows}["gold"]
    assert float(turns.placebo.change) == pytest.approx(0.15, abs=followers.NOISE)
    assert float(turns.separation.change) == pytest.approx(0.0, abs=followers.NOISE)
    assert float(facts.information.change) == pytest.approx(0.15, abs=followers.NOISE)
    assert float(facts.placebo.change) == pytest.approx(0.0, abs=followers.NOISE)
    assert float(facts.separation.change) == pytest.approx(0.15, abs=followers.NOISE)


def test_turns_are_counted(found):
    placebo = found("by_information").placebo
    assert placebo.n_tested == N_DIALOGUES * (followers.N_TURNS - 1)
    assert placebo.n_first_turns == N_DIALOGUES
    assert placebo.n_untested == 0
    assert not placebo.failures
    assert placebo.n_tests == 2
    assert placebo.n_significant_information == 2
    assert placebo.n_significant_placebo == 0
