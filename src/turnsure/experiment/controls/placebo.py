"""Placebo turns: what a hint that says nothing does to the confidence.

Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 5.3.  At turn i there
are three states: before (the plain turn i − 1), after the real hint (the plain turn i), and after
a placebo in its place.  Only the third is asked here; the others are rows of the run itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.dialogue import NOTE, Dialogue, Hint
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow
from turnsure.dialogues.placebo import (
    PlaceboPool,
    choose_turns,
    load_pool,
    placebo_hint,
    placebo_prefix,
    pool_for,
)
from turnsure.experiment.instrument import Instrument
from turnsure.experiment.measure import Measurement, Place
from turnsure.grading.normalise import normal

NAME = "placebo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placebo:
    """Measures the state after a placebo.

    Attributes
    ----------
    measurement
        How a state is measured.
    pools
        By name.
    chosen
        Name of the pool for each dialogue, by id.
    which, seed
        Which turns are tested, and the seed that chooses turns and placebos.
    """

    measurement: Measurement
    pools: Mapping[str, PlaceboPool]
    chosen: Mapping[str, str]
    which: str | float
    seed: int

    @property
    def name(self) -> str:
        return NAME

    @property
    def definition(self) -> Mapping[str, str]:
        parts = {"turns": str(self.which), "seed": str(self.seed)}
        for name, pool in self.pools.items():
            parts |= {f"pool {name}: {key}": text for key, text in pool.definition.items()}
        return parts

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """A placebo needs no more than a plain turn."""

    def upper_bound(self) -> Placebo:
        return self

    def measure(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        pool = self.pools[self.chosen[dialogue.id]]
        rows: list[TurnRow] = []
        for turn in choose_turns(dialogue, which=self.which, seed=self.seed):
            hint = placebo_hint(pool, dialogue, turn, seed=self.seed, normalise=normal)
            if isinstance(hint, Failure):
                place = Place(dialogue=dialogue, turn=turn, condition=NAME)
                rows += self.measurement.missing(place, hint)
                continue
            rows += yield from self.measurement.state(
                dialogue,
                placebo_prefix(dialogue, turn, hint),
                turn=turn,
                condition=NAME,
                notes={f"{NOTE}pool": pool.name, f"{NOTE}hint": _said(hint)},
            )
        return rows


def placebo(spec: RunSpec, instrument: Instrument, dialogues: Sequence[Dialogue]) -> Placebo:
    """Build the control; the pools are read now.

    Raises
    ------
    InputError
        The pool's file is wrong.
    """
    if spec.placebo_pool is None:
        chosen = {one.id: pool_for(one) for one in dialogues}
        pools = {name: load_pool(name) for name in sorted(set(chosen.values()))}
    else:
        pool = load_pool(spec.placebo_pool)
        chosen = {one.id: pool.name for one in dialogues}
        pools = {pool.name: pool}
    return Placebo(
        measurement=instrument.measurement,
        pools=pools,
        chosen=chosen,
        which=spec.placebo_turns,
        seed=spec.seed,
    )


def _said(hint: Hint) -> str:
    return hint.answer if hint.question is None else f"{hint.question} {hint.answer}"
