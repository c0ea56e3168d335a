"""Numbers and names as a person reads them; shared by the page, the charts and the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

from turnsure.core.results import Interval, MetricResult, Undefined

Unit = Literal["percent", "fraction"]

MISSING = "—"
"""Stands wherever there is no number."""

_SMALLEST_P = 0.001


def number(value: float, unit: Unit) -> str:
    """``0.1234`` as ``12.3`` (percent) or ``.123`` (fraction), with a true minus sign."""
    digits = f"{abs(100.0 * value):.1f}" if unit == "percent" else f"{abs(value):.3f}"
    sign = "−" if value < 0 and digits.strip("0.") else ""
    return sign + (digits if unit == "percent" else digits.removeprefix("0"))


def signed(value: float, unit: Unit) -> str:
    """A difference with its sign: ``+12.3``, ``−.120``; none where it rounds to 0."""
    shown = number(value, unit)
    return f"+{shown}" if value > 0 and shown.strip("0.") else shown


def p_value(p: float | None) -> str:
    """``.012``, ``<.001``, or a dash where there was no test."""
    if p is None:
        return MISSING
    return "<.001" if p < _SMALLEST_P else number(p, "fraction")


def interval(bounds: Interval, unit: Unit) -> str:
    """The two bounds in brackets."""
    return f"[{number(bounds.low, unit)}, {number(bounds.high, unit)}]"


def interval_kind(bounds: Interval) -> str:
    """What an interval is, for example ``95 % cluster bootstrap, 2,000 resamples``."""
    text = f"{100.0 * bounds.level:g} % {bounds.method.replace('_', ' ')}"
    if bounds.n_resamples is not None:
        text += f", {bounds.n_resamples:,} resamples"
    return text


def provenance(result: MetricResult | Undefined) -> str:
    """Everything that a number must not travel without, in one line."""
    if isinstance(result, Undefined):
        return f"not defined: {result.reason}"
    parts = [count(result.n_turns, "scored turn")]
    if result.n_dialogues is not None:
        parts.append(count(result.n_dialogues, "dialogue"))
    if result.n_failed:
        parts.append(f"{result.n_failed:,} left out")
    if result.interval is not None:
        parts.append(interval_kind(result.interval))
    parts += [f"{key.replace('_', ' ')}: {value}" for key, value in result.definition.items()]
    parts += [f"{key.replace('_', ' ')}: {value}" for key, value in result.details.items()]
    return "; ".join(parts)


def score(value: float) -> str:
    """A confidence in percent, with one decimal only where it is needed: ``80``, ``41.3``."""
    return f"{100.0 * value:.1f}".removesuffix(".0")


def count(n: int, noun: str) -> str:
    """``1 turn``, ``2 turns``, ``1,200 turns``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def kinds(counts: Mapping[str, int]) -> str:
    """Counts by kind, most frequent first: ``unparsable 10, timeout 2``."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{printable(kind)} {n:,}" for kind, n in ordered if n)


def setting(value: object) -> str:
    """A setting as its user would write it: ``yes``, ``a, b``, or a dash where there is none."""
    if value is None or value == [] or value == ():
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(setting(one) for one in cast("Sequence[object]", value))
    return str(value)


def printable(text: str) -> str:
    """``text`` on one line, with control, direction and other invisible characters as spaces.

    Escape sequences would change a terminal, control characters are not allowed in an SVG file,
    and a direction mark would turn the rest of a sentence around.
    """
    return "".join(character if character.isprintable() else " " for character in text)


def shortened(text: str, limit: int) -> str:
    """``text`` in at most ``limit`` characters, the end replaced by an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"
