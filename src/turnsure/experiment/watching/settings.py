"""What decides the numbers and the verdict of ``turnsure drift``, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec

_DEFAULTS = RunSpec()


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchSettings:
    """Settings.

    Attributes
    ----------
    alpha
        Probability of a false alarm, over all tests together, in (0, 1).
    target_error
        Share of answers that may be wrong; None for the one the gate was built for, if any.
    drop
        The drop of accuracy that should be noticed, in (0, 1).
    power
        With which probability, in (0, 1).
    stream
        Whether the file grows and is looked at again and again, so that monitors decide.
    in_sample
        Whether dialogues that the gate was built on may be among the new ones.
    accept
        Places of the protocol that may differ.
    least_n
        Labelled rows of a slice below which it is not tested.
    bins
        Of ECE.
    resamples, seed
        Of the bootstrap; the seed also draws one row a dialogue.

    Raises
    ------
    InputError
        A number is out of range; names it.
    """

    alpha: float = 0.05
    target_error: float | None = None
    drop: float = 0.05
    power: float = 0.8
    stream: bool = False
    in_sample: bool = False
    accept: tuple[str, ...] = ()
    least_n: int = 30
    bins: int = _DEFAULTS.bins
    resamples: int = _DEFAULTS.resamples
    seed: int = _DEFAULTS.seed

    def __post_init__(self) -> None:
        RunSpec(bins=self.bins, resamples=self.resamples, seed=self.seed)
        for name, value in (
            ("alpha", self.alpha),
            ("target-error", self.target_error),
            ("drop", self.drop),
            ("power", self.power),
        ):
            if value is not None and not 0.0 < value < 1.0:
                raise InputError(
                    f"it is {value:g}", field=name, expected="a number between 0 and 1"
                )
        if self.least_n < 2:
            raise InputError(f"it is {self.least_n}", field="min-n", expected="2 or more")
