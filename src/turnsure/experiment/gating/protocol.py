"""The protocol that a gate's scores were measured under, and how the present one differs."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError, ProtocolMismatchError
from turnsure.core.spec import Protocol, RunSpec
from turnsure.estimators.templates import load_templates
from turnsure.experiment.config import make_spec
from turnsure.experiment.instrument import Instrument, build_instrument, template_files

SETTINGS = (
    *("model", "base_url", "dialect", "top_logprobs", "max_n", "seeding", "prefill"),
    *("context", "slots", "gpu_layers"),
    *("samples", "temperature", "label_reading", "answer_tokens", "number_tokens"),
    *("adaptive_batch", "adaptive_half_width", "adaptive_level"),
    *("analysis_tokens", "guesses_tokens", "guesses", "grouping", "embedding_model"),
    *("embedding_threshold", "render", "templates", "seed"),
)
"""Settings of a run that decide how its scores are asked for."""

_MOST_SHOWN = 3
_WORDS_SHOWN = 3


def kept_settings(spec: RunSpec) -> dict[str, Any]:
    """The settings that a gate keeps of a run."""
    return {name: getattr(spec, name) for name in SETTINGS}


def gate_spec(method: str, settings: Mapping[str, Any]) -> RunSpec:
    """The spec under which one method is asked again.

    Raises
    ------
    InputError
        A setting is unknown or has a wrong value; names it.
    """
    unknown = [name for name in settings if name not in SETTINGS]
    if unknown:
        raise InputError(
            "unknown setting",
            field=f"method.settings.{unknown[0]}",
            expected=", ".join(SETTINGS),
        )
    try:
        spec = make_spec({name: one for name, one in settings.items() if one is not None})
        return replace(spec, methods=(method,), gold=False)
    except InputError as error:
        raise InputError(
            error.problem, field=f"method.settings.{error.field}", expected=error.expected
        ) from None


def gate_instrument(spec: RunSpec, *, beside: Path | None = None) -> Instrument:
    """What asks for one method's score, with the wording as it is now.

    Parameters
    ----------
    spec
        Of :func:`gate_spec`.
    beside
        A folder in which a template file is looked for that is not where it was.

    Raises
    ------
    InputError
        The template file is not there, or is wrong.
    """
    if spec.templates is not None and not Path(spec.templates).exists() and beside is not None:
        near = beside / Path(spec.templates).name
        if near.exists():
            spec = replace(spec, templates=str(near))
    return build_instrument(spec, load_templates(*template_files(spec)))


def of_method(protocol: Protocol, method: str) -> Protocol:
    """A protocol without the methods that a gate does not ask.

    Raises
    ------
    InputError
        The protocol has no such method.
    """
    if method not in protocol.estimators:
        raise InputError(
            f"the run has no method {method!r}",
            field="method",
            expected=", ".join(protocol.estimators),
        )
    return replace(protocol, estimators={method: protocol.estimators[method]})


def differences(
    measured: Protocol, present: Protocol, *, accept: Collection[str] = ()
) -> tuple[str, ...]:
    """What differs, a sentence each: ``estimators.p_true.template: … where …``.

    Parameters
    ----------
    measured
        As the gate was measured.
    present
        As it would be asked now.
    accept
        Places that may differ, such as ``model.base_url``.
    """
    before, now = _leaves(measured.body), _leaves(present.body)
    return tuple(
        _difference(place, before.get(place), now.get(place))
        for place in dict.fromkeys((*before, *now))
        if before.get(place) != now.get(place) and place not in accept
    )


def refuse(found: tuple[str, ...], *, can_accept: bool = False) -> ProtocolMismatchError:
    """The error that names what differs and, where that can be said, how it is accepted."""
    more = len(found) - _MOST_SHOWN
    rest = f"; and {more} more" if more > 0 else ""
    place = found[0].split(" ", 1)[0]
    way = f" (where you know that to be harmless, accept {place})" if can_accept else ""
    return ProtocolMismatchError(
        "this gate was measured under another protocol, so its threshold says nothing here: "
        f"{'; '.join(found[:_MOST_SHOWN])}{rest}{way}"
    )


def _leaves(value: object, path: str = "") -> dict[str, object]:
    if not isinstance(value, Mapping):
        return {path: value}
    found: dict[str, object] = {}
    for name, inner in cast("Mapping[str, object]", value).items():
        found |= _leaves(inner, f"{path}.{name}" if path else name)
    return found


def _difference(place: str, before: object, now: object) -> str:
    if isinstance(before, str) and isinstance(now, str):
        was, is_now = _apart(before, now)
        return f"{place} is {is_now}, and was measured as {was}"
    if before is None:
        return f"{place} is {reprlib.repr(now)}, and was not there"
    return f"{place} is not there, and was measured as {reprlib.repr(before)}"


def _apart(left: str, right: str) -> tuple[str, str]:
    """The words where two texts part, with one word around them."""
    before, now = left.split(" "), right.split(" ")
    same = next(
        (
            place
            for place, (one, other) in enumerate(zip(before, now, strict=False))
            if one != other
        ),
        min(len(before), len(now)),
    )
    return _around(before, same), _around(now, same)


def _around(words: list[str], place: int) -> str:
    start, end = max(0, place - 1), place + _WORDS_SHOWN
    head, tail = "…" * (start > 0), "…" * (len(words) > end)
    return repr(f"{head}{' '.join(words[start:end])}{tail}")
