"""A model that reasons perfectly, and one that guesses, through the real pipeline.

What each of them scores follows from the dialogues alone and is worked out here from them.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb
from pathlib import Path

import pytest

from tests.support.reasoner import Reasoner, guesser
from turnsure import pipeline, registry
from turnsure.core.results import MetricResult
from turnsure.core.spec import DEFAULT_METHODS, RunSpec
from turnsure.dialogues.worlds.user_file import read_world
from turnsure.models.scripted import ScriptedBackend
from turnsure.store.json_files import plain

N_DIALOGUES = 8
"""Enough for tests on five methods to be significant: 2 of 2**8 patterns, five times, is 0.04."""

SURE = 0.4
SAMPLES = 10
BIRDS = """\
world: birds
task: Name the bird.
settings: {min_turns: 2, max_turns: 7}
facts:
  home:
    question: Where does it live?
    statement: It lives {value}.
  size:
    question: How large is it?
    statement: It is {value}.
  flies:
    kind: yes_no
    question: Does it fly?
    if_yes: It flies.
    if_no: It does not fly.
  food:
    kind: list
    question: Does it eat {item}?
    if_yes: It eats {item}.
    if_no: It does not eat {item}.
entities:
  - {name: [emu, Dromaius], home: inland, size: large, flies: no, food: [seeds, fruit]}
  - {name: penguin, home: at sea, size: large, flies: no, food: [fish]}
  - {name: auk, home: at sea, size: small, flies: yes, food: [fish]}
  - {name: gull, home: at sea, size: middling, flies: yes, food: [fish, insects]}
  - {name: finch, home: inland, size: small, flies: yes, food: [seeds]}
  - {name: wren, home: inland, size: small, flies: yes, food: [insects]}
  - {name: thrush, home: inland, size: middling, flies: yes, food: [insects, fruit]}
  - {name: crane, home: by rivers, size: large, flies: yes, food: [fish, insects, seeds]}
  - {name: swift, home: by rivers, size: small, flies: yes, food: [insects]}
  - {name: duck, home: by rivers, size: middling, flies: yes, food: [fish, seeds]}
  - {name: kiwi, home: inland, size: middling, flies: no, food: [insects, fruit]}
  - {name: rail, home: by rivers, size: middling, flies: no, food: [insects, seeds]}
"""

METHODS = {
    "birds": DEFAULT_METHODS,
    "countries-gain": ("vanilla_verb", "self_consistency", "p_true", "p_sufficient"),
    "countries-yes-no": ("p_true", "p_sufficient"),
}
"""All of them where it is cheap."""

GUESSED = ("vanilla_verb", "p_true", "p_sufficient")

WORLDS = tuple(METHODS)
STYLES = ("statements", "questions")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Runs by world, style, twists and model; each is made once, and its page is not drawn."""
    folder = tmp_path_factory.mktemp("worlds")
    birds = folder / "birds.yaml"
    birds.write_text(BIRDS, encoding="utf-8")
    kept = {}

    def run(world, style, twists, model):
        key = f"{world}-{style}-{twists}-{model}"
        if key not in kept:
            is_file = world == "birds"
            name = f"world:{birds}" if is_file else world
            table = read_world(birds) if is_file else registry.load("worlds", world).build()
            spec = RunSpec(
                data=f"{name}?style={style}&twists={twists}",
                methods=METHODS[world] if model == "reasoner" else GUESSED,
                limit=N_DIALOGUES,
                samples=SAMPLES,
                resamples=20,
            )
            setup = pipeline.prepare(spec)
            first = table.entities[0].names[0]
            script = Reasoner(table, style) if model == "reasoner" else guesser(first, SURE)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(pipeline, "write_report", lambda data, path: path)
                made = pipeline.measure(setup, ScriptedBackend(script), folder / key)
            kept[key] = (setup.dialogues, made)
        return kept[key]

    return run


def rows(found, target="answer"):
    return {row.method: row for row in found if getattr(row, "target", target) == target}


def value(found) -> float:
    assert isinstance(found, MetricResult), found
    return found.value


def n_left(dialogue):
    return [len(places) for places in dialogue.remaining]


@pytest.mark.parametrize("twists", [0, 1])
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("world", WORLDS)
def test_a_perfect_reasoner_keeps_to_the_ideal(ran, world, style, twists):
    dialogues, run = ran(world, style, twists, "reasoner")
    found = run.evaluation.closed_world
    assert (found.n_dialogues, found.n_without) == (N_DIALOGUES, 0)
    assert found.n_identified == N_DIALOGUES
    assert (found.n_unnamed, found.n_ungraded) == (0, 0)
    for target in ("answer", "gold"):
        ideals, identified = rows(found.ideals, target), rows(found.identification, target)
        assert set(ideals) == set(identified) == set(METHODS[world])
        for method in ideals.keys() - {"self_consistency"}:
            assert value(ideals[method].distance) == pytest.approx(0.0, abs=1e-12)
            curves = ideals[method].confidence_by_level, ideals[method].ideal_by_level
            assert len(curves[0].points) == len(curves[1].points) > 1
            for given, wanted in zip(*(curve.points for curve in curves), strict=True):
                assert (given.x, given.n) == (wanted.x, wanted.n)
                assert given.y == pytest.approx(wanted.y, abs=1e-12)
        # Samples are spread as evenly as they can be.
        if "self_consistency" in ideals:
            assert 0.0 < value(ideals["self_consistency"].distance) < 1 / SAMPLES
        sufficient = identified["p_sufficient"].metrics
        assert value(sufficient["info_ece"]) == value(sufficient["brier"]) == 0.0
        assert value(sufficient["auroc"]) == 1.0
        # Sure at the last turn only: it rises on the L − 1 pairs that hold it.
        taus = [Fraction(one.n_turns - 1, comb(one.n_turns, 2)) for one in dialogues]
        assert value(sufficient["kendall_tau"]) == pytest.approx(float(sum(taus) / len(taus)))


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("world", WORLDS)
def test_without_twists_a_perfect_reasoner_rises_at_every_turn(ran, world, style):
    dialogues, run = ran(world, style, 0, "reasoner")
    assert all(n_left(one) == sorted(set(n_left(one)), reverse=True) for one in dialogues)
    identified = rows(run.evaluation.closed_world.identification)
    for method in identified.keys() - {"self_consistency", "p_sufficient"}:
        assert value(identified[method].metrics["kendall_tau"]) == 1.0
    assert run.evaluation.closed_world.corrections == ()
    assert run.evaluation.closed_world.n_corrections == 0


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("world", WORLDS)
def test_with_twists_a_perfect_reasoner_falls_at_the_correction(ran, world, style):
    dialogues, run = ran(world, style, 1, "reasoner")
    found = run.evaluation.closed_world
    assert (found.n_corrections, found.n_corrected) == (N_DIALOGUES, N_DIALOGUES)
    changes = []
    for one in dialogues:
        [place] = [k for k, hint in enumerate(one.hints) if hint.corrects is not None]
        left = n_left(one)
        changes.append(1 / left[place] - 1 / left[place - 1])
    corrections = rows(found.corrections)
    for method in corrections.keys() - {"self_consistency", "p_sufficient"}:
        row = corrections[method]
        assert row.verdict == "passed"
        assert value(row.change.change) == pytest.approx(sum(changes) / len(changes))
        assert value(row.ideal) == pytest.approx(value(row.change.change))
        assert value(row.falling) == 1.0
        assert row.falling.details["n_dialogues_fell"] == N_DIALOGUES
        assert (row.change.p_value, row.change.exact) == (2 / 2**N_DIALOGUES, True)
    # It never was sure that it knows enough, and there is nothing to take back.
    assert value(corrections["p_sufficient"].change.change) == 0.0
    assert corrections["p_sufficient"].verdict == "open"


@pytest.mark.parametrize("twists", [0, 1])
@pytest.mark.parametrize("world", WORLDS)
def test_a_guesser_scores_what_follows_from_the_dialogues(ran, world, twists):
    dialogues, run = ran(world, "statements", twists, "guesser")
    found = run.evaluation.closed_world
    turns = [
        (Fraction(k, one.n_turns), left) for one in dialogues
        for k, left in enumerate(n_left(one), start=1)
    ]  # fmt: skip
    bins = {}
    for level, left in turns:
        number = next(k for k in range(10) if level <= Fraction(k + 1, 10))
        bins.setdefault(number, []).append(left == 1)
    info_ece = sum(abs(sum(one) / len(one) - SURE) for one in bins.values()) / len(bins)
    share = sum(left == 1 for _, left in turns) / len(turns)
    ideals = [
        1 / len(places) if 0 in places else 0.0 for one in dialogues for places in one.remaining
    ]
    own, identified = rows(found.ideals), rows(found.identification)
    for method in GUESSED:
        scores = identified[method].metrics
        assert value(scores["kendall_tau"]) == 0.0
        assert value(scores["info_ece"]) == pytest.approx(info_ece)
        assert value(scores["brier"]) == pytest.approx(
            SURE**2 * (1 - share) + (1 - SURE) ** 2 * share
        )
        assert value(scores["auroc"]) == 0.5
    distance = sum(abs(SURE - ideal) for ideal in ideals) / len(ideals)
    assert value(own["p_true"].distance) == pytest.approx(distance)
    assert value(own["p_true"].bias) == pytest.approx(SURE - sum(ideals) / len(ideals))
    for row in found.corrections:
        assert value(row.change.change) == 0.0
        assert value(row.falling) == 0.0
        assert row.verdict == ("open" if row.method == "p_sufficient" else "failed")
    assert bool(found.corrections) == bool(twists)


def test_a_run_read_back_says_the_same(ran):
    _, run = ran("birds", "questions", 1, "reasoner")
    written = json.loads(run.folder.metrics.read_text(encoding="utf-8"))["closed_world"]
    again = pipeline.load_run(run.folder.path)
    assert plain(again.evaluation.closed_world) == plain(run.evaluation.closed_world)
    assert written == json.loads(json.dumps(plain(again.evaluation.closed_world)))


def test_a_run_without_candidates_says_nothing(tmp_path, monkeypatch):
    path = tmp_path / "open.jsonl"
    lines = [
        {"id": f"d{k}", "task": "Name it.", "gold": ["Chad"],
         "hints": [{"answer": "It is dry."}, {"answer": "It is large."}]}
        for k in range(2)
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    monkeypatch.setattr(pipeline, "write_report", lambda data, path: path)
    setup = pipeline.prepare(RunSpec(data=str(path), methods=("p_true",), resamples=10))
    run = pipeline.measure(setup, ScriptedBackend(guesser("Chad", SURE)), tmp_path / "run")
    assert run.evaluation.closed_world is None
    assert json.loads(Path(run.folder.metrics).read_text(encoding="utf-8"))["closed_world"] is None
