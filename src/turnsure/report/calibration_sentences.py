"""What a team that ships a score must know of it, in plain sentences."""

from __future__ import annotations

from collections.abc import Sequence

from turnsure.core.calibrated import MapComparison
from turnsure.core.calibration import Baseline, BaselineName, ScoresCalibration
from turnsure.core.chosen import ThresholdChoice
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.slices import SliceRow, SliceTable
from turnsure.core.tested import ALPHA, LEAST_DIALOGUES, Found, clear_sign
from turnsure.report.sentences import size
from turnsure.report.text import count, interval, number, p_value, printable, score, signed

BASELINES: dict[BaselineName, str] = {
    "base_rate": "the base rate for every row",
    "half": "50 % for every row",
    "uniform_guess": "a uniform guess that knows its odds",
}

_MOST_NAMED = 5
"""Slices that one sentence names."""


def verdict_sentences(judged: ScoresCalibration) -> tuple[str, ...]:
    """What was found, most important first; the data themselves come before that."""
    found = [data_sentence(judged), *_few(judged), _overall(judged), _brier(judged)]
    found += [_separation(judged), *_granularity(judged), *_slices(judged.slices)]
    if judged.maps is not None:
        found.append(_maps(judged.maps))
    if judged.choice is not None:
        found += choice_sentences(judged.choice, judged.choice_map)
    return tuple(found)


def data_sentence(judged: ScoresCalibration) -> str:
    """What the numbers rest on, and what is missing."""
    parts = [f"{count(judged.n_scored, 'row')} with score and label"]
    if judged.n_dialogues != judged.n_scored:
        parts.append(f"of {count(judged.n_dialogues, 'dialogue')}")
    accuracy = judged.accuracy
    right = ""
    if isinstance(accuracy, MetricResult):
        bounds = "" if accuracy.interval is None else f" {interval(accuracy.interval, 'percent')}"
        right = f", of which {number(accuracy.value, 'percent')} %{bounds} are right"
    missing = [
        f"{n:,} without a {what}"
        for n, what in ((judged.n_no_score, "score"), (judged.n_no_label, "label"))
        if n
    ]
    left_out = f"; left out: {', '.join(missing)}" if missing else ""
    return f"{' '.join(parts)}{right}{left_out}."


def choice_sentences(
    choice: ThresholdChoice | Undefined, mapped_by: str | None = None
) -> list[str]:
    """The threshold with its promise, or that there is none and what would be needed."""
    if isinstance(choice, Undefined):
        return [f"No threshold: {choice.reason}."]
    found: list[str] = []
    rule = choice.rule
    if rule.answer_at is None:
        needed = "" if choice.needed is None else f" {_closed(choice.needed.reason)}"
        found.append(f"{_closed(choice.reason or 'No threshold meets the target')}{needed}")
    else:
        scale = "a score" if mapped_by is None else f"a probability, mapped by {mapped_by},"
        asks = "" if rule.ask_at is None else f", ask from {score(rule.ask_at)} %"
        found.append(
            f"Answer from {scale} of {score(rule.answer_at)} %{asks}, else {rule.otherwise}."
        )
    if choice.guarantee is not None:
        found.append(_closed(choice.guarantee))
    if choice.assumptions:
        found.append("This assumes: " + " ".join(_closed(one) for one in choice.assumptions))
    stable = choice.stability
    if stable is not None and stable.interval is not None:
        low, high = score(stable.interval.low), score(stable.interval.high)
        between = f"{low} %" if low == high else f"{low} to {high} %"
        none = f", and none in {number(stable.share_none, 'percent')} %" if stable.n_none else ""
        found.append(
            f"Dialogues drawn anew {stable.n_resamples:,} times give a threshold of {between} "
            f"({100.0 * stable.interval.level:g} % of those that give one){none}."
        )
    return found


def baseline_sentence(baseline: Baseline) -> str:
    """How the scores do against one baseline."""
    named = BASELINES[baseline.name]
    beaten = f"{named} ({number(baseline.brier, 'fraction')})"
    if baseline.verdict == "passed":
        return f"better than {beaten} by {size(baseline.difference, 'fraction')}"
    if baseline.verdict == "failed":
        return f"worse than {beaten} by {size(baseline.difference, 'fraction')}"
    return f"not clearly different from {beaten}"


def _few(judged: ScoresCalibration) -> list[str]:
    if judged.n_dialogues >= LEAST_DIALOGUES:
        return []
    return [
        f"With {count(judged.n_dialogues, 'dialogue')} nothing can be claimed: intervals of fewer "
        f"than {LEAST_DIALOGUES} cover too little."
    ]


def _overall(judged: ScoresCalibration) -> str:
    gap = judged.gap
    if isinstance(gap, Undefined):
        return f"How far scores and accuracy lie apart is not defined: {gap.reason}."
    sign = clear_sign(gap)
    if not sign:
        return f"On average, scores and accuracy do not clearly differ (by {_points(gap)})."
    kind = "underconfident" if sign > 0 else "overconfident"
    side = "low" if sign > 0 else "high"
    smooth = _value(judged.smooth_ece)
    typical = f"; without cancelling, {smooth} points (smooth ECE)" if smooth else ""
    return f"Scores are {kind}: {size(gap)} too {side} on average{typical}."


def _brier(judged: ScoresCalibration) -> str:
    brier = judged.brier
    if isinstance(brier, Undefined):
        return f"The Brier score is not defined: {brier.reason}."
    told = "; ".join(map(baseline_sentence, judged.baselines))
    advice = ""
    if any(one.name == "base_rate" and one.verdict == "failed" for one in judged.baselines):
        advice = " As probabilities, these scores are worse than a single number."
    return f"Brier score {number(brier.value, 'fraction')}: {told}.{advice}"


def _separation(judged: ScoresCalibration) -> str:
    auroc = judged.auroc
    if isinstance(auroc, Undefined):
        return f"Whether scores tell right from wrong is not defined: {auroc.reason}."
    bounds = auroc.interval
    shown = "" if bounds is None else f" {interval(bounds, 'fraction')}"
    value = f"AUROC {number(auroc.value, 'fraction')}{shown}"
    trusted = bounds is not None and judged.n_dialogues >= LEAST_DIALOGUES
    if trusted and bounds is not None and bounds.low > 0.5:
        times = f"{100.0 * auroc.value:.0f} times in 100"
        return f"Scores tell right from wrong answers: a right one scores higher {times} ({value})."
    if trusted and bounds is not None and bounds.high < 0.5:
        return f"Scores are the wrong way round: wrong answers score higher ({value})."
    return f"Scores do not clearly tell right from wrong answers ({value})."


def _granularity(judged: ScoresCalibration) -> list[str]:
    fine = judged.granularity
    if not fine.is_coarse:
        return []
    if fine.n_distinct == 1:
        return ["The score takes a single value: it cannot tell any two rows apart."]
    if fine.n_distinct == len(fine.buckets):
        return [
            f"The score takes only {fine.n_distinct} distinct values: treat it as "
            f"{fine.n_distinct} buckets, not as a fine scale."
        ]
    share = number(fine.n_in_buckets / fine.n, "percent")
    return [
        f"{len(fine.buckets)} of {fine.n_distinct:,} distinct values hold {share} % of the rows: "
        "treat the score as buckets, not as a fine scale."
    ]


def _slices(tables: Sequence[SliceTable]) -> list[str]:
    found: list[str] = []
    for kinds, noun, nouns in (
        (("column",), "slice", "slices"),
        (("turn", "level"), "turn or level", "turns or levels"),
    ):
        chosen = [table for table in tables if table.kind in kinds]
        rows = [(table.name, row) for table in chosen for row in table.rows]
        tested = [one for one in rows if one[1].p_holm is not None]
        few = sum(not row.claimed for _, row in rows)
        if tested:
            flagged = sorted(
                (one for one in tested if one[1].flagged),
                key=lambda one: -abs(one[1].difference or 0.0),
            )
            found.append(_flagged(flagged, len(tested), noun, nouns))
        if few:
            least = chosen[0].least_n
            named = f"{noun} has" if few == 1 else f"{nouns} have"
            found.append(
                f"{few:,} {named} fewer than {least} rows, or one dialogue: too few, no claim."
            )
    return found


def _flagged(flagged: Sequence[tuple[str, SliceRow]], n_tested: int, noun: str, nouns: str) -> str:
    if not flagged:
        return (
            f"No {noun} deviates from the rest ({count(n_tested, 'test')}, corrected by Holm's "
            f"method, p < {number(ALPHA, 'fraction')})."
        )
    named = [
        f"{printable(name)} {printable(row.value)} by {signed(row.difference or 0.0, 'percent')} "
        f"points (n = {row.n:,}, p {_equals(row.p_holm)})"
        for name, row in flagged[:_MOST_NAMED]
    ]
    more = len(flagged) - len(named)
    rest = f", and {more} more" if more else ""
    verb = "deviates" if len(flagged) == 1 else "deviate"
    return (
        f"{len(flagged)} of {n_tested:,} {noun if n_tested == 1 else nouns} tested {verb} "
        f"from the rest in accuracy − score, after correction: {'; '.join(named)}{rest}."
    )


def _equals(p: float | None) -> str:
    shown = p_value(p)
    return shown if shown.startswith("<") else f"= {shown}"


def _maps(maps: MapComparison | Undefined) -> str:
    if isinstance(maps, Undefined):
        return f"Calibration maps cannot be compared: {maps.reason}."
    return _closed(maps.verdict)


def _closed(text: str) -> str:
    """A sentence with its full stop."""
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?")) else f"{stripped}."


def _points(result: MetricResult) -> str:
    bounds = "" if result.interval is None else f" {interval(result.interval, 'percent')}"
    return f"{signed(result.value, 'percent')} points{bounds}"


def _value(found: Found) -> str:
    return number(found.value, "percent") if isinstance(found, MetricResult) else ""
