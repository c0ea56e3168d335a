"""Protocol sensitivity: the same run under other wordings, renderings, label orders and contexts.

Each variant changes one thing of the run's protocol and has a protocol digest of its own.  Its
rows are kept in a table of their own; nothing pools them with the run's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import InputError
from turnsure.core.protocols import Capabilities, Flow
from turnsure.core.spec import RunSpec
from turnsure.core.turns import TurnRow
from turnsure.estimators.templates import Templates, load_templates, swap_labels
from turnsure.experiment.instrument import Instrument, build_instrument

NAME = "protocols"
PREFIX = "protocol:"
"""A condition that begins so belongs to a variant, and its rows to a table of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocols:
    """Measures the plain turns under other protocols.

    Attributes
    ----------
    variants
        Instruments by name; each differs from the run's in one thing, and holds only the methods
        for which that makes a difference.
    """

    variants: Mapping[str, Instrument]

    @property
    def name(self) -> str:
        return NAME

    @property
    def definition(self) -> Mapping[str, str]:
        return {"variants": ", ".join(self.variants)}

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        for variant in self.variants.values():
            for estimator in variant.measurement.estimators:
                estimator.check(capabilities, model=model)

    def upper_bound(self) -> Protocols:
        return self

    def measure(self, dialogue: Dialogue) -> Flow[list[TurnRow]]:
        rows: list[TurnRow] = []
        for name, variant in self.variants.items():
            for turn in range(1, dialogue.n_turns + 1):
                rows += yield from variant.measurement.state(
                    dialogue, dialogue.prefix(turn), turn=turn, condition=f"{PREFIX}{name}"
                )
        return rows


def protocols(spec: RunSpec, instrument: Instrument, dialogues: Sequence[Dialogue]) -> Protocols:
    """Build the variants that the spec names, or all that change anything.

    Raises
    ------
    InputError
        A variant is unknown, or a template file is wrong.
    """
    del dialogues
    files = {Path(file).stem: file for file in spec.wordings}
    if len(files) < len(spec.wordings) or files.keys() & _BUILT_IN.keys():
        raise InputError(
            "two variants would have one name",
            field="wordings",
            expected=f"files of different names, none of them {', '.join(_BUILT_IN)}",
        )
    names = spec.variants or (*_BUILT_IN, *files)
    unknown = [name for name in names if name not in _BUILT_IN and name not in files]
    if unknown:
        raise InputError(
            f"there is no variant {unknown[0]!r}",
            field="variants",
            expected=", ".join((*_BUILT_IN, *files)),
        )
    bare = replace(spec, gold=False)
    built = {
        name: _reworded(bare, Path(files[name])) if name in files else _BUILT_IN[name](bare)
        for name in names
    }
    return Protocols(
        variants={
            name: changed
            for name, one in built.items()
            if (changed := _changed(one, instrument)).measurement.estimators
        }
    )


def _changed(variant: Instrument, base: Instrument) -> Instrument:
    """The variant with the methods that it changes; all of them when the dialogue looks changed."""
    if variant.rendering != base.rendering:
        return variant
    defined = {one.name: one.definition for one in base.measurement.estimators}
    kept = tuple(
        one for one in variant.measurement.estimators if one.definition != defined[one.name]
    )
    return replace(variant, measurement=replace(variant.measurement, estimators=kept))


def _own_templates(spec: RunSpec) -> Templates:
    return load_templates(None if spec.templates is None else Path(spec.templates))


def _other_rendering(spec: RunSpec) -> Instrument:
    other = "chat" if spec.render == "transcript" else "transcript"
    return build_instrument(replace(spec, render=other), _own_templates(spec))


def _swapped(spec: RunSpec) -> Instrument:
    own = _own_templates(spec)
    prompts = {
        name: swap_labels(prompt) if prompt.labels else prompt
        for name, prompt in own.prompts.items()
    }
    return build_instrument(spec, replace(own, prompts=prompts))


def _without_context(spec: RunSpec) -> Instrument:
    return build_instrument(spec, _own_templates(spec), hide_hints=True)


def _built_in_rewording(spec: RunSpec) -> Instrument:
    wording = resources.files("turnsure.experiment.controls").joinpath("reworded.toml")
    with resources.as_file(wording) as file:
        return _reworded(spec, file)


def _reworded(spec: RunSpec, file: Path) -> Instrument:
    return build_instrument(replace(spec, templates=str(file)), load_templates(file))


_BUILT_IN: Mapping[str, Callable[[RunSpec], Instrument]] = {
    "other-rendering": _other_rendering,
    "labels-swapped": _swapped,
    "no-context": _without_context,
    "reworded": _built_in_rewording,
}
