"""Runs on a small closed world, made without a model: dialogues, rows, and what is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from tests.support import synthetic
from turnsure.core.closed_world import ClosedWorld
from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.evaluation import ReportData
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.experiment.closed_world import closed_world

CANDIDATES = tuple(f"c{k}" for k in range(8))
LEFT = (4, 2, 6, 1)
"""How many candidates remain at each turn; the third one corrects the second."""

SPEC = RunSpec(resamples=60)

Sure = Callable[[int, int], float | None]
"""From how many candidates remain at a turn, and the dialogue's number, to a confidence."""


def dialogue(number: int, left: Sequence[int] = LEFT, **changes: object) -> Dialogue:
    """A dialogue whose last turn leaves ``c0``, the accepted answer, and no false clue hides it."""
    hints = tuple(
        Hint(answer=f"Clue {k}.", corrects=k if k and left[k] > left[k - 1] else None)
        for k in range(len(left))
    )
    fields: dict[str, object] = {
        "id": f"d{number}",
        "task": "Name it.",
        "hints": hints,
        "gold": ("c0", "C Zero"),
        "candidates": CANDIDATES,
        "remaining": tuple(tuple(range(n)) for n in left),
        **changes,
    }
    return Dialogue(**fields)  # pyright: ignore[reportArgumentType]


def rows(
    given: Sequence[Dialogue], methods: Mapping[str, Sure], answer: str = "c0"
) -> list[TurnRow]:
    """Rows for the own answer, which is the same throughout, and for the gold answer."""
    found: list[TurnRow] = []
    for number, one in enumerate(given):
        for turn in range(1, one.n_turns + 1):
            n_left = len(one.remaining[turn - 1]) if one.remaining else 0
            for method, sure in methods.items():
                value = sure(n_left, number)
                for target in ("answer", "gold"):
                    right = target == "gold" or answer in one.gold
                    found.append(
                        TurnRow(
                            dialogue=one.id, turn=turn, n_turns=one.n_turns, condition="plain",
                            target=target, method=method,
                            answer=answer if target == "answer" else one.gold[0],
                            confidence=_confidence(value, method),
                            outcome=Outcome(correct=right, grader="match"),
                        )
                    )  # fmt: skip
    return found


def found(
    methods: Mapping[str, Sure], n: int = 12, *, left: Sequence[int] = LEFT, answer: str = "c0"
) -> ClosedWorld:
    """What is found of methods on ``n`` dialogues."""
    given = [dialogue(number, left) for number in range(n)]
    world = closed_world(TurnsTable.of(rows(given, methods, answer)), given, SPEC)
    assert world is not None
    return world


def with_world(world: ClosedWorld) -> ReportData:
    """A page's data with this chapter."""
    data = synthetic.synthetic(3)
    return replace(data, evaluation=replace(data.evaluation, closed_world=world))


def ideal(n_left: int, number: int) -> float:
    """What a perfect reasoner says of a candidate that fits."""
    return 1 / n_left


def identified(n_left: int, number: int) -> float:
    """What it says of whether enough is known."""
    return float(n_left == 1)


def flat(n_left: int, number: int) -> float:
    """Never moves."""
    return 0.5


def contrary(n_left: int, number: int) -> float:
    """Surer the more remain."""
    return min(1.0, 0.1 + 0.1 * n_left)


def noisy(n_left: int, number: int) -> float:
    """Goes up in one dialogue and down in the next."""
    return 0.5 + 0.05 * (n_left - 3) * (1 if number % 2 else -1)


def failing(n_left: int, number: int) -> None:
    """Has no confidence."""
    return


METHODS: dict[str, Sure] = {
    "p_true": ideal,
    "p_sufficient": identified,
    "vanilla_verb": flat,
    "cot_verb": contrary,
    "self_consistency": noisy,
    "broken": failing,
}


def _confidence(value: float | None, method: str) -> Confidence | Failure:
    if value is None:
        return Failure(stage="confidence", kind="unparsable", message="?")
    return Confidence(value=value, method=method, scale="probability", path="logprobs")
