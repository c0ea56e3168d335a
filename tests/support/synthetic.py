"""Made-up but plausible report data, built without any metric.

Curves and counts are plain means over the rows, so that the drawings agree with the transcripts;
intervals and the values of the summary metrics are invented.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.evaluation import (
    Evaluation,
    LabelMass,
    Ledger,
    MethodEvaluation,
    ReportData,
    RunCost,
    ScoreCount,
    ScoreDistribution,
    Spending,
)
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.results import (
    Curve,
    CurvePoint,
    Interval,
    MetricResult,
    ReliabilityBin,
    ReliabilityTable,
    Undefined,
)
from turnsure.core.turns import TurnRow, TurnsTable

METHODS = ("vanilla_verb", "cot_verb", "self_consistency", "p_true", "p_sufficient")

COUNTRIES = (
    ("Iceland", ("It is an island.", "It lies in the North Atlantic.", "It has many geysers.",
                 "Its parliament is a thousand years old.", "Its capital is Reykjavik.")),
    ("Chile", ("It has a long coast.", "It grows grapes.", "It lies west of the Andes.",
               "A desert is in its north.", "Its capital is Santiago.")),
    ("Kenya", ("The equator crosses it.", "It has a coast.", "Runners from there win marathons.",
               "It exports tea.", "Its capital is Nairobi.")),
    ("Nepal", ("It has no coast.", "It has high mountains.", "Its flag is no rectangle.",
               "It lies between two very large neighbours.", "Its capital is Kathmandu.")),
    ("Japan", ("It is made of islands.", "Trains there are on time.", "It has an emperor.",
               "Its highest mountain is a volcano.", "Its capital is Tokyo.")),
)  # fmt: skip


@dataclass(frozen=True)
class Style:
    """How a made-up method answers: its bias, its steps, and how often it fails."""

    bias: float = 0.0
    slope: float = 0.6
    step: float | None = None
    failing: float = 0.0
    gold: bool = True
    label_mass: float | None = None


STYLES = {
    "vanilla_verb": Style(bias=0.3, slope=0.2, step=0.1),
    "cot_verb": Style(bias=0.2, slope=0.35, step=0.05, failing=0.06),
    "self_consistency": Style(bias=0.05, slope=0.55, step=0.05),
    "p_true": Style(bias=0.1, slope=0.6, label_mass=0.72),
    "p_sufficient": Style(bias=-0.05, slope=0.75, label_mass=0.58),
}


def make_dialogue(number: int, rng: random.Random) -> Dialogue:
    """One dialogue of 3 to 5 clues."""
    gold, clues = COUNTRIES[number % len(COUNTRIES)]
    n_turns = rng.randint(3, 5)
    hints = tuple(
        Hint(question=None if rng.random() < 0.4 else f"Clue {k + 1}, please?", answer=clue)
        for k, clue in enumerate(clues[5 - n_turns :])
    )
    return Dialogue(
        id=f"country-{number:03d}",
        task="Which country is meant? Answer with its name.",
        hints=hints,
        gold=(gold, gold.upper()),
        meta={"category": "geography"},
    )


def make_rows(
    dialogues: Iterable[Dialogue], styles: dict[str, Style], rng: random.Random
) -> list[TurnRow]:
    """Rows of every dialogue, turn, target and method."""
    rows: list[TurnRow] = []
    for dialogue in dialogues:
        for turn in range(1, dialogue.n_turns + 1):
            rows.extend(_turn_rows(dialogue, turn, styles, rng))
    return rows


def _turn_rows(
    dialogue: Dialogue, turn: int, styles: dict[str, Style], rng: random.Random
) -> list[TurnRow]:
    level = turn / dialogue.n_turns
    right = rng.random() < 0.1 + 0.7 * level
    answer = dialogue.gold[0] if right else rng.choice(("Norway", "Peru", "a country in Asia"))
    if rng.random() < 0.03:
        outcome = Outcome(correct=None, grader="match", reason="refusal")
    elif right:
        outcome = Outcome(correct=True, grader="match", rule="exact", matched=dialogue.gold[0])
    else:
        outcome = Outcome(correct=False, grader="match", rule="no match")
    rows: list[TurnRow] = []
    for method, style in styles.items():
        for target in ("answer", "gold") if style.gold else ("answer",):
            gold = target == "gold"
            rows.append(
                TurnRow(
                    dialogue=dialogue.id,
                    turn=turn,
                    n_turns=dialogue.n_turns,
                    condition="plain",
                    target=target,
                    method=method,
                    answer=dialogue.gold[0] if gold else answer,
                    confidence=_score(method, style, level, right or gold, rng),
                    outcome=Outcome(correct=True, grader="gold") if gold else outcome,
                    reply=None if gold else f"I think it is **{answer}**.",
                    meta=dialogue.meta,
                )
            )
    return rows


def _score(
    method: str, style: Style, level: float, right: bool, rng: random.Random
) -> Confidence | Failure:
    if rng.random() < style.failing:
        return Failure(
            stage="confidence",
            kind="unparsable",
            message="The reply holds no number.",
            method=method,
            raw="I would rather not say.",
        )
    value = 0.2 + style.bias + style.slope * level + (0.1 if right else -0.1) + rng.gauss(0, 0.1)
    value = min(1.0, max(0.0, value))
    if style.step:
        value = min(1.0, round(round(value / style.step) * style.step, 6))
    if style.label_mass is not None:
        return Confidence(
            value=value,
            method=method,
            scale="probability",
            path="logprobs",
            label_mass=min(1.0, max(0.02, rng.gauss(style.label_mass, 0.1))),
            truncated=rng.random() < 0.01,
        )
    return Confidence(
        value=value,
        method=method,
        scale="ordinal",
        path="parsed",
        rule="integer",
        raw=f"Each clue narrows it down, so my confidence is {100 * value:.0f}.",
    )


def evaluate(
    dialogues: Sequence[Dialogue], rows: Sequence[TurnRow], methods: Sequence[str]
) -> Evaluation:
    """Numbers in the shape of an evaluation: means from the rows, intervals invented."""
    first = methods[0] if methods else ""
    graded = [
        row
        for row in rows
        if row.method == first and row.target == "answer" and row.outcome.correct is not None
    ]
    ungraded = Counter(
        row.outcome.reason or ""
        for row in rows
        if row.method == first and row.target == "answer" and row.outcome.correct is None
    )
    right = [float(bool(row.outcome.correct)) for row in graded]
    return Evaluation(
        model="smollm2-135m",
        data="countries",
        protocol="6f1c2ab59d3e40c7a1b2c3d4e5f60718",
        n_dialogues=len(dialogues),
        n_turns=sum(dialogue.n_turns for dialogue in dialogues),
        accuracy=metric("accuracy", _mean(right), "higher", len(right), len(dialogues), 0.05),
        accuracy_by_level=level_curve("accuracy", graded, confidence=False),
        ungraded=dict(ungraded),
        rules={"exact": int(sum(right)), "no match": len(right) - int(sum(right))},
        methods=tuple(
            evaluate_method(method, [row for row in rows if row.method == method], len(dialogues))
            for method in methods
        ),
        cost=RunCost(
            n_requests=1840, n_from_store=212, n_failed=3,
            whole=spending("all", 1625, 512_310, 42_192, 41_960, 40_312, 912.4),
            ledger=Ledger(
                whole=spending("all", 1837, 579_112, 47_712, 47_433, 45_571, 1_031.4),
                by_tag=(
                    spending("answer", 367, 115_824, 38_155, 37_945, 9_113, 271.4),
                    spending("p_true", 1_103, 347_464, 9_171, 9_488, 3_561, 149.3),
                    spending("samples", 367, 115_824, 386, 0, 32_897, 610.7),
                ),
            ),
        ),
    )  # fmt: skip


def spending(
    tag: str, n_sent: int, sent: int, evaluated: int, distinct: int, decoded: int, seconds: float
) -> Spending:
    """What was spent for a step."""
    return Spending(
        tag=tag, n_sent=n_sent, prompt_tokens=sent, evaluated_tokens=evaluated,
        distinct_tokens=distinct, completion_tokens=decoded, n_uncounted=0, seconds=seconds,
    )  # fmt: skip


def evaluate_method(method: str, rows: Sequence[TurnRow], n_dialogues: int) -> MethodEvaluation:
    """One method's numbers."""
    own = [row for row in rows if row.target == "answer"]
    gold = [row for row in rows if row.target == "gold"]
    scored = [
        row
        for row in own
        if isinstance(row.confidence, Confidence) and row.outcome.correct is not None
    ]
    values = [row.confidence.value for row in scored]
    right = [float(bool(row.outcome.correct)) for row in scored]
    n = len(scored)
    lost = len(own) - n

    def number(name: str, value: float, direction: str, spread: float = 0.04):
        if not n:
            return Undefined(name=name, reason="no scored turns", n_failed=lost)
        return metric(name, value, direction, n, n_dialogues, spread, lost)

    gap = abs(_mean(values) - _mean(right))
    metrics = {
        "info_ece": number("info_ece", gap + 0.04, "lower"),
        "kendall_tau": number("kendall_tau", _mean(values) - 0.3, "higher", 0.06),
        "kendall_tau_gold": number("kendall_tau_gold", _mean(values) - 0.2, "higher", 0.06),
        "ece": number("ece", gap + 0.06, "lower"),
        "smooth_ece": number("smooth_ece", gap + 0.05, "lower"),
        "brier": number(
            "brier",
            _mean([(v - r) ** 2 for v, r in zip(values, right, strict=True)]),
            "lower",
            0.02,
        ),
        "auroc": number("auroc", min(0.9, 0.55 + 0.01 * len(method)), "higher", 0.05),
        "mean_confidence": number("mean_confidence", _mean(values), "none"),
    }
    if not gold:
        metrics["kendall_tau_gold"] = Undefined(name="kendall_tau_gold", reason="no gold rows")
    masses = [
        row.confidence.label_mass
        for row in own
        if isinstance(row.confidence, Confidence) and row.confidence.label_mass is not None
    ]
    return MethodEvaluation(
        method=method,
        n_rows=len(own),
        n_scored=n,
        failures=_kinds(own),
        gold_failures=_kinds(gold),
        metrics=metrics,
        sensitivity=tuple(
            MetricResult(
                name="info_ece", value=gap + 0.04 + 0.004 * k, n_turns=n, direction="lower",
                definition={"bins": bins, "binning": binning},
            )
            if n
            else Undefined(name="info_ece", reason="no scored turns")
            for k, (bins, binning) in enumerate(
                (bins, binning) for binning in ("width", "mass") for bins in (5, 10, 20)
            )
        ),
        confidence_by_level=level_curve("confidence", scored, confidence=True),
        accuracy_by_level=level_curve("accuracy", scored, confidence=False),
        reliability=reliability(values, right),
        scores=distribution(values, right),
        label_mass=LabelMass(
            mean=_mean(masses),
            lowest=min(masses),
            n_low=sum(mass < 0.5 for mass in masses),
            n_truncated=sum(
                isinstance(row.confidence, Confidence) and row.confidence.truncated for row in own
            ),
            n_turns=len(masses),
        )
        if masses
        else None,
    )  # fmt: skip


def metric(
    name: str,
    value: float,
    direction: str,
    n_turns: int,
    n_dialogues: int,
    spread: float,
    n_failed: int = 0,
) -> MetricResult | Undefined:
    """A metric with an invented interval, or Undefined without rows."""
    if not n_turns:
        return Undefined(name=name, reason="no graded turns")
    return MetricResult(
        name=name,
        value=value,
        interval=Interval(
            low=value - spread, high=value + spread, method="cluster_bootstrap", n_resamples=2000
        ),
        n_turns=n_turns,
        n_dialogues=n_dialogues,
        n_failed=n_failed,
        direction=direction,
    )


def level_curve(name: str, rows: Sequence[TurnRow], *, confidence: bool) -> Curve:
    """Means by information level in ten bins."""
    groups: dict[int, list[float]] = {}
    for row in rows:
        value = row.confidence.value if confidence else float(bool(row.outcome.correct))
        groups.setdefault((row.turn * 10 - 1) // row.n_turns, []).append(value)
    return Curve(
        name=name,
        x_label="information level",
        y_label=name,
        points=tuple(
            CurvePoint(
                x=(bin_ + 1) / 10,
                y=_mean(values),
                low=max(0.0, _mean(values) - 0.5 / len(values) ** 0.5),
                high=min(1.0, _mean(values) + 0.5 / len(values) ** 0.5),
                n=len(values),
            )
            for bin_, values in sorted(groups.items())
        ),
        n_turns=len(rows),
    )


def reliability(values: Sequence[float], right: Sequence[float]) -> ReliabilityTable:
    """Ten bins of equal width."""
    bins: list[ReliabilityBin] = []
    for k in range(10):
        inside = [i for i, value in enumerate(values) if min(9, int(value * 10)) == k]
        n = len(inside)
        mean = _mean([values[i] for i in inside]) if n else None
        accuracy = _mean([right[i] for i in inside]) if n else None
        bins.append(
            ReliabilityBin(
                lower=k / 10,
                upper=(k + 1) / 10,
                n=n,
                mean_confidence=mean,
                accuracy=accuracy,
                gap=None if mean is None or accuracy is None else accuracy - mean,
                accuracy_interval=None
                if accuracy is None
                else Interval(
                    low=max(0.0, accuracy - 0.9 / (n + 4) ** 0.5),
                    high=min(1.0, accuracy + 0.9 / (n + 4) ** 0.5),
                    method="wilson",
                ),
            )
        )
    return ReliabilityTable(bins=tuple(bins), n_turns=len(values))


def distribution(values: Sequence[float], right: Sequence[float]) -> ScoreDistribution:
    """Fifty bars of equal width."""
    places = [min(49, int(value * 50)) for value in values]
    counts = Counter(values)
    return ScoreDistribution(
        bars=tuple(
            ScoreCount(
                lower=k / 50,
                upper=(k + 1) / 50,
                n=places.count(k),
                n_correct=int(sum(r for place, r in zip(places, right, strict=True) if place == k)),
            )
            for k in range(50)
        ),
        n_distinct=len(counts),
        most_common=tuple(counts.most_common(5)),
        n_turns=len(values),
    )


def report_data(
    dialogues: Sequence[Dialogue], styles: dict[str, Style], *, seed: int = 7
) -> ReportData:
    """Everything that a page is drawn from, for the given dialogues and methods."""
    rows = make_rows(dialogues, styles, random.Random(seed))
    return ReportData(
        evaluation=evaluate(dialogues, rows, tuple(styles)),
        dialogues=tuple(dialogues),
        table=TurnsTable.of(rows),
        facts=(("turnsure", "0.1.0"), ("seed", str(seed)), ("temperature", "0")),
        created="2026-01-02 03:04 UTC",
    )


def synthetic(
    n_dialogues: int = 60, styles: dict[str, Style] | None = None, *, seed: int = 7
) -> ReportData:
    """The usual case: countries, five methods."""
    rng = random.Random(seed)
    dialogues = [make_dialogue(number, rng) for number in range(n_dialogues)]
    return report_data(dialogues, STYLES if styles is None else styles, seed=seed)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _kinds(rows: Iterable[TurnRow]) -> dict[str, int]:
    return dict(Counter(row.confidence.kind for row in rows if isinstance(row.confidence, Failure)))


SCRIPT = "<script>document.title='owned'</script>"
HANDLER = '"><img src=x onerror="document.title=\'owned\'">'
NASTY = (
    SCRIPT,
    HANDLER,
    "</style></svg></details><script>document.title='owned'</script>",
    '<a href="https://example.org/">link</a>',
    r"\( \frac{a}{b} \) {{ 7 * 7 }} {% raw %} & 'quotes'",
    "שלום عالم \u202etxet desrever",
    "bell \x07 escape \x1b[31m nul \x00 half a pair \ud83d",
    "javascript:document.title='owned'",
)


def hostile() -> ReportData:
    """Data in which every text that a user or a model can choose tries to be something else."""
    methods = {text: Style(failing=0.2) for text in NASTY}
    dialogues = [
        Dialogue(
            id=f"{text} {k}",
            task=f"Task {text}",
            hints=(
                Hint(question=f"Question {text}", answer=f"Hint {text}"),
                Hint(answer=f"{text} plain clue"),
            ),
            gold=(f"Gold {text}",),
            meta={f"key {text}": f"value {text}"},
        )
        for k, text in enumerate(NASTY)
    ]
    rows = [
        _nasty_row(row, turn_text=NASTY[k // (2 * len(methods)) % len(NASTY)], text=NASTY[k % 7])
        for k, row in enumerate(make_rows(dialogues, methods, random.Random(3)))
    ]
    evaluation = evaluate(dialogues, rows, tuple(methods))
    return ReportData(
        evaluation=replace(
            evaluation,
            model=f"model {NASTY[0]}",
            data=f"data {NASTY[1]}",
            protocol=f"{SCRIPT} protocol",
            ungraded={f"reason {text}": 1 for text in NASTY},
            rules={f"rule {text}": 1 for text in NASTY},
        ),
        dialogues=tuple(dialogues),
        table=TurnsTable.of(rows),
        facts=tuple((f"fact {text}", f"value {text}") for text in NASTY),
        created=f"then {SCRIPT}",
    )


def _nasty_row(row: TurnRow, *, turn_text: str, text: str) -> TurnRow:
    if isinstance(row.confidence, Failure):
        confidence = replace(
            row.confidence, kind=f"kind {text}", message=f"says {text}", raw=f"raw {text}"
        )
    else:
        confidence = replace(row.confidence, raw=f"raw {text}")
    return replace(
        row,
        answer=f"Answer {turn_text}",
        reply=f"Reply {turn_text}",
        condition=f"condition {SCRIPT}",
        confidence=confidence,
        outcome=Outcome(
            correct=None if row.turn == 1 else True,
            grader=f"grader {turn_text}",
            rule=f"rule {turn_text}",
            matched=f"matched {turn_text}",
            reason=f"reason {turn_text}",
        ),
    )
