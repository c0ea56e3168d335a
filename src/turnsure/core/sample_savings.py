"""What adaptive self-consistency saved, and what it changed, on the samples of one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from turnsure.core.tested import Found


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleSavings:
    """Adaptive self-consistency beside self-consistency with all m samples.

    Attributes
    ----------
    samples
        m.
    n_turns, n_failed
        Turns whose own answer the adaptive method gave a confidence, and those where it gave none;
        of the latter nothing below says anything.
    stopped
        Number of samples -> turns at which the own answer needed so many, in ascending order.
    n_drawn
        Samples drawn at these turns for whatever answers were judged there; several answers at a
        turn share their samples, so it is the most that any of them needed.
    differences
        Adaptive − all samples, at the turns that both scored, for the own answer: by metric,
        ``info_ece``, ``kendall_tau``, ``auroc`` and ``mean_confidence``.
    """

    samples: int
    n_turns: int
    n_failed: int
    stopped: Mapping[int, int]
    n_drawn: int
    differences: Mapping[str, Found]

    @property
    def n_full(self) -> int:
        """Samples that self-consistency draws at these turns."""
        return self.samples * self.n_turns

    @property
    def n_used(self) -> int:
        """Samples that the own answers needed."""
        return sum(n * turns for n, turns in self.stopped.items())

    @property
    def saved(self) -> float | None:
        """Share of self-consistency's samples that were not drawn; None without a turn."""
        return 1.0 - self.n_drawn / self.n_full if self.n_full else None
