"""What no score and no circumstance may bring a gate to do."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.calibration.fitting import fit
from turnsure.calibration.gate_file import GateFile
from turnsure.calibration.gate_parts import GateLimits, GateValidity
from turnsure.calibration.labelled import LabelledScores
from turnsure.core.decision import DecisionRule
from turnsure.core.outcome import Failure
from turnsure.experiment.gating.judge import Circumstances, Judge

SHARE = st.floats(0.0, 1.0)
TODAY = datetime.date(2026, 6, 1)
ROWS = LabelledScores.of([0.2, 0.4, 0.6, 0.9], [1, 0, 0, 1])
MAPS = {name: fit(name, ROWS) for name in ("identity", "platt")}
MISSING = Failure(stage="confidence", kind="unparsable", message="no number")


@st.composite
def rules(draw: st.DrawFn) -> DecisionRule:
    answer_at = draw(st.none() | SHARE)
    most = 1.0 if answer_at is None else answer_at
    return DecisionRule(
        answer_at=answer_at,
        ask_at=draw(st.none() | st.floats(0.0, most)),
        otherwise=draw(st.sampled_from(["escalate", "abstain"])),
    )


LIMITS = st.builds(
    GateLimits,
    most_turns=st.none() | st.integers(1, 4),
    irreversible=st.sampled_from([(), ("pay",)]),
    expires=st.sampled_from([None, "2026-05-31", "2026-06-01"]),
)
CIRCUMSTANCES = st.builds(
    Circumstances,
    turn=st.none() | st.integers(1, 5),
    n_turns=st.none() | st.integers(1, 5),
    may_ask=st.booleans(),
    irreversible=st.booleans(),
    act=st.sampled_from([None, "pay", "greet"]),
    slices=st.sampled_from([{}, {"language": "en"}, {"language": "fr"}]),
)


@pytest.mark.parametrize("name", MAPS)
@given(
    rule=rules(),
    limits=LIMITS,
    at=CIRCUMSTANCES,
    score=st.just(MISSING) | SHARE,
)
def test_it_answers_only_where_everything_allows_it(name, rule, limits, at, score):
    fitted = MAPS[name]
    file = GateFile(
        method="p_true",
        settings={},
        rule=rule,
        map=fitted.to_json(),
        limits=limits,
        validity=GateValidity(turns=(1, 3), slices={"language": ("en",)}),
        evidence={},
        protocol=None,
        run_digest=None,
    )
    decision = Judge(file=file, map=fitted, today=lambda: TODAY).decide(score, at)
    undone = at.irreversible or at.act in limits.irreversible
    if decision.failure is not None or undone:
        assert decision.action == "escalate"
    if decision.action == "answer":
        assert rule.answer_at is not None
        assert decision.probability == fitted.apply(score)[0] >= rule.answer_at
        assert limits.expires != "2026-05-31"
        assert at.turn in (None, 1, 2, 3)
        assert at.slices.get("language") != "fr"
    if decision.action == "ask":
        assert at.may_ask
        assert limits.most_turns is None or (at.turn or 0) < limits.most_turns
    assert (decision.probability is None) == (decision.failure is not None)
    assert decision.reasons
