"""A confidence: one number in [0, 1] with everything that says how to read it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from turnsure.core.errors import InputError

Scale = Literal["probability", "ordinal"]
Path = Literal["logprobs", "sampled", "parsed", "combined"]
Target = Literal["answer", "gold", "other"]
"""Whose confidence: in the model's own answer, in the gold answer, or in one supplied besides."""

LOW_LABEL_MASS = 0.5
"""Below this, the model put more probability outside the labels than on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """How sure the model is, under one method.  Higher is always surer.

    Attributes
    ----------
    value
        In [0, 1].
    method
        Name of the estimator.
    scale
        ``"probability"`` when the value is a frequency or a probability by construction,
        ``"ordinal"`` when it is a number that the model wrote.
    path
        How it was read: from log-probabilities, by sampling, by parsing text, or combined from
        other methods' confidences.
    label_mass
        For label probes: the probability of all labels together before renormalising, in [0, 1].
    rule
        For parsed numbers: the rule that read it (``"integer"``, ``"percent"``, ``"range"`` …).
    truncated
        True when a label was missing from the list of top tokens and was bounded instead.
    raw
        The text from which the value was read, where there was one.
    request_keys
        Digests of the requests behind the value.
    """

    value: float
    method: str
    scale: Scale
    path: Path
    label_mass: float | None = None
    rule: str | None = None
    truncated: bool = False
    raw: str | None = None
    request_keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.value <= 1.0):
            raise InputError(
                f"confidence {self.value!r} is out of range", field="value", expected="[0, 1]"
            )
        if self.label_mass is not None and not 0.0 <= self.label_mass <= 1.0 + 1e-9:
            raise InputError(
                f"label mass {self.label_mass!r} is out of range",
                field="label_mass",
                expected="[0, 1]",
            )

    @property
    def off_format(self) -> bool:
        """True when the labels got less than half of the probability."""
        return self.label_mass is not None and self.label_mass < LOW_LABEL_MASS
