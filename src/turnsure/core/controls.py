"""What the controls of a run found, together."""

from __future__ import annotations

from dataclasses import dataclass, field

from turnsure.core.question_controls import ProtocolEffects, SuppliedEffects
from turnsure.core.turn_controls import FormatEffects, PlaceboEffects


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlEffects:
    """Everything that a run's controls found; None for those that were not run."""

    placebo: PlaceboEffects | None = None
    formats: tuple[FormatEffects, ...] = field(default=())
    supplied: SuppliedEffects | None = None
    protocols: ProtocolEffects | None = None

    @property
    def any(self) -> bool:
        """Whether there is anything to show."""
        return bool(self.placebo or self.formats or self.supplied or self.protocols)
