"""What confidences say of the turns of test conversations: twists, wrong turns, early answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from turnsure import metrics
from turnsure.core.confidence import Confidence
from turnsure.core.outcome import Failure
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.spec import RunSpec
from turnsure.core.suite_confidence import EarlyGuesses, JudgedTurn, MethodOfSuite
from turnsure.core.tested import Found, TestedChange
from turnsure.experiment.effects.pairing import Turn, boot, corrected, defined, tested_change

LOW = 0.5
"""Below it, a confidence that is a probability says rather no than yes."""


def joined(
    turns: Sequence[JudgedTurn], methods: Sequence[str], spec: RunSpec, *, low: float = LOW
) -> tuple[MethodOfSuite, ...]:
    """Judge every method; the tests at twists are corrected for all of them together (Holm).

    Intervals and tests take runs as the units that were drawn: they speak of more runs of these
    scenarios, not of other scenarios.

    Parameters
    ----------
    turns
        Of all runs.
    methods
        By name, in the order of the result.
    spec
        Seed and resamples.
    low
        Threshold of an early answer, in (0, 1].
    """
    twists = corrected([_twist(turns, method, spec) for method in methods])
    return tuple(
        MethodOfSuite(
            method=method,
            n_turns=len(turns),
            failures=_failures(turns, method),
            mean=_mean(turns, method, spec),
            twist=twist,
            otherwise=_otherwise(turns, method, spec),
            auroc=_auroc(turns, method, spec),
            early=_early(turns, method, low),
        )
        for method, twist in zip(methods, twists, strict=True)
    )


def _value(turn: JudgedTurn, method: str) -> float | None:
    score = turn.scores[method]
    return score.value if isinstance(score, Confidence) else None


def _name(turn: JudgedTurn) -> str:
    return f"{turn.run[0]}/{turn.run[1]}"


def _failures(turns: Sequence[JudgedTurn], method: str) -> dict[str, int]:
    kinds = (score.kind for one in turns if isinstance(score := one.scores[method], Failure))
    return dict(Counter(kinds).most_common())


def _mean(turns: Sequence[JudgedTurn], method: str, spec: RunSpec) -> Found:
    return defined(
        "mean_confidence",
        partial(
            metrics.mean_confidence,
            [_value(one, method) for one in turns],
            dialogue=[_name(one) for one in turns],
            **boot(spec),
        ),
    )


def _changes(
    turns: Sequence[JudgedTurn], method: str, spec: RunSpec, *, at_twists: bool
) -> TestedChange:
    known: dict[Turn, float | None] = {(_name(one), one.turn): _value(one, method) for one in turns}
    chosen = [(_name(one), one.turn) for one in turns if one.turn > 1 and one.is_twist == at_twists]
    if not chosen:
        what = "a twist" if at_twists else "none, and a turn before it"
        reason = f"there is no turn with {what}"
        return TestedChange(change=Undefined(name="paired_change", reason=reason))
    before = {(name, turn): known.get((name, turn - 1)) for name, turn in chosen}
    return tested_change(before, known, chosen, spec)


def _twist(turns: Sequence[JudgedTurn], method: str, spec: RunSpec) -> TestedChange:
    return _changes(turns, method, spec, at_twists=True)


def _otherwise(turns: Sequence[JudgedTurn], method: str, spec: RunSpec) -> Found:
    return _changes(turns, method, spec, at_twists=False).change


def _auroc(turns: Sequence[JudgedTurn], method: str, spec: RunSpec) -> Found:
    kept = [one for one in turns if one.is_wrong is not None]
    if not kept:
        return Undefined(name="auroc", reason="no run was decided")
    if not any(one.is_wrong for one in kept):
        return Undefined(name="auroc", reason="no turn is wrong", n_turns=len(kept))
    if all(one.is_wrong for one in kept):
        return Undefined(name="auroc", reason="every turn is wrong", n_turns=len(kept))
    return defined(
        "auroc",
        partial(
            metrics.auroc,
            [_value(one, method) for one in kept],
            [not one.is_wrong for one in kept],
            dialogue=[_name(one) for one in kept],
            **boot(spec),
        ),
    )


def _early(turns: Sequence[JudgedTurn], method: str, low: float) -> EarlyGuesses:
    shown = [
        (one, value) for one in turns if one.shows and (value := _value(one, method)) is not None
    ]
    early = [one for one, value in shown if value < low]
    rate: Found = Undefined(name="early_guesses", reason="no turn shows an item")
    if shown:
        rate = MetricResult(
            name="early_guesses",
            value=len(early) / len(shown),
            n_turns=len(shown),
            n_dialogues=len({one.run for one, _ in shown}),
            direction="lower",
            definition={"threshold": low},
        )
    return EarlyGuesses(
        threshold=low,
        n_early=len(early),
        n_shown=len(shown),
        n_runs=len({one.run for one in early}),
        rate=rate,
    )
