from __future__ import annotations

import random

import pytest

from turnsure.core.errors import InputError
from turnsure.core.results import MetricResult, Undefined
from turnsure.scenarios.judge.audit import LEAST_ROWS, audit
from turnsure.scenarios.judge.labels import read_labels


def table(tmp_path, text, name="labels.csv"):
    file = tmp_path / name
    file.write_text(text)
    return file


def preferences(tmp_path, judge, *, n=240, extra=""):
    """People go by quality; the judge as said, with the same quality before it."""
    draw = random.Random(3)
    lines = ["id,human,judge,position,length_a,length_b,judge_model,author_a,author_b"]
    for place in range(n):
        human = draw.choice(["a", "b", "tie"])
        first = draw.choice("ab")
        long = draw.choice("ab")
        own = draw.choice("ab")
        lengths = "200,100" if long == "a" else "100,200"
        authors = "m,other" if own == "a" else "other,m"
        said = judge(draw, human=human, first=first, long=long, own=own)
        lines.append(f"{place},{human},{said},{first},{lengths},m,{authors}")
    return audit(table(tmp_path, "\n".join(lines) + extra))


def leans(to, share=0.3):
    return lambda draw, **row: row[to] if draw.random() < share else row["human"]


BIASES = {"first": "position", "long": "verbosity", "own": "self_preference"}


@pytest.mark.parametrize("to", BIASES)
def test_a_planted_bias_is_found_and_no_other(tmp_path, to):
    found = preferences(tmp_path, leans(to))
    for name, field in BIASES.items():
        bias = getattr(found, field)
        clear = bias.interval.low > 0 or bias.interval.high < 0
        assert clear is (name == to)
        assert bias.n_turns == 240
    assert getattr(found, BIASES[to]).value == pytest.approx(0.15, abs=0.06)


def test_people_who_prefer_the_first_one_make_no_biased_judge(tmp_path):
    """The judge says what people say, so it leans nowhere, whatever people lean to."""
    found = preferences(tmp_path, lambda draw, **row: row["human"])
    for field in BIASES.values():
        assert getattr(found, field).value == 0.0
        assert getattr(found, field).interval is None
    assert found.with_human.kappa.value == 1.0
    assert found.with_human.kappa.interval is None
    assert found.with_human.raw.interval.low < 1.0


def test_kappa_has_an_interval_and_a_table(tmp_path):
    rows = [("pass", "pass", 20), ("pass", "fail", 5), ("fail", "pass", 10), ("fail", "fail", 15)]
    lines = ["id,human,judge", *(f"x,{h},{j}" for h, j, n in rows for _ in range(n))]
    numbered = [lines[0], *(line.replace("x", str(k)) for k, line in enumerate(lines[1:]))]
    found = audit(table(tmp_path, "\n".join(numbered)))
    kappa = found.with_human.kappa
    assert kappa.value == 0.4
    assert kappa.interval.low < 0.4 < kappa.interval.high
    assert (kappa.n_turns, kappa.n_dialogues) == (50, 50)
    assert found.with_human.table == {(h, j): n for h, j, n in rows}
    assert found.kind == "verdict"
    assert found.between_humans is None
    for bias in (found.position, found.verbosity, found.self_preference):
        assert isinstance(bias, Undefined)


def test_rows_of_one_cluster_belong_together(tmp_path):
    """Ten copies of each of 20 rows tell no more than the 20 rows."""
    rows = [f"{k},{'yes' if k % 2 else 'no'},{'yes' if k % 3 else 'no'}" for k in range(20)]
    once = audit(table(tmp_path, "\n".join(["id,human,judge", *rows]), "one.csv"))
    many = audit(table(tmp_path, "\n".join(["id,human,judge", *rows * 10]), "many.csv"))
    assert many.with_human.kappa.value == once.with_human.kappa.value
    assert many.with_human.kappa.interval.low == pytest.approx(once.with_human.kappa.interval.low)
    assert many.with_human.kappa.n_dialogues == 20
    assert many.with_human.raw.interval.method == "cluster_bootstrap"


def test_few_rows_tell_nothing(tmp_path):
    lines = ["id,human,judge,rater2", *(f"{k},1,{k % 2},1" for k in range(LEAST_ROWS - 1))]
    found = audit(table(tmp_path, "\n".join(lines)))
    assert isinstance(found.with_human.kappa, Undefined)
    assert "cannot be told from 19 rows" in found.with_human.kappa.reason
    assert isinstance(found.between_humans.kappa, Undefined)
    enough = audit(table(tmp_path, "\n".join([*lines, "99,0,0,1"])))
    assert isinstance(enough.with_human.kappa, MetricResult)


def test_many_rows_of_few_clusters_tell_nothing(tmp_path):
    lines = ["id,cluster,human,judge", *(f"{k},{k % 5},1,{k % 2}" for k in range(100))]
    found = audit(table(tmp_path, "\n".join(lines)))
    assert "5 clusters" in found.with_human.kappa.reason


def test_one_label_throughout_leaves_kappa_undefined(tmp_path):
    lines = ["id,human,judge", *(f"{k},pass,pass" for k in range(30))]
    found = audit(table(tmp_path, "\n".join(lines))).with_human
    assert "has no meaning" in found.kappa.reason
    assert found.raw.value == 1.0


def test_blank_and_inconclusive_labels_are_counted_and_left_out(tmp_path):
    lines = ["id,human,judge", *(f"{k},{k % 2},{k % 2}" for k in range(30))]
    lines += ["a,,pass", "b,fail,inconclusive", "c,fail,cannot tell"]
    found = audit(table(tmp_path, "\n".join(lines)))
    assert (found.n_rows, found.n_no_human, found.n_no_judge) == (33, 1, 2)
    assert found.with_human.kappa.n_turns == 30
    assert found.with_human.kappa.n_failed == 3


def test_leniency_with_ones_own_is_held_against_that_with_others(tmp_path):
    """The judge passes everything of its own, and 1 in 5 failures of others."""
    lines = ["id,human,judge,judge_model,author"]
    for k in range(200):
        own = k % 2 == 0
        human = "fail" if k % 4 < 2 else "pass"
        kind = own or k % 20 == 1
        lines.append(f"{k},{human},{'pass' if kind else human},m,{'m' if own else 'n'}")
    found = audit(table(tmp_path, "\n".join(lines))).self_preference
    assert found.value == pytest.approx(0.5 - 0.1)
    assert found.interval.low > 0
    own_only = [lines[0], *(line for line in lines[1:] if line.endswith(",m"))]
    alone = audit(table(tmp_path, "\n".join(own_only))).self_preference
    assert isinstance(alone, Undefined)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("id,human\n1,pass\n", "judge", "no column"),
        ("id,human,judge\n1,pass,pass\n2,pas,pass\n", "line 3", "'pas'"),
        ("id,human,judge\n1,pass,pass\n2,pass,a\n", "line 3", "expected pass, yes"),
        ("id,human,judge\n,pass,pass\n", "line 2", "blank"),
        ("id,human,judge,position\n1,a,b,c\n", "position", "'c'"),
        ("id,human,judge,length_a\n1,a,b,-3\n", "length_a", "'-3'"),
        ("id,human,judge,length_a\n1,a,b,nan\n", "length_a", "'nan'"),
    ],
)
def test_a_table_that_does_not_fit_says_where(tmp_path, text, where, what):
    with pytest.raises(InputError) as error:
        read_labels(table(tmp_path, text))
    assert where in str(error.value)
    assert what in str(error.value)


def test_the_place_of_a_says_which_was_first(tmp_path):
    labels = read_labels(table(tmp_path, "id,human,judge,position\n1,A,b,1\n2,tie,B,2\n3,a,,\n"))
    assert labels.first == ["a", "b", None]
    assert labels.human == ["a", "tie", "a"]
    assert labels.judge == ["b", "b", None]


def test_json_lines_are_read_too(tmp_path):
    rows = '{"id": 1, "human": true, "judge": "no"}\n{"id": 2, "human": 0, "judge": null}\n'
    labels = read_labels(table(tmp_path, rows, "labels.jsonl"))
    assert labels.human == ["pass", "fail"]
    assert labels.judge == ["fail", None]
