import datetime
import json
from dataclasses import replace

import numpy as np
import pytest

from tests.support import gates
from tests.support.watched import built, gate, write_scores
from turnsure.calibration.drift.recalibration import Recalibration
from turnsure.calibration.gate_file import from_json, to_json
from turnsure.calibration.gate_parts import GateLimits
from turnsure.calibration.thresholds.risk import RiskTarget
from turnsure.core.errors import InputError, LeakageError
from turnsure.core.results import Undefined
from turnsure.experiment.gating.files import read_gate
from turnsure.experiment.watching.settings import WatchSettings
from turnsure.experiment.watching.watch import watch
from turnsure.store.json_files import plain

TODAY = datetime.date(2026, 6, 1)
FAST = WatchSettings(resamples=50)


def watched(file, path, settings=FAST, **others):
    return watch(file, path, settings, today=TODAY, **others)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return read_gate(gate(tmp_path_factory.mktemp("gate")))


def test_a_gate_that_holds_is_ok(file, tmp_path):
    report = watched(file, write_scores(tmp_path / "new.csv"))
    assert report.verdict == "ok"
    assert report.reasons == (
        "No test on 400 labelled rows says that the probability does not hold.",
    )
    assert [one.name for one in report.tests] == ["gap", "line"]
    assert {one.limit for one in report.tests} == {0.05}
    assert report.protocol == "unknown"
    assert [one.name for one in report.shares] == ["answer", "ask", "escalate"]
    assert sum(one.now.value for one in report.shares) == pytest.approx(1.0)


def test_nothing_that_holds_is_accused_too_often(file, tmp_path):
    verdicts = [
        watched(file, write_scores(tmp_path / f"{seed}.csv", 150, seed=seed)).verdict
        for seed in range(40)
    ]
    assert verdicts.count("ok") >= 33  # beyond the 1e-3 quantile of Binomial(40, .95)


def test_a_drop_is_noticed_and_said(file, tmp_path):
    report = watched(file, write_scores(tmp_path / "new.csv", drop=0.15))
    assert report.verdict == "recalibrate"
    assert "points below what the probability says" in report.reasons[0]
    assert report.reasons[1].startswith("The probability is too extreme: slope 0.")
    changes = {one.name: one for one in report.labels.changes}
    assert list(changes) == ["gap", "ece", "brier", "log_loss"]
    assert all(one.is_clear for one in changes.values())
    assert changes["gap"].difference < -0.1
    assert report.labels.alarm_line.startswith("line ")
    assert any("it decides with --stream only" in note for note in report.notes)


def test_a_slice_is_noticed_where_the_whole_hides_it(file, tmp_path):
    path = write_scores(tmp_path / "new.csv", 600, drop_on={"en": -0.14, "de": 0.14})
    report = watched(file, path)
    assert report.verdict == "recalibrate"
    assert {one.limit for one in report.tests} == {0.025}
    assert any(reason.startswith("On language de accuracy is") for reason in report.reasons)
    assert {one.value for one in report.labels.slices if one.flagged} == {"en", "de"}
    assert watched(file, path, slices=()).labels.slices == ()


def test_small_slices_are_counted_and_not_judged(file, tmp_path):
    path = write_scores(tmp_path / "new.csv", 40, drop_on={"en": 0.0, "de": 0.0})
    report = watched(file, path)
    assert report.labels.slices == ()
    assert report.labels.n_small == 2


@pytest.mark.parametrize("target_error", [None, 0.02])
def test_too_many_wrong_answers_stop(tmp_path, target_error):
    source = write_scores(tmp_path / "evidence.csv", 800, seed=5)
    target = RiskTarget(error=0.2, confidence=0.9, unit="row")
    file = built(source, rule=None, target=target)
    settings = WatchSettings(resamples=50, target_error=target_error)
    drop = 0.2 if target_error is None else 0.0
    report = watched(file, write_scores(tmp_path / "new.csv", 800, drop=drop), settings)
    answered = report.labels.answered
    assert report.verdict == "stop"
    assert report.reasons[0].startswith("Answers are wrong too often: ")
    assert answered.unit == "row"
    assert answered.target == (target_error or 0.2)
    assert answered.p_value < 1e-4
    assert answered.alarm_line is not None
    assert answered.interval.low > answered.target
    assert report.needed.answers is not None


def test_dialogues_count_once_at_their_first_answer(tmp_path):
    source = write_scores(tmp_path / "evidence.csv", 200, turns=3, seed=7)
    file = built(source, rule=None, target=RiskTarget(error=0.3))
    path = write_scores(tmp_path / "new.csv", 100, turns=3)
    report = watched(file, path)
    answered = report.labels.answered
    assert answered.unit == "dialogue"
    assert answered.n <= 100 < report.labels.n == 300
    assert report.labels.n_dialogues == report.labels.monitor.n == 100
    assert report.labels.gap.method == "clusters"
    assert report.labels.line.robust
    assert {one.name for one in report.labels.slices} == {"turn"}
    assert report.shift.n_now == 100
    assert report.shift.n_before == 200  # the raw score needs no split


def test_an_answer_without_a_label_is_not_replaced_by_a_later_turn(tmp_path):
    source = write_scores(tmp_path / "evidence.csv", 200, turns=3, seed=7)
    file = built(source, rule=None, target=RiskTarget(error=0.3))
    assert file.rule.answer_at is not None
    lines = [
        f"d{n},{turn},1.0,{'' if turn == 1 and n else 0}" for n in range(50) for turn in (1, 2)
    ]
    path = tmp_path / "new.csv"
    path.write_text("id,turn,score,correct\n" + "\n".join(lines) + "\n", encoding="utf-8")
    answered = watched(file, path).labels.answered
    assert (answered.n, answered.n_wrong) == (1, 1)


def test_a_stream_is_decided_by_its_monitors(file, tmp_path):
    settings = replace(FAST, stream=True)
    held = watched(file, write_scores(tmp_path / "held.csv"), settings)
    worse = watched(file, write_scores(tmp_path / "worse.csv", drop=0.2), settings)
    assert (held.verdict, held.tests) == ("ok", ())
    assert held.reasons == ("No monitor has raised an alarm in 400 labelled rows.",)
    assert worse.verdict == "recalibrate"
    assert f"raised an alarm at {worse.labels.alarm_line}" in worse.reasons[0]


def test_more_rows_do_not_move_an_alarm(file, tmp_path):
    settings = replace(FAST, stream=True)
    path = write_scores(tmp_path / "worse.csv", 500, drop=0.2)
    whole = watched(file, path, settings).labels.alarm_line
    lines = path.read_text().splitlines()
    last = int(whole.removeprefix("line ").replace(",", ""))
    for n, verdict in ((last - 1, "ok"), (last, "recalibrate")):
        part = tmp_path / f"part{n}.csv"
        part.write_text("\n".join(lines[:n]) + "\n")
        assert watched(file, part, settings).verdict == verdict


def test_without_labels_scores_are_compared(file, tmp_path):
    same = watched(file, write_scores(tmp_path / "same.csv", labels=False))
    moved = watched(file, write_scores(tmp_path / "moved.csv", labels=False, moved=1.0))
    assert same.verdict == "ok"
    assert "without labels calibration is not tested" in same.reasons[0]
    assert moved.verdict == "recalibrate"
    assert "label some rows" in moved.reasons[0]
    assert moved.shift.test.p_value < 0.001
    assert moved.needed.rows is not None
    assert moved.needed.seen is None
    assert moved.n_no_label == 400


def test_with_labels_that_hold_a_shift_alone_is_ok(file, tmp_path):
    report = watched(file, write_scores(tmp_path / "moved.csv", moved=1.0))
    assert report.shift.test.p_value < 0.001
    assert report.verdict == "ok"


def test_a_gate_that_keeps_no_scores_says_so(file, tmp_path):
    evidence = {name: one for name, one in file.evidence.items() if name != "reference"}
    older = from_json(to_json(replace(file, evidence=evidence)))
    report = watched(older, write_scores(tmp_path / "new.csv", labels=False))
    assert report.shift is None
    assert "nothing was tested" in report.reasons[0]
    assert any("keeps no distribution of its scores" in note for note in report.notes)
    assert all(one.before is None for one in report.shares)


@pytest.mark.parametrize("scores", [{"n": "1 1"}, {"values": "0.2 0.1", "n": "1 1"},
                                    {"values": "0.2.1", "n": "1"}])  # fmt: skip
def test_kept_scores_that_are_no_distribution_are_refused(file, tmp_path, scores):
    kept = file.evidence["reference"]
    wrong = {**kept, "scores": {**kept["scores"], **scores}}
    broken = replace(file, evidence={**file.evidence, "reference": wrong})
    with pytest.raises(InputError, match="rising values and a count for each"):
        watched(broken, write_scores(tmp_path / "new.csv"))


def test_dialogues_of_the_evidence_are_refused(file, tmp_path):
    path = write_scores(tmp_path / "evidence.csv", 10)
    with pytest.raises(LeakageError, match="built on 10 of the 10 dialogues"):
        watched(file, path)
    report = watched(file, path, replace(FAST, in_sample=True))
    assert report.notes[0].startswith("In-sample: 10 dialogues")


def test_one_class_has_no_line_and_still_a_test(file, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("id,score,correct\n" + "".join(f"n{k},0.{k + 60},0\n" for k in range(30)))
    report = watched(file, path)
    assert isinstance(report.labels.line, Undefined)
    assert report.verdict == "recalibrate"
    assert [one.name for one in report.tests] == ["gap"]


def test_a_single_dialogue_is_too_few(tmp_path):
    file = built(write_scores(tmp_path / "evidence.csv", 50, turns=2, seed=3))
    report = watched(file, write_scores(tmp_path / "new.csv", 1, turns=2))
    assert report.verdict == "ok"
    assert report.reasons == ("There are too few dialogues with labels to test anything.",)


def test_a_gate_that_has_expired_stops(file, tmp_path):
    old = replace(file, limits=GateLimits(expires="2026-05-31"))
    report = watched(old, write_scores(tmp_path / "new.csv"))
    assert report.verdict == "stop"
    assert report.reasons == ("The gate was valid until 2026-05-31.",)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    given = gates.dialogues(12, prefix="n")
    return (
        read_gate(gates.gate(folder / "gate")),
        gates.run(folder / "same", given=given)[0],
        gates.run(folder / "other", given=given, render="chat")[0],
    )


def test_a_run_under_the_same_protocol(runs):
    file, same, _ = runs
    for path in (same, same / "turns.parquet"):
        report = watched(file, path)
        assert report.protocol == "same"
        assert report.differences == ()
        assert report.n_rows == 36
        assert {one.name for one in report.labels.slices} <= {"language", "turn"}


def test_a_run_under_another_protocol_stops_and_names_the_difference(runs, tmp_path):
    file, _, other = runs
    report = watched(file, other)
    assert report.verdict == "stop"
    assert "rendering.style is 'chat', and was measured as 'transcript'" in report.reasons[0]
    accepted = watched(file, other, replace(FAST, accept=("rendering.style", "rendering.texts")))
    assert set(accepted.differences) < set(report.differences)
    alone = tmp_path / "turns.parquet"
    alone.write_bytes((other / "turns.parquet").read_bytes())
    table = watched(file, alone)
    assert table.verdict == "stop"
    assert "the run's folder, given instead of the table" in table.differences[0]


def test_the_runs_own_dialogues_are_refused_by_content(runs):
    file, same, _ = runs
    with pytest.raises(LeakageError, match="24 of the 24"):
        watched(file, same.parent.parent / "gate" / "run")


def test_everything_is_plain_json(file, tmp_path):
    report = watched(file, write_scores(tmp_path / "new.csv"))
    assert isinstance(report.labels.line, Recalibration)
    body = json.loads(json.dumps(plain(report), allow_nan=False))
    assert body["verdict"] == "ok"
    assert body["labels"]["line"]["slope"]["value"] == pytest.approx(report.labels.line.slope.value)


def test_the_order_of_dialogues_decides_the_monitor_only(file, tmp_path):
    path = write_scores(tmp_path / "new.csv", drop=0.1)
    lines = path.read_text().splitlines()
    turned = tmp_path / "turned.csv"
    turned.write_text("\n".join([lines[0], *reversed(lines[1:])]) + "\n")
    one, other = watched(file, path), watched(file, turned)
    assert one.labels.gap.p_value == pytest.approx(other.labels.gap.p_value, rel=1e-9)
    assert one.labels.line.p_value == pytest.approx(other.labels.line.p_value, rel=1e-9)
    assert one.shift == other.shift
    assert np.isclose(one.labels.monitor.e_value, other.labels.monitor.e_value, rtol=1e-9)
    assert one.labels.alarm_line != other.labels.alarm_line


@pytest.mark.parametrize(
    ("setting", "field"),
    [({"alpha": 0.0}, "alpha"), ({"alpha": float("nan")}, "alpha"), ({"drop": 1.0}, "drop"),
     ({"power": -1.0}, "power"), ({"target_error": 0.0}, "target-error"), ({"least_n": 1}, "min-n"),
     ({"resamples": 0}, "resamples"), ({"bins": 0}, "bins")],
)  # fmt: skip
def test_settings_out_of_range_are_refused(setting, field):
    with pytest.raises(InputError) as caught:
        WatchSettings(**setting)
    assert caught.value.field == field
