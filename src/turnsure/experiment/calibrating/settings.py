"""What decides the numbers of ``turnsure calibrate``, checked once."""

from __future__ import annotations

from dataclasses import dataclass

from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec

_DEFAULTS = RunSpec()


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationSettings:
    """Settings of a judgement.

    Attributes
    ----------
    bins
        Of the reliability table and of ECE.
    resamples, seed
        Of the bootstrap; the seed is also that of folds.
    level
        Nominal coverage of all intervals.
    least_n
        Rows of a slice below which nothing is claimed about it.
    options
        K of a uniform guess among K options, None where no such baseline is wanted.
    maps
        Calibration maps to try, None for all, empty for none.
    folds
        Of their cross-validation.

    Raises
    ------
    InputError
        A number is out of range; names it.
    """

    bins: int = _DEFAULTS.bins
    resamples: int = _DEFAULTS.resamples
    seed: int = _DEFAULTS.seed
    level: float = 0.95
    least_n: int = 30
    options: int | None = None
    maps: tuple[str, ...] | None = None
    folds: int = 5

    def __post_init__(self) -> None:
        RunSpec(bins=self.bins, resamples=self.resamples, seed=self.seed)
        for name, value, least in (
            ("min-n", self.least_n, 5),
            ("options", self.options, 2),
            ("folds", self.folds, 3),
        ):
            if value is not None and value < least:
                raise InputError(
                    f"it is {value}", field=name, expected=f"a whole number from {least}"
                )
