"""What the controls ask, and what becomes of dialogues that they do not fit."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.support import scripted_followers as followers
from tests.support.flows import drive, label_mass, texts
from turnsure import pipeline
from turnsure.core.confidence import Confidence
from turnsure.core.errors import ContextOverflow, InputError
from turnsure.core.outcome import Failure
from turnsure.core.spec import RunSpec
from turnsure.core.turns import PLAIN, TurnsTable
from turnsure.experiment.effects.formats import format_effects
from turnsure.experiment.effects.of_run import split_variants
from turnsure.experiment.setup import prepare
from turnsure.models.scripted import ScriptedBackend
from turnsure.store.turns_file import read_turns


@pytest.fixture
def world(tmp_path):
    return followers.write_world(tmp_path / "world.jsonl", 8)


def spec(world, *controls, **changes):
    settings = {"methods": ("p_true",), "samples": 4, "resamples": 50, **changes}
    return RunSpec(data=str(world), controls=controls, **settings)


def agreeable(request):
    if request.labels is not None:
        return label_mass(**dict.fromkeys(request.labels, 0.4))
    return texts(*["\\boxed{Chad}"] * request.n)


def asked_by(setup, control=0, reply=agreeable):
    """Rows and requests of one control, over all dialogues."""
    rows, asked = [], []
    for dialogue in setup.dialogues:
        more, requests = drive(setup.controls[control].measure(dialogue), reply)
        rows += more
        asked += requests
    return rows, asked


def one_dialogue(path, **fields):
    body = {"id": "d", "task": "Name it.", "gold": ["Peru"], "hints": [{"answer": "It is warm."}]}
    path.write_text(json.dumps({**body, **fields}) + "\n", encoding="utf-8")
    return path


def test_a_placebo_takes_the_hints_place_and_keeps_those_before(world):
    setup = prepare(spec(world, "placebo"))
    rows, asked = asked_by(setup)
    assert {(row.condition, row.turn) for row in rows} == {
        ("placebo", turn) for turn in range(2, 6)
    }
    for request in asked:
        prompt = request.messages[-1].content
        assert followers.n_facts(prompt) == followers.n_lines(prompt) - 1
    placebos = {(row.dialogue, row.meta["control.hint"]) for row in rows}
    assert len(placebos) == len(setup.dialogues) * (followers.N_TURNS - 1)


def test_a_dialogue_of_one_hint_has_no_placebo_turn_and_is_counted(tmp_path):
    path = one_dialogue(tmp_path / "d.jsonl")
    setup = prepare(spec(path, "placebo"))
    assert asked_by(setup) == ([], [])
    run = pipeline.measure(
        setup, ScriptedBackend(followers.model(followers.by_turns)), tmp_path / "r"
    )
    found = run.evaluation.controls.placebo
    assert (found.n_tested, found.n_first_turns, found.n_untested) == (0, 1, 0)
    assert all(row.diagnosis == "open" and row.before is None for row in found.rows)


def test_a_pool_that_is_too_small_is_a_counted_failure(world, tmp_path):
    pool = tmp_path / "pool.toml"
    pool.write_text(
        'hints = ["Somebody has heard of it.", "It is what it is."]\n', encoding="utf-8"
    )
    setup = prepare(spec(world, "placebo", placebo_pool=str(pool)))
    backend = ScriptedBackend(followers.model(followers.by_turns))
    run = pipeline.measure(setup, backend, tmp_path / "r")
    found = run.evaluation.controls.placebo
    assert found.failures == {"pool_exhausted": 8 * 2}
    assert found.n_tested == 8 * 4
    assert next(row for row in found.rows).information.change.n_turns == 8 * 2


def test_a_wrong_pool_names_its_file(world, tmp_path):
    pool = tmp_path / "pool.toml"
    pool.write_text("hints = [3]\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"pool\.toml"):
        prepare(spec(world, "placebo", placebo_pool=str(pool)))


def test_a_summariser_that_says_nothing_is_a_counted_failure(world):
    def silent(request):
        return texts("") if request.role == "summariser" else agreeable(request)

    rows, _ = asked_by(prepare(spec(world, "summary")), reply=silent)
    summaries = [row for row in rows if row.condition == "summary"]
    assert {row.confidence.kind for row in summaries} == {"empty"}
    assert {row.outcome.reason for row in summaries} == {"empty"}
    assert all(isinstance(row.confidence, Confidence) for row in rows if row.condition == "joined")


@pytest.mark.parametrize(("keep", "measured"), [(False, False), (True, True)])
def test_a_flagged_summary_is_left_out_or_kept_by_flag(world, keep, measured):
    def inventive(request):
        if request.role == "summariser":
            return texts("It was built by Napoleon in 1805.")
        return agreeable(request)

    setup = prepare(spec(world, "summary", keep_flagged=keep))
    rows, _ = asked_by(setup, reply=inventive)
    summaries = [row for row in rows if row.condition == "summary"]
    assert all(isinstance(row.confidence, Confidence) == measured for row in summaries)
    assert all("adds" in row.meta["control.problems"] for row in summaries)
    if not measured:
        assert {row.confidence.kind for row in summaries} == {"summary_flagged"}


def test_a_good_summary_replaces_the_hints(world):
    def faithful(request):
        if request.role == "summariser":
            notes = request.messages[-1].content
            facts = [line.removeprefix("- ") for line in notes.splitlines() if "FACT" in line]
            return texts(" ".join(facts))
        return agreeable(request)

    rows, asked = asked_by(prepare(spec(world, "summary")), reply=faithful)
    assert {row.condition for row in rows} == {"summary", "joined"}
    assert all(isinstance(row.confidence, Confidence) for row in rows)
    told = [one for one in asked if one.role != "summariser"]
    assert {followers.n_lines(one.messages[-1].content) for one in told} == {1}


def test_another_model_summarises_when_one_is_given(world, tmp_path):
    subject = ScriptedBackend(followers.model(followers.by_turns), name="scripted:subject")
    other = ScriptedBackend(lambda request: "FACT.", name="scripted:summariser")
    setup = prepare(spec(world, "summary", keep_flagged=True))
    pipeline.measure(setup, subject, tmp_path / "r", summariser=other)
    assert {one.role for one in other.asked} == {"summariser"}
    assert {one.role for one in subject.asked} == {"subject"}


def test_supplied_answers_are_wrong_different_and_of_their_source(world):
    setup = prepare(spec(world, "supplied", supplied_from=("remaining", "eliminated")))
    rows, _ = asked_by(setup)
    by_id = {one.id: one for one in setup.dialogues}
    for row in rows:
        dialogue = by_id[row.dialogue]
        fits = row.answer in dialogue.candidates_at(row.turn)
        assert row.answer not in dialogue.gold
        assert row.outcome.correct is False
        assert row.target == "other"
        assert fits == (row.meta["control.source"] == "remaining")
    # At the last turn the world has one candidate left, the gold answer.
    assert not [row for row in rows if row.turn == 5 and row.meta["control.source"] == "remaining"]


def test_the_candidate_that_fitted_longest_is_the_first_eliminated_one(world):
    setup = prepare(spec(world, "supplied", supplied_from=("eliminated",)))
    dialogue = setup.dialogues[0]
    rows, _ = drive(setup.controls[0].measure(dialogue), agreeable)
    for row in rows:
        if row.turn > 1:
            assert row.answer in dialogue.candidates_at(row.turn - 1)


def test_wrong_samples_are_taken_by_frequency_and_never_hold_the_right_answer(tmp_path):
    path = one_dialogue(tmp_path / "d.jsonl")

    def sampled(request):
        if request.n == 1:
            return agreeable(request)
        return texts("\\boxed{Chad}", "\\boxed{Mali}", "\\boxed{Mali}", "I am sure it is Peru.")

    rows, asked = asked_by(
        prepare(spec(path, "supplied", supplied_from=("samples",), supplied_answers=3)),
        reply=sampled,
    )
    assert [row.answer for row in rows] == ["Mali"]  # Chad is the model's own answer
    assert sum(one.n > 1 for one in asked) == 1


def test_sampling_that_fails_is_a_counted_failure(world, tmp_path):
    def overflowing(request):
        return ContextOverflow("too long") if request.n > 1 else followed(request)

    followed = followers.model(followers.by_information)
    setup = prepare(spec(world, "supplied", supplied_from=("samples",)))
    run = pipeline.measure(setup, ScriptedBackend(overflowing), tmp_path / "r")
    found = run.evaluation.controls.supplied
    assert found.failures == {"context_overflow": 8 * 5}
    assert not found.n_supplied


def test_without_a_world_only_samples_supply_answers(tmp_path):
    def sampled(request):
        return agreeable(request) if request.n == 1 else texts(*["\\boxed{Mali}"] * request.n)

    setup = prepare(spec(one_dialogue(tmp_path / "d.jsonl"), "supplied"))
    rows, _ = asked_by(setup, reply=sampled)
    assert {row.meta["control.source"] for row in rows} == {"samples"}


def test_variants_change_one_thing_each(world):
    methods = ("p_true", "vanilla_verb", "self_consistency")
    setup = prepare(spec(world, "protocols", methods=methods))
    variants = setup.controls[0].variants
    assert {
        name: [one.name for one in v.measurement.estimators] for name, v in variants.items()
    } == {
        "other-rendering": list(methods),
        "labels-swapped": ["p_true"],
        "no-context": list(methods),
        "reworded": ["p_true", "vanilla_verb"],
    }
    digests = {variant.protocol({"engine": "x"}).digest for variant in variants.values()}
    assert len(digests | {setup.protocol({"engine": "x"}).digest}) == 5


def test_without_context_the_answer_still_sees_the_hints_and_the_probe_does_not(world):
    setup = prepare(spec(world, "protocols", variants=("no-context",)))
    _, asked = asked_by(setup)
    assert all(followers.n_facts(one.messages[-1].content) for one in asked if one.tag == "answer")
    probes = [one for one in asked if one.labels is not None]
    assert probes
    assert not any(followers.n_facts(one.messages[-1].content) for one in probes)


def test_swapped_labels_still_mean_yes_first(world):
    setup = prepare(spec(world, "protocols", variants=("labels-swapped",)))
    _, asked = asked_by(setup)
    probe = next(one for one in asked if one.labels is not None)
    assert probe.labels == ("B", "A")
    assert "B. True" in probe.messages[-1].content


def test_a_wording_of_ones_own_is_a_variant(world, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text("[p_true]\ntext = '{question} {answer}? A. Yes B. No'\n", encoding="utf-8")
    setup = prepare(spec(world, "protocols", wordings=(str(mine),), variants=("mine",)))
    assert list(setup.controls[0].variants) == ["mine"]
    with pytest.raises(InputError, match="there is no variant 'yours'"):
        prepare(spec(world, "protocols", variants=("yours",)))


def test_variants_rows_never_join_the_runs_table(world, tmp_path):
    setup = prepare(spec(world, "protocols", "placebo"))
    backend = ScriptedBackend(followers.model(followers.by_information))
    run = pipeline.measure(setup, backend, tmp_path / "r")
    table, digest = read_turns(run.folder.turns)
    assert {row.condition for row in table.rows} == {PLAIN, "placebo"}
    files = sorted((tmp_path / "r" / "variants").glob("*.parquet"))
    assert [file.stem for file in files] == [
        "labels-swapped",
        "no-context",
        "other-rendering",
        "reworded",
    ]
    assert digest not in {read_turns(file)[1] for file in files}
    assert not split_variants(table)[1]


def test_controls_cost_only_what_they_add_and_repeat_nothing(world, tmp_path):
    """Run plainly, then again with controls: only states that are new are asked."""
    plain = spec(world, methods=("p_true", "self_consistency"))
    backend = ScriptedBackend(followers.model(followers.by_information))
    pipeline.measure(prepare(plain), backend, tmp_path / "r")
    n_plain = len(backend.asked)
    controls = ("placebo", "summary", "supplied")
    setup = prepare(replace(plain, controls=controls, keep_flagged=True))
    pipeline.measure(setup, backend, tmp_path / "r")
    assert len(set(backend.asked)) == len(backend.asked)
    states = 8 * (4 + 5 + 5)  # placebo turns, and both single-turn formats
    added = [one for one in backend.asked[n_plain:] if one.tag in ("answer", "samples")]
    assert len(added) <= 2 * states
    assert not [one for one in added if is_plain(one)]


def is_plain(request):
    """Whether the prompt is that of a plain turn: nothing but facts, one a line."""
    prompt = request.messages[-1].content
    lines = [line for line in prompt.splitlines() if line.startswith("- ")]
    return len(lines) > 1 and all(line.count("FACT") == 1 for line in lines)


def test_loading_a_run_finds_the_same_effects(world, tmp_path):
    setup = prepare(spec(world, "placebo", "summary", "supplied", "protocols"))
    backend = ScriptedBackend(followers.model(followers.by_turns))
    run = pipeline.measure(setup, backend, tmp_path / "r")
    loaded = pipeline.load_run(tmp_path / "r")
    assert loaded.evaluation.controls == run.evaluation.controls
    assert loaded.evaluation.controls.any
    assert {row.condition for row in loaded.table.rows} == {PLAIN}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"controls": ("placebo", "placebo")}, "controls"),
        ({"placebo_turns": "some"}, "placebo_turns"),
        ({"placebo_turns": 0.0}, "placebo_turns"),
        ({"placebo_turns": 1.5}, "placebo_turns"),
        ({"supplied_from": ("thin air",)}, "supplied_from"),
        ({"supplied_answers": 0}, "supplied_answers"),
    ],
)
def test_wrong_settings_are_refused_by_name(changes, field):
    with pytest.raises(InputError) as caught:
        RunSpec(**changes)
    assert caught.value.field == field


def test_an_unknown_control_is_refused_with_the_nearest_name(world):
    with pytest.raises(InputError, match="placebo"):
        prepare(spec(world, "placebos"))


def test_a_failed_summary_request_is_kept_as_its_failure(world):
    def broken(request):
        if request.role == "summariser":
            return Failure(stage="generation", kind="timed_out", message="no answer in time")
        return agreeable(request)

    rows, _ = asked_by(prepare(spec(world, "summary")), reply=broken)
    summaries = [row for row in rows if row.condition == "summary"]
    assert {row.confidence.kind for row in summaries} == {"timed_out"}
    told = TurnsTable(tuple(summaries))
    plain = TurnsTable(tuple(replace(row, condition=PLAIN) for row in summaries))
    found = format_effects(plain, told, spec(world), "summary")
    assert (found.n_states, found.n_measured) == (40, 0)
    assert found.failures == {"timed_out": 40}
