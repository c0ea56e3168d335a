"""Methods that ask nothing: they combine the confidences of the others, once all are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from turnsure import registry
from turnsure.core.confidence import Confidence
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.core.spec import RunSpec
from turnsure.core.turns import PLAIN, TurnRow, TurnsTable
from turnsure.estimators.ensemble import CLIP, CrossFitted

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
    groups: dict[tuple[str, int, str, str], dict[str, TurnRow]] = {}
    for row in table.rows:
        key = (row.dialogue, row.turn, row.condition, row.target)
        groups.setdefault(key, {})[row.method] = row
    rows = {key: list(group.values()) for key, group in groups.items()}
    for method in methods:
        # Where a method cannot judge at all, as that of the gold answer, nothing is combined.
        whole = {key: group for key, group in groups.items() if group.keys() >= set(method.of)}
        for key, row in zip(whole, _combined(list(whole.values()), method), strict=True):
            rows[key].append(row)
    return TurnsTable.of(row for group in rows.values() for row in group)


def with_variant_combinations(
    variant: TurnsTable, plain: TurnsTable, methods: Sequence[Combination]
) -> TurnsTable:
    """A variant's table with the rows of combining methods.

    Methods that the variant leaves alone have the same scores under both protocols, and take part
    with those.
    """
    changed = set(variant.methods)
    left_alone = plain.where(lambda row: row.target == "answer" and row.method not in changed)
    combined = with_combinations(TurnsTable((*variant.rows, *left_alone.rows)), methods)
    kept = changed | {method.name for method in methods}
    return combined.where(lambda row: row.method in kept)


def _combined(groups: Sequence[dict[str, TurnRow]], method: Combination) -> list[TurnRow]:
    firsts = [next(iter(group.values())) for group in groups]
    combine = registry.load("combiners", method.name)
    fitted: CrossFitted = combine(
        [[_value(group.get(name)) for name in method.of] for group in groups],
        [_fitted_on(row) for row in firsts],
        [row.dialogue for row in firsts],
        folds=FOLDS,
        seed=method.seed,
        penalty=PENALTY,
    )
    return [
        replace(
            row, method=method.name, confidence=_confidence(_no_state(row) or value, row, method)
        )
        for row, value in zip(firsts, fitted.confidence, strict=True)
    ]


def _no_state(row: TurnRow) -> Failure | None:
    """The reason why a control has no state here, which is that of every method."""
    failed = row.confidence
    return failed if isinstance(failed, Failure) and failed.stage == "control" else None


def _value(row: TurnRow | None) -> float | None:
    if row is None or isinstance(row.confidence, Failure):
        return None
    return row.confidence.value


def _fitted_on(row: TurnRow) -> bool | None:
    """The outcome of a plain row for the own answer; None for rows that are only scored."""
    plain = row.condition == PLAIN and row.target == "answer"
    return row.outcome.correct if plain else None


def _confidence(value: float | Failure, row: TurnRow, method: Combination) -> Confidence | Failure:
    if isinstance(value, Failure):
        return replace(value, dialogue=row.dialogue, turn=row.turn, method=method.name)
    return Confidence(value=value, method=method.name, scale="probability", path="combined")
