"""What the controls conclude, on tables whose truth is known, and when they must not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.support import scripted_followers as followers
from turnsure import pipeline
from turnsure.core.confidence import Confidence
from turnsure.core.errors import BackendUnavailable, InputError, StoreError
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.engine.retry import RetryPolicy
from turnsure.experiment.controls.protocols import LEFT_OUT
from turnsure.experiment.effects.formats import format_effects
from turnsure.experiment.effects.placebo import placebo_effects
from turnsure.experiment.effects.protocols import protocol_effects
from turnsure.experiment.effects.supplied import supplied_effects
from turnsure.models.scripted import ScriptedBackend

SPEC = RunSpec(resamples=400)
MANY = 30


def row(dialogue, turn, value, *, condition="plain", method="m", target="answer", correct=True):
    confidence = (
        Failure(stage="confidence", kind="empty", message="nothing")
        if value is None
        else Confidence(value=value, method=method, scale="probability", path="logprobs")
    )
    return TurnRow(
        dialogue=dialogue,
        turn=turn,
        n_turns=2,
        condition=condition,
        target=target,
        method=method,
        answer="x",
        confidence=confidence,
        outcome=Outcome(correct=correct, grader="test"),
        meta={"control.source": condition.split(":")[1]} if ":" in condition else {},
    )


def wobble(k):
    """Small, different for every dialogue, and 0 on average."""
    return 0.004 * (k % 5 - 2)


def placebo(before, hint, nothing, n=MANY):
    """The diagnosis for one method whose states have these means."""
    plain, after = [], []
    for k in range(n):
        plain += [row(f"d{k}", 1, before), row(f"d{k}", 2, hint + wobble(k))]
        after.append(row(f"d{k}", 2, nothing - wobble(k), condition="placebo"))
    found = placebo_effects(TurnsTable.of(plain), TurnsTable.of(after), SPEC, {})
    return found.rows[0]


@pytest.mark.parametrize(
    ("before", "hint", "nothing", "diagnosis"),
    [
        (0.3, 0.6, 0.3, "information"),
        (0.3, 0.6, 0.2, "information"),
        (0.3, 0.6, 0.31, "information"),  # a rise surely within 2 points counts as none
        (0.3, 0.6, 0.5, "mixed"),
        (0.3, 0.5, 0.5, "turns"),
        (0.3, 0.5, 0.6, "turns"),
        (0.3, 0.3, 0.3, "neither"),
        (0.3, 0.308, 0.3, "neither"),  # so does a separation
        (0.3, 0.2, 0.3, "against"),
        (0.5, 0.45, 0.3, "open"),  # falling less on a hint than on a placebo
    ],
)
def test_every_diagnosis_has_its_case(before, hint, nothing, diagnosis):
    assert placebo(before, hint, nothing).diagnosis == diagnosis


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a_handful_of_dialogues_decides_nothing(n):
    assert placebo(0.3, 0.6, 0.3, n).verdict == "open"
    plain = TurnsTable.of(row(f"d{k}", 2, 0.5) for k in range(n))
    told = TurnsTable.of(row(f"d{k}", 2, 0.5, condition="joined") for k in range(n))
    assert format_effects(plain, told, SPEC, "joined").rows[0].verdict == "open"
    gold = TurnsTable.of(row(f"d{k}", 2, 0.9, target="gold") for k in range(n))
    assert gap(gold, 0.1).verdict == "open"


def gap(gold, wrong, source="samples"):
    supplied = TurnsTable.of(
        row(one.dialogue, 2, wrong, condition=f"supplied:{source}:1", target="other", correct=False)
        for one in gold.rows
    )
    spec = replace(SPEC, supplied_from=(source,))
    [found] = supplied_effects(gold, supplied, spec, {}).rows
    return found


@pytest.mark.parametrize(
    ("right", "wrong", "source", "verdict"),
    [
        (0.9, 0.1, "samples", "passed"),
        (0.9, 0.88, "samples", "failed"),
        (0.1, 0.9, "samples", "failed"),
        (0.9, 0.9, "remaining", None),
        (0.9, 0.1, "remaining", None),
    ],
)
def test_the_gap_to_wrong_answers_is_judged_unless_they_still_fit(right, wrong, source, verdict):
    gold = TurnsTable.of(row(f"d{k}", 2, right, target="gold") for k in range(MANY))
    assert gap(gold, wrong, source).verdict == verdict


def test_a_significant_gap_whose_interval_touches_zero_is_open():
    """Sign flips and bootstrap can disagree at the edge; then nothing is claimed."""
    values = [0.02] * 7 + [0.4] * 2 + [-0.06]
    gold = TurnsTable.of(
        row(f"d{k}", 2, 0.5 + value, target="gold") for k, value in enumerate(values)
    )
    found = gap(gold, 0.5)
    bounds = found.gap.change.interval
    if bounds.low <= 0.0 < bounds.high:
        assert found.verdict == "open"
    else:
        assert found.verdict in ("passed", "open")


def test_accuracy_and_confidence_of_a_state_weigh_alike():
    """Confidence equals correctness, so both means must agree however long the dialogues are."""
    plain, after = [], []
    for k, length in enumerate((2, 2, 9)):
        right = k == 2
        for turn in range(1, length + 1):
            plain.append(
                replace(row(f"d{k}", 1, float(right), correct=right), turn=turn, n_turns=9)
            )
            if turn > 1:
                one = row(f"d{k}", 1, float(right), condition="placebo", correct=right)
                after.append(replace(one, turn=turn, n_turns=9))
    found = placebo_effects(TurnsTable.of(plain), TurnsTable.of(after), SPEC, {})
    assert found.accuracy_placebo == pytest.approx(found.rows[0].after_placebo)
    assert found.accuracy_before == pytest.approx(1 / 3)


def test_turns_that_fail_under_a_variant_alone_turn_no_order_around():
    """The variant changes no score of method a, which fails late; b is left alone."""
    plain, variant = [], []
    for k in range(MANY):
        for turn, (a, b, right) in enumerate(((0.2, 0.5, False), (0.9, 0.5, True)), start=1):
            plain += [
                row(f"d{k}", turn, a, method="a", correct=right),
                row(f"d{k}", turn, b, method="b", correct=right),
            ]
            value = a if turn == 1 else None
            variant.append(row(f"d{k}", turn, value, method="a", correct=right))
    tables = {"v": TurnsTable.of(variant)}
    found = protocol_effects(TurnsTable.of(plain), tables, SPEC, {}, {"v": "f00"})
    assert not found.flips
    assert found.n_pairs == 1  # InfoECE; τ and AUROC have no value on single wrong turns


def test_a_true_flip_is_found_once_and_named():
    plain, variant = [], []
    for k in range(MANY):
        for turn in (1, 2):
            right = turn == 2
            plain += [
                row(f"d{k}", turn, 0.9 if right else 0.1, method="a", correct=right),
                row(f"d{k}", turn, 0.5, method="b", correct=right),
            ]
            variant.append(row(f"d{k}", turn, 0.1 if right else 0.9, method="a", correct=right))
    tables = {"v": TurnsTable.of(variant)}
    found = protocol_effects(TurnsTable.of(plain), tables, SPEC, {}, {"v": "f00"})
    assert {(one.metric, one.better, one.worse) for one in found.flips} == {
        ("info_ece", "a", "b"),
        ("kendall_tau", "a", "b"),
        ("auroc", "a", "b"),
    }
    assert all(one.beyond_chance and one.n_turns == 2 * MANY for one in found.flips)
    assert found.n_pairs == 3


# The rest goes through a whole run.


@pytest.fixture
def world(tmp_path):
    return followers.write_world(tmp_path / "world.jsonl", 8)


def spec(world, *controls, **changes):
    settings = {"methods": ("p_true",), "samples": 4, "resamples": 50, **changes}
    return RunSpec(data=str(world), controls=controls, **settings)


def scripted(follows=followers.by_information, name="scripted:double"):
    return ScriptedBackend(followers.model(follows), name=name)


def test_a_clue_told_at_once_that_reads_as_the_turn_is_left_out_and_counted(tmp_path):
    path = tmp_path / "d.jsonl"
    body = {"id": "d", "task": "Name it.", "gold": ["x"],
            "hints": [{"answer": "It is warm."}, {"answer": "It is small."}]}  # fmt: skip
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")
    methods = ("p_true", "p_sufficient", "ensemble")
    setup = pipeline.prepare(spec(path, "summary", methods=methods))
    run = pipeline.measure(setup, scripted(), tmp_path / "r")
    joined = run.evaluation.controls.formats[0]
    assert (joined.condition, joined.n_states, joined.n_measured) == ("joined", 2, 1)
    assert joined.failures == {"same_as_the_turn": 1}


def test_a_second_wording_goes_over_the_runs_own(world, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('[history]\nintro = "So far:"\n', encoding="utf-8")
    setup = pipeline.prepare(spec(world, "protocols", templates=str(mine), variants=("reworded",)))
    variant = setup.controls[0].variants["reworded"]
    assert variant.rendering == setup.instrument.rendering
    assert [one.name for one in variant.measurement.estimators] == ["p_true"]


def test_a_variant_that_changes_nothing_is_left_out_or_refused_when_named(world):
    methods = ("self_consistency",)
    setup = pipeline.prepare(spec(world, "protocols", methods=methods))
    definition = setup.controls[0].definition
    assert set(setup.controls[0].variants) == {"other-rendering", "no-context"}
    assert {f"{LEFT_OUT}labels-swapped", f"{LEFT_OUT}reworded"} <= set(definition)
    with pytest.raises(InputError, match="changes no method"):
        pipeline.prepare(spec(world, "protocols", methods=methods, variants=("reworded",)))


def test_what_was_left_out_is_told(world, tmp_path):
    setup = pipeline.prepare(spec(world, "protocols", methods=("self_consistency",)))
    run = pipeline.measure(setup, scripted(), tmp_path / "r")
    left_out = run.evaluation.controls.protocols.left_out
    assert set(left_out) == {"labels-swapped", "reworded"}
    assert "changes no method" in left_out["reworded"]


def test_a_template_of_a_method_that_is_not_run_stops_nothing(world, tmp_path):
    mine = tmp_path / "mine.toml"
    inline = '[p_sufficient]\ntext = "{question} {answer}: A for yes or B for no?"\n'
    mine.write_text(inline, encoding="utf-8")
    setup = pipeline.prepare(spec(world, "protocols", templates=str(mine)))
    assert "labels-swapped" in setup.controls[0].variants


def test_without_context_only_judges_of_a_proposed_answer_are_asked(world):
    methods = ("p_true", "sequence_likelihood_mean")
    variants = pipeline.prepare(spec(world, "protocols", methods=methods)).controls[0].variants
    asked = [one.name for one in variants["no-context"].measurement.estimators]
    assert asked == ["p_true"]


def test_the_ensemble_is_made_anew_under_every_variant(world, tmp_path):
    methods = ("p_true", "p_sufficient", "ensemble")
    setup = pipeline.prepare(spec(world, "protocols", methods=methods))
    run = pipeline.measure(setup, scripted(), tmp_path / "r")
    rows = run.evaluation.controls.protocols.rows
    assert {one.variant for one in rows if one.method == "ensemble"} == set(
        setup.controls[0].variants
    )


def test_an_ensemble_is_not_asked_for_what_one_of_its_methods_cannot_judge(world, tmp_path):
    methods = ("p_true", "sequence_likelihood_mean", "ensemble")
    backend = scripted()
    run = pipeline.measure(pipeline.prepare(spec(world, methods=methods)), backend, tmp_path / "r")
    ensemble = next(one for one in run.evaluation.methods if one.method == "ensemble")
    assert not ensemble.gold_failures


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"gold": False}, "gold"), ({"methods": ("sequence_likelihood_sum",)}, "controls")],
)
def test_supplied_answers_that_could_be_compared_with_nothing_are_refused(world, changes, field):
    with pytest.raises(InputError) as caught:
        pipeline.prepare(spec(world, "supplied", **changes))
    assert caught.value.field == field


def test_a_summariser_that_is_gone_stops_the_run(world, tmp_path, monkeypatch):
    monkeypatch.setattr(RetryPolicy, "wait", lambda *arguments: None)
    subject = scripted(name="scripted:subject")
    dead = ScriptedBackend(lambda request: BackendUnavailable("gone"), name="scripted:dead")
    setup = pipeline.prepare(spec(world, "summary"))
    with pytest.raises(BackendUnavailable, match="25 requests to scripted:dead in a row"):
        pipeline.measure(setup, subject, tmp_path / "r", summariser=dead)


def test_the_summarisers_fingerprint_is_on_record_and_its_store_is_found(world, tmp_path):
    subject = scripted(name="scripted:subject")
    other = ScriptedBackend(lambda request: "FACT.", name="scripted:other")
    setup = pipeline.prepare(spec(world, "summary", keep_flagged=True))
    run = pipeline.measure(setup, subject, tmp_path / "r", summariser=other)
    record = json.loads(run.folder.run_json.read_text(encoding="utf-8"))
    assert record["summariser"] == dict(other.fingerprint)
    planned = pipeline.dry_run(
        setup, tmp_path / "r", subject.fingerprint, others={"summariser": other.fingerprint}
    )
    summaries = next(call for call in planned.calls if call.tag == "summary")
    assert summaries.n_kept == summaries.n_requests == 40


@pytest.mark.parametrize("name", ["controls", "variant_digests"])
def test_a_run_json_without_its_controls_is_damaged(world, tmp_path, name):
    setup = pipeline.prepare(spec(world, "protocols"))
    run = pipeline.measure(setup, scripted(), tmp_path / "r")
    record = json.loads(run.folder.run_json.read_text(encoding="utf-8"))
    del record[name]
    run.folder.run_json.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(StoreError, match=r"run\.json"):
        pipeline.load_run(tmp_path / "r")


def test_a_dialogue_cannot_pose_as_a_control(tmp_path):
    path = tmp_path / "d.jsonl"
    body = {"id": "d", "gold": ["x"], "hints": [{"answer": "a"}], "meta": {"control.text": "x"}}
    path.write_text(json.dumps(body) + "\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        pipeline.prepare(spec(path))
    assert (caught.value.line, caught.value.field) == (1, "meta.control.text")
