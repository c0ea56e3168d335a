"""All controls of a run at once, from its rows."""

from __future__ import annotations

from collections.abc import Mapping

from turnsure.core.controls import ControlEffects
from turnsure.core.spec import RunSpec
from turnsure.core.turns import PLAIN, TurnsTable
from turnsure.experiment.controls import placebo, protocols, summary, supplied
from turnsure.experiment.effects.formats import format_effects
from turnsure.experiment.effects.placebo import placebo_effects
from turnsure.experiment.effects.protocols import protocol_effects
from turnsure.experiment.effects.supplied import supplied_effects


def split_variants(table: TurnsTable) -> tuple[TurnsTable, dict[str, TurnsTable]]:
    """The rows of the run's own protocol, and those of each variant as plain rows."""
    own = table.where_condition(lambda condition: not condition.startswith(protocols.PREFIX))
    variants = {
        condition.removeprefix(protocols.PREFIX): TurnsTable(
            table.select(condition=condition).packed.with_condition(PLAIN)
        )
        for condition in table.conditions
        if condition.startswith(protocols.PREFIX)
    }
    return own, variants


def control_effects(
    table: TurnsTable,
    variants: Mapping[str, TurnsTable],
    spec: RunSpec,
    *,
    definitions: Mapping[str, Mapping[str, str]],
    digests: Mapping[str, str],
) -> ControlEffects:
    """What the controls that the spec names found.

    Parameters
    ----------
    table
        All rows of the run's own protocol.
    variants
        Rows of the variants, by name.
    spec
        Names the controls, and sets bins, resamples and seed.
    definitions
        Each control's own words.
    digests
        Protocol digest of each variant.
    """
    plain = table.select(condition=PLAIN)
    named = spec.controls
    conditions = (summary.JOINED, summary.NAME) if summary.NAME in named else ()
    return ControlEffects(
        placebo=placebo_effects(
            plain, table.select(condition=placebo.NAME), spec, definitions[placebo.NAME]
        )
        if placebo.NAME in named
        else None,
        formats=tuple(
            format_effects(plain, table.select(condition=name), spec, name) for name in conditions
        ),
        supplied=supplied_effects(
            plain,
            table.where_condition(lambda condition: condition.startswith(f"{supplied.NAME}:")),
            spec,
            definitions[supplied.NAME],
        )
        if supplied.NAME in named
        else None,
        protocols=protocol_effects(plain, variants, spec, definitions[protocols.NAME], digests)
        if protocols.NAME in named
        else None,
    )
