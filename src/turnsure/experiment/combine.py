"""Methods that ask nothing: they combine the confidences of the others, once all are there."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from turnsure import registry
from turnsure.core.confidence import Confidence
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.packed_rows import PackedRows
from turnsure.core.spec import RunSpec
from turnsure.core.turns import PLAIN, TurnRow, TurnsTable
from turnsure.estimators.ensemble import CLIP, CrossFitted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Places = npt.NDArray[np.intp]

FOLDS = 5
PENALTY = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """One combining method.

    Attributes
    ----------
    name
        Method name.
    of
        The methods that it combines.
    seed
        Of the folds.
    """

    name: str
    of: tuple[str, ...]
    seed: int

    @property
    def definition(self) -> dict[str, str]:
        """Its part of the protocol."""
        return {
            "of": ", ".join(self.of),
            "folds": str(FOLDS),
            "penalty": str(PENALTY),
            "clip": str(CLIP),
            "seed": str(self.seed),
        }


def asking_methods(spec: RunSpec) -> tuple[str, ...]:
    """The methods of a spec that ask the model."""
    return tuple(name for name in spec.methods if name not in registry.names("combiners"))


def combinations(spec: RunSpec) -> tuple[Combination, ...]:
    """The combining methods of a spec; each combines all that ask.

    Raises
    ------
    InputError
        There are fewer than two methods to combine.
    """
    of = asking_methods(spec)
    named = [name for name in spec.methods if name not in of]
    if named and len(of) < 2:
        raise InputError(
            f"{named[0]!r} has {len(of)} other methods to combine",
            field="methods",
            expected="two or more beside it",
        )
    return tuple(Combination(name=name, of=of, seed=spec.seed) for name in named)


def with_combinations(table: TurnsTable, methods: Sequence[Combination]) -> TurnsTable:
    """The table with the rows of combining methods, each behind the rows that it combines.

    They are fitted on plain rows for the model's own answer, never on the dialogue they score.
    """
    import numpy as np

    asked = table.packed
    rows, states = asked, asked.groups("dialogue", "turn", "condition", "target")
    for method in methods:
        whole, combined = _combined(asked, states[: len(asked)], method)
        rows = rows.joined(combined)
        states = np.concatenate([states, whole])
    return TurnsTable.of(rows.take(np.argsort(states, kind="stable")))


def with_variant_combinations(
    variant: TurnsTable, plain: TurnsTable, methods: Sequence[Combination]
) -> TurnsTable:
    """A variant's table with the rows of combining methods.

    Methods that the variant leaves alone have the same scores under both protocols, and take part
    with those.
    """
    changed = set(variant.methods)
    own = plain.select(target="answer").packed
    left_alone = own.where("method", lambda name: name not in changed)
    combined = with_combinations(TurnsTable(variant.packed.joined(left_alone)), methods)
    kept = changed | {method.name for method in methods}
    return TurnsTable(combined.packed.where("method", kept.__contains__))


def _combined(
    rows: PackedRows, states: Places, method: Combination
) -> tuple[Places, Iterator[TurnRow]]:
    """The numbers of the states in which a method combines, and its rows there.

    Where one of its methods cannot judge at all, as that of the gold answer, nothing is combined.
    """
    import numpy as np

    of = [np.flatnonzero(rows.each("method", name.__eq__, bool)) for name in method.of]
    whole = functools.reduce(np.intersect1d, [states[places] for places in of])
    firsts = rows.take(np.unique(states, return_index=True)[1][whole])
    # A state has one row a method, so that its rows are in the order of the states' numbers.
    base = [
        rows.take(places[np.argsort(states[places])][np.isin(np.sort(states[places]), whole)])
        for places in of
    ]
    combine = registry.load("combiners", method.name)
    fitted: CrossFitted = combine(
        list(zip(*(map(_value, one) for one in base), strict=True)),
        [_fitted_on(row) for row in firsts],
        [row.dialogue for row in firsts],
        folds=FOLDS,
        seed=method.seed,
        penalty=PENALTY,
    )
    combined = (
        replace(
            row, method=method.name, confidence=_confidence(_no_state(row) or value, row, method)
        )
        for row, value in zip(firsts, fitted.confidence, strict=True)
    )
    return whole, combined


def _no_state(row: TurnRow) -> Failure | None:
    """The reason why a control has no state here, which is that of every method."""
    failed = row.confidence
    return failed if isinstance(failed, Failure) and failed.stage == "control" else None


def _value(row: TurnRow) -> float | None:
    return None if isinstance(row.confidence, Failure) else row.confidence.value


def _fitted_on(row: TurnRow) -> bool | None:
    """The outcome of a plain row for the own answer; None for rows that are only scored."""
    plain = row.condition == PLAIN and row.target == "answer"
    return row.outcome.correct if plain else None


def _confidence(value: float | Failure, row: TurnRow, method: Combination) -> Confidence | Failure:
    if isinstance(value, Failure):
        return replace(value, dialogue=row.dialogue, turn=row.turn, method=method.name)
    return Confidence(value=value, method=method.name, scale="probability", path="combined")
