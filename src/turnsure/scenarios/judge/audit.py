"""The audit of a judge: agreement with people, and three biases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from turnsure.core.errors import UndefinedMetricError
from turnsure.core.judge_audit import Agreement, JudgeAudit
from turnsure.core.results import MetricResult, Undefined
from turnsure.core.tested import LEAST_DIALOGUES, Found
from turnsure.metrics.agreement import cohen_kappa, raw_agreement
from turnsure.metrics.leaning import leaning
from turnsure.scenarios.judge.labels import LabelTable, read_labels

LEAST_ROWS = 20
"""With fewer rows nothing is told: the interval of a rate is then over 40 points wide at ½."""

_FOR: Mapping[str, Mapping[str, float]] = {
    "a": {"a": 1.0, "b": 0.0, "tie": 0.5},
    "b": {"a": 0.0, "b": 1.0, "tie": 0.5},
}
_PASS = {"pass": 1.0, "fail": 0.0}


def audit(
    labels: LabelTable | str | Path, *, resamples: int = 2000, seed: int = 0, level: float = 0.95
) -> JudgeAudit:
    """Hold a judge against people.

    Each bias is the mean over rows of the judge's lead over the human: for preferences a row counts
    1 for the side in question, 0 for the other and ½ for a tie.  That people prefer the longer or
    the first one where it is better cancels.  For verdicts, self-preference is how much more
    lenient than people the judge is with its own model's transcripts than with others'.

    Parameters
    ----------
    labels
        A table, or the file that holds it, as :mod:`turnsure.scenarios.judge.labels` reads it.
    resamples, seed, level
        Of the bootstrap over clusters.

    Returns
    -------
    What fewer than :data:`LEAST_ROWS` rows, or fewer than
    :data:`~turnsure.core.tested.LEAST_DIALOGUES` clusters, bear on is Undefined.

    Raises
    ------
    InputError
        The file cannot be read, or a value in it does not fit.
    """
    table = labels if isinstance(labels, LabelTable) else read_labels(labels)
    settings = _Settings(resamples=resamples, seed=seed, level=level)
    return JudgeAudit(
        kind=table.kind,
        n_rows=len(table.cluster),
        n_no_human=sum(one is None for one in table.human),
        n_no_judge=sum(one is None for one in table.judge),
        with_human=_agreement(table.human, table.judge, table.cluster, settings),
        between_humans=None
        if table.rater2 is None
        else _agreement(table.human, table.rater2, table.cluster, settings),
        position=_position(table, settings),
        verbosity=_verbosity(table, settings),
        self_preference=_self_preference(table, settings),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """Of the bootstrap over clusters."""

    resamples: int
    seed: int
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """How far judge and human went for the side in question.

    ``beside`` marks the rows with which those in question are compared.
    """

    cluster: str
    judge: float
    human: float
    beside: bool = False


def _agreement(
    left: Sequence[str | None],
    right: Sequence[str | None],
    cluster: Sequence[str],
    settings: _Settings,
) -> Agreement:
    both = [
        (group, one, other)
        for group, one, other in zip(cluster, left, right, strict=True)
        if one is not None and other is not None
    ]

    def found(name: str, metric: Callable[..., MetricResult]) -> Found:
        def compute() -> MetricResult:
            return metric(
                left,
                right,
                cluster=cluster,
                resamples=settings.resamples,
                seed=settings.seed,
                level=settings.level,
            )

        return _told(name, [group for group, _, _ in both], compute)

    return Agreement(
        raw=found("raw_agreement", raw_agreement),
        kappa=found("cohen_kappa", cohen_kappa),
        table=Counter((one, other) for _, one, other in both),
    )


def _position(table: LabelTable, settings: _Settings) -> Found:
    name = "position_bias"
    if table.kind == "verdict" or table.first is None:
        return Undefined(name=name, reason="it takes preferences (a, b, tie) and a column position")
    return _lean(name, _towards(table, table.first), settings)


def _verbosity(table: LabelTable, settings: _Settings) -> Found:
    name = "verbosity_bias"
    if table.kind == "verdict" or table.length_a is None or table.length_b is None:
        return Undefined(
            name=name, reason="it takes preferences (a, b, tie) and columns length_a and length_b"
        )
    longer = [
        None if a is None or b is None or a == b else "a" if a > b else "b"
        for a, b in zip(table.length_a, table.length_b, strict=True)
    ]
    return _lean(name, _towards(table, longer), settings)


def _self_preference(table: LabelTable, settings: _Settings) -> Found:
    name = "self_preference_bias"
    if table.kind == "verdict":
        if table.judge_model is None or table.author is None:
            return Undefined(name=name, reason="it takes columns judge_model and author")
        rows = _own_verdicts(table, table.judge_model, table.author)
        return _lean(name, rows, settings, with_beside=True)
    if table.judge_model is None or table.author_a is None or table.author_b is None:
        return Undefined(name=name, reason="it takes columns judge_model, author_a and author_b")
    own = [
        None if model is None or (a == model) is (b == model) else "a" if a == model else "b"
        for model, a, b in zip(table.judge_model, table.author_a, table.author_b, strict=True)
    ]
    return _lean(name, _towards(table, own), settings)


def _towards(table: LabelTable, side: Sequence[str | None]) -> list[_Row]:
    """The rows with both labels in which one side is the one in question."""
    return [
        _Row(cluster=cluster, judge=_FOR[which][judge], human=_FOR[which][human])
        for cluster, human, judge, which in zip(
            table.cluster, table.human, table.judge, side, strict=True
        )
        if human is not None and judge is not None and which is not None
    ]


def _own_verdicts(
    table: LabelTable, models: Sequence[str | None], authors: Sequence[str | None]
) -> list[_Row]:
    """The rows with both labels and a known author; those of other authors stand beside."""
    return [
        _Row(
            cluster=cluster,
            judge=_PASS[judge],
            human=_PASS[human],
            beside=author != model,
        )
        for cluster, human, judge, model, author in zip(
            table.cluster, table.human, table.judge, models, authors, strict=True
        )
        if human is not None and judge is not None and model is not None and author is not None
    ]


def _lean(
    name: str, rows: Sequence[_Row], settings: _Settings, *, with_beside: bool = False
) -> Found:
    """The lead of the judge; ``with_beside``, what it is beyond that over the rows beside."""
    kinds = (False, True) if with_beside else (False,)
    fewest = min(([one for one in rows if one.beside is kind] for kind in kinds), key=len)

    def compute() -> MetricResult:
        return leaning(
            name,
            [one.judge for one in rows],
            [one.human for one in rows],
            cluster=[one.cluster for one in rows],
            beside=[one.beside for one in rows] if with_beside else None,
            resamples=settings.resamples,
            seed=settings.seed,
            level=settings.level,
        )

    return _told(name, [one.cluster for one in fewest], compute)


def _told(name: str, clusters: Sequence[str], compute: Callable[[], MetricResult]) -> Found:
    """A number, where enough rows bear on it."""
    n_clusters = len(set(clusters))
    if len(clusters) < LEAST_ROWS or n_clusters < LEAST_DIALOGUES:
        return Undefined(
            name=name,
            reason=(
                f"it cannot be told from {len(clusters)} rows of {n_clusters} clusters; that takes "
                f"{LEAST_ROWS} rows and {LEAST_DIALOGUES} clusters"
            ),
            n_turns=len(clusters),
        )
    try:
        return compute()
    except UndefinedMetricError as error:
        return Undefined(name=name, reason=str(error), n_turns=len(clusters))
