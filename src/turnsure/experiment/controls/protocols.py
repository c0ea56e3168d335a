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
from turnsure.experiment.combine import asking_methods
from turnsure.experiment.instrument import Instrument, build_instrument, template_files

NAME = "protocols"
PREFIX = "protocol:"
"""A condition that begins so belongs to a variant, and its rows to a table of their own."""


LEFT_OUT = "left out: "
"""Parts of the definition that begin so name a variant that changes nothing, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocols:
    """Measures the plain turns under other protocols.

    Attributes
    ----------
    variants
        Instruments by name; each differs from the run's in one thing, and holds only the methods
        for which that makes a difference.
    left_out
        Built-in variants that make none, with the reason.
    """

    variants: Mapping[str, Instrument]
    left_out: Mapping[str, str]

    @property
    def name(self) -> str:
        return NAME

    @property
    def definition(self) -> Mapping[str, str]:
        parts = {"variants": ", ".join(self.variants)}
        return parts | {f"{LEFT_OUT}{name}": reason for name, reason in self.left_out.items()}

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
        A variant is unknown, a template file is wrong, or a variant that was named changes nothing.
    """
    del dialogues
    files = _wordings(spec)
    names = spec.variants or (*_BUILT_IN, *files)
    unknown = [name for name in names if name not in _BUILT_IN and name not in files]
    if unknown:
        raise InputError(
            f"there is no variant {unknown[0]!r}",
            field="variants",
            expected=", ".join((*_BUILT_IN, *files)),
        )
    wanted = {*spec.variants, *files}
    variants: dict[str, Instrument] = {}
    left_out: dict[str, str] = {}
    bare = replace(spec, gold=False)
    for name in names:
        try:
            built = _reworded(bare, files[name]) if name in files else _BUILT_IN[name](bare)
            variants[name] = _changed(built, instrument, name)
        except InputError as error:
            if name in wanted:
                raise
            left_out[name] = str(error)
    return Protocols(variants=variants, left_out=left_out)


def _wordings(spec: RunSpec) -> dict[str, Path]:
    """The spec's own wordings by the name of their variant."""
    files = {Path(file).stem: Path(file) for file in spec.wordings}
    if len(files) < len(spec.wordings) or files.keys() & _BUILT_IN.keys():
        raise InputError(
            "two variants would have one name",
            field="wordings",
            expected=f"files of different names, none of them {', '.join(_BUILT_IN)}",
        )
    return files


def _changed(variant: Instrument, base: Instrument, name: str) -> Instrument:
    """The variant with the methods that it changes: all when what the model sees is changed."""
    mine, theirs = variant.protocol({}), base.protocol({})
    if (mine.rendering, mine.answer) != (theirs.rendering, theirs.answer):
        return variant
    kept = tuple(
        one
        for one in variant.measurement.estimators
        if mine.estimators[one.name] != theirs.estimators[one.name]
    )
    if not kept:
        raise InputError(
            f"the variant {name!r} changes no method of this run",
            field="variants",
            expected="a variant of a prompt that is asked",
        )
    return replace(variant, measurement=replace(variant.measurement, estimators=kept))


def _own_templates(spec: RunSpec) -> Templates:
    return load_templates(*template_files(spec))


def _other_rendering(spec: RunSpec) -> Instrument:
    other = "chat" if spec.render == "transcript" else "transcript"
    return build_instrument(replace(spec, render=other), _own_templates(spec))


def _swapped(spec: RunSpec) -> Instrument:
    own, asked = _own_templates(spec), asking_methods(spec)
    prompts = {
        name: swap_labels(prompt) if prompt.labels and name in asked else prompt
        for name, prompt in own.prompts.items()
    }
    return build_instrument(spec, replace(own, prompts=prompts))


def _without_context(spec: RunSpec) -> Instrument:
    """For methods that judge a proposed answer; others would judge an answer of their own."""
    built = build_instrument(spec, _own_templates(spec), hide_hints=True)
    judging = tuple(one for one in built.measurement.estimators if "other" in one.targets)
    if not judging:
        raise InputError(
            "no method of this run judges a proposed answer",
            field="variants",
            expected="a method that does, such as p_true",
        )
    return replace(built, measurement=replace(built.measurement, estimators=judging))


def _built_in_rewording(spec: RunSpec) -> Instrument:
    wording = resources.files("turnsure.experiment.controls").joinpath("reworded.toml")
    with resources.as_file(wording) as file:
        return _reworded(spec, file)


def _reworded(spec: RunSpec, file: Path) -> Instrument:
    """The run's own wording with that of a file over it."""
    return build_instrument(spec, load_templates(*template_files(spec), file))


_BUILT_IN: Mapping[str, Callable[[RunSpec], Instrument]] = {
    "other-rendering": _other_rendering,
    "labels-swapped": _swapped,
    "no-context": _without_context,
    "reworded": _built_in_rewording,
}
