"""From costs or a target to a rule, with what it promises and what the promise rests on.

A threshold must not be chosen on probabilities of a map that was fitted on the same dialogues: the
map would look better than it is.  There are two ways.  A *split* fits the map on some dialogues and
chooses on others; the map is then fixed as far as the choice is concerned, and a guarantee is
exact.  *Cross-fitted* probabilities use every label for both, each row's probability coming from a
map fitted on other dialogues; the map that is used in the end is another one, fitted on all, so
that a guarantee holds as far as that map ranks and places answers like its siblings.  A raw score
has no map and needs neither.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from turnsure.calibration.fitting import FittedMap
from turnsure.calibration.labelled import LabelledScores
from turnsure.calibration.thresholds.cheapest import cheapest, cheapest_rule, cost_of
from turnsure.calibration.thresholds.conformal import conformal_evidence
from turnsure.calibration.thresholds.costs import Costs, Otherwise, optimal_rule
from turnsure.calibration.thresholds.risk import (
    RiskTarget,
    candidates,
    evidence,
    last,
    naive,
)
from turnsure.calibration.thresholds.stability import thinned, threshold_stability
from turnsure.calibration.thresholds.steps import Selector, Steps, by_turn, steps_of
from turnsure.calibration.thresholds.targets import judge_of, needed_for
from turnsure.core.chosen import (
    ThresholdChoice,
    ThresholdEvidence,
    ThresholdStability,
    Unit,
)
from turnsure.core.decision import DecisionRule
from turnsure.core.errors import InputError
from turnsure.experiment.calibrating import promises
from turnsure.numerics.arrays import FloatArray
from turnsure.numerics.inputs import require_length, scored_fractions

_CONFIDENCE = 0.95
"""Of the bound beside a threshold that costs chose."""

_MOST_DRAWS = 20_000_000
_FEWEST_RESAMPLES = 100


def choose(
    rows: LabelledScores,
    *,
    probability: FloatArray | FittedMap | None = None,
    how: promises.How | None = None,
    costs: Costs | None = None,
    target: RiskTarget | None = None,
    ask_at: float | None = None,
    otherwise: Otherwise = "escalate",
    resamples: int = 1000,
    seed: int = 0,
) -> ThresholdChoice:
    """Choose a rule by costs, by a target for the risk, or by both.

    With both, the target has the say over ``answer_at``, which is raised to what costs ask for
    where that is more, as far as the promise is kept; costs alone decide ``ask_at``.  With a target
    alone and dialogues as units everything below ``answer_at`` is asked, since that is the policy
    that the target is about; with rows as units nothing is.

    Parameters
    ----------
    rows
        Labelled scores; for dialogues as units with turns.
    probability
        Of being right, shape (n,), in [0, 1], each from a map that has not seen the row's dialogue;
        or a map that has seen none of them; None to set thresholds on the score itself.
    how
        Where an array of probabilities comes from, for the words of the assumptions; None for
        ``"raw"`` where it equals the score, and ``"cross"`` else.
    costs
        What actions and mistakes cost.
    target
        What share of answers may be wrong.
    ask_at
        With a target: from where on to ask, in [0, 1]; None for what the above says.
    otherwise
        The third action.
    resamples
        Of the bootstrap over dialogues; 0 for none.  Fewer are drawn, but not below 100, where
        resamples × changes of the data would be more than 20 million.
    seed
        Of the bootstrap, and of the draw of one row a dialogue.

    Raises
    ------
    InputError
        There is neither cost nor target, a column does not fit, or the unit does not fit the rows.
    LeakageError
        The map was fitted on a dialogue that it would be judged on.
    """
    given = _Given.of(rows, probability, how)
    if ask_at is not None and target is None:
        raise InputError(
            "it stands without a target", field="ask_at", expected="a target, or costs of questions"
        )
    if target is not None:
        return _by_target(given, target, costs, ask_at, otherwise, resamples=resamples, seed=seed)
    if costs is not None:
        return _by_costs(given, costs, otherwise, resamples=resamples, seed=seed)
    raise InputError(
        "there is nothing to choose by", field="target", expected="costs, a target, or both"
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Given:
    """Rows whose score is the probability, and where that comes from."""

    rows: LabelledScores
    how: promises.How

    @classmethod
    def of(
        cls,
        rows: LabelledScores,
        probability: FloatArray | FittedMap | None,
        how: promises.How | None,
    ) -> _Given:
        if probability is None:
            return cls(rows=rows, how="raw")
        if isinstance(probability, FittedMap):
            return cls(rows=replace(rows, score=probability.on(rows)), how="split")
        kept, column = scored_fractions(probability, "probability")
        require_length(kept.n, "probability", len(rows), "score")
        if how is None:
            how = "raw" if np.array_equal(column, rows.score) else "cross"
        return cls(rows=replace(rows, score=column), how=how)

    def unit(self, target: RiskTarget) -> Unit:
        """What is counted where the target does not say."""
        if target.unit is not None:
            return target.unit
        if self.rows.turn is not None:
            return "dialogue"
        return "row" if len(self.rows) == len(self.rows.groups) else "one_row"


def _by_costs(
    given: _Given, costs: Costs, otherwise: Otherwise, *, resamples: int, seed: int
) -> ThresholdChoice:
    """The optimal rule for calibrated probabilities, the cheapest one for raw scores."""
    by_costs = cost_of(given.rows, optimal_rule(costs, otherwise), costs)
    least = cheapest_rule(given.rows, costs, otherwise)
    calibrated = given.how != "raw"
    rule = (by_costs if calibrated else least).rule
    steps = steps_of(given.rows, "row")
    stability = _stability(
        steps,
        thinned(steps.thresholds(), []),
        cheapest(costs, otherwise),
        resamples=resamples,
        seed=seed,
    )
    return ThresholdChoice(
        rule=rule,
        method="costs",
        unit="row",
        guarantee=None,
        assumptions=(promises.CALIBRATED if calibrated else promises.SAME_COSTS,),
        reason=promises.NOTHING_PAYS if rule.answer_at is None else None,
        needed=None,
        n_units=steps.n_units,
        n_dialogues=len(given.rows.groups),
        n_rows=len(given.rows),
        evidence=None
        if rule.answer_at is None
        else evidence(steps, rule.answer_at, confidence=_CONFIDENCE),
        naive=None,
        stability=stability,
        by_costs=by_costs,
        cheapest=least,
    )


def _by_target(
    given: _Given,
    target: RiskTarget,
    costs: Costs | None,
    ask_at: float | None,
    otherwise: Otherwise,
    *,
    resamples: int,
    seed: int,
) -> ThresholdChoice:
    unit = given.unit(target)
    optimal = None if costs is None else optimal_rule(costs, otherwise)
    ask_at = _ask_at(unit, costs, optimal) if ask_at is None else ask_at
    rows = given.rows if unit != "dialogue" else _until_handed_over(given.rows, ask_at)
    steps = steps_of(rows, unit, seed=seed)
    thresholds = candidates(steps, target)
    if unit == "dialogue" and ask_at is not None:
        thresholds = thresholds[thresholds >= ask_at]
        thresholds = thresholds if len(thresholds) else np.array([ask_at])
    counts = steps.counts(thresholds)
    safe = judge_of(target, thresholds, n_units=steps.n_units, n_most=steps.n_units)(counts)
    place = int(last(safe)[0])
    notes: tuple[str, ...] = ()
    if place >= 0 and optimal is not None and optimal.answer_at is not None:
        raised = int(last(safe & (thresholds >= optimal.answer_at))[0])
        place = raised if raised >= 0 else int(np.argmax(safe[0]))
        notes = () if raised >= 0 else (promises.COSTS_WENT_HIGHER,)
    pays = optimal is None or optimal.answer_at is not None
    answer_at = float(thresholds[place]) if place >= 0 and pays else None
    plain = int(last(naive(target.error)(counts))[0])
    few = thinned(thresholds, _kept(target, thresholds, answer_at))
    judge = judge_of(
        target, few, n_units=steps.n_units, n_most=2 * steps.n_units, n_tests=len(thresholds)
    )

    def at(threshold: float) -> ThresholdEvidence:
        return evidence(steps, threshold, confidence=target.confidence, error=target.error)

    return ThresholdChoice(
        rule=_rule(answer_at, ask_at, otherwise),
        method=target.method,
        unit=unit,
        guarantee=None
        if answer_at is None
        else promises.guarantee(target, unit, answer_at, steps.n_units),
        assumptions=promises.assumptions(
            target, unit, given.how, rows, n_missing=given.rows.n_missing
        )
        + notes,
        reason=None
        if answer_at is not None
        else (promises.NOTHING_SAFE if pays else promises.NOTHING_PAYS),
        needed=needed_for(target, steps, thresholds) if place < 0 else None,
        n_units=steps.n_units,
        n_dialogues=len(rows.groups),
        n_rows=len(given.rows),
        evidence=None if answer_at is None else at(answer_at),
        naive=None if plain < 0 else at(float(thresholds[plain])),
        stability=_stability(
            steps, few, lambda sample: last(judge(sample)), resamples=resamples, seed=seed
        ),
        conformal=conformal_evidence(steps, thresholds, target.error, grid=target.grid is not None)
        if target.method == "conformal"
        else None,
        by_costs=None if costs is None or optimal is None else cost_of(given.rows, optimal, costs),
        cheapest=None if costs is None else cheapest_rule(given.rows, costs, otherwise),
    )


def _ask_at(unit: Unit, costs: Costs | None, optimal: DecisionRule | None) -> float | None:
    """From where on to ask: as costs say, else always where dialogues are what is counted."""
    if optimal is not None and costs is not None and costs.question is not None:
        return optimal.ask_at
    return 0.0 if unit == "dialogue" else None


def _until_handed_over(rows: LabelledScores, ask_at: float | None) -> LabelledScores:
    """The turns that a dialogue reaches: it ends at the first that is too unsure to be asked.

    That turn itself stays.  It is below every threshold that may be chosen.
    """
    if ask_at == 0.0:
        return rows
    _, _, order = by_turn(rows)
    unsure = rows.score[order] < (np.inf if ask_at is None else ask_at)
    group = rows.group[order]
    before = np.cumsum(unsure) - unsure
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    return rows.rows(order[before == before[starts][group]])


def _kept(target: RiskTarget, thresholds: FloatArray, chosen: float | None) -> list[float]:
    """What the bootstrap must not leave out: the starts, and what was chosen."""
    wanted = [*(target.starts or ()), *(() if chosen is None else (chosen,))]
    return np.intersect1d(thresholds, wanted).tolist()


def _rule(answer_at: float | None, ask_at: float | None, otherwise: Otherwise) -> DecisionRule:
    if answer_at is not None and ask_at is not None and ask_at > answer_at:
        ask_at = None
    return DecisionRule(answer_at=answer_at, ask_at=ask_at, otherwise=otherwise)


def _stability(
    steps: Steps, thresholds: FloatArray, select: Selector, *, resamples: int, seed: int
) -> ThresholdStability | None:
    if resamples == 0:
        return None
    most = max(_FEWEST_RESAMPLES, _MOST_DRAWS // len(steps.threshold))
    return threshold_stability(steps, thresholds, select, resamples=min(resamples, most), seed=seed)
