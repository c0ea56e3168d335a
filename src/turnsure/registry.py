"""Names and where they live.  Naming a thing imports nothing; using it imports one module.

Adding a method is one new file and one row here.  Other packages add theirs through entry points
of the group ``turnsure.estimators``, in the same ``module:attribute`` form.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from importlib.metadata import entry_points
from typing import Any

from turnsure.core.errors import InputError

ESTIMATORS: Mapping[str, str] = {
    "vanilla_verb": "turnsure.estimators.verbalised:vanilla_verb",
    "cot_verb": "turnsure.estimators.verbalised:cot_verb",
    "self_consistency": "turnsure.estimators.self_consistency:self_consistency",
    "adaptive_self_consistency": (
        "turnsure.estimators.adaptive_self_consistency:adaptive_self_consistency"
    ),
    "p_true": "turnsure.estimators.label_probe:p_true",
    "p_sufficient": "turnsure.estimators.label_probe:p_sufficient",
    "p_true_averaged": "turnsure.estimators.p_true_averaged:p_true_averaged",
    "top_k_verb": "turnsure.estimators.top_k_verb:top_k_verb",
    "semantic_consistency": "turnsure.estimators.semantic_consistency:semantic_consistency",
    "sequence_likelihood_mean": (
        "turnsure.estimators.sequence_likelihood:sequence_likelihood_mean"
    ),
    "sequence_likelihood_sum": "turnsure.estimators.sequence_likelihood:sequence_likelihood_sum",
}
"""Factories ``EstimatorSettings -> Estimator``."""

COMBINERS: Mapping[str, str] = {
    "ensemble": "turnsure.estimators.ensemble:cross_fitted",
}
"""Functions ``(base confidences, outcomes, dialogues, *, folds, seed, penalty) -> CrossFitted``."""

WORLDS: Mapping[str, str] = {
    "countries": "turnsure.dialogues.countries:countries_dialogues",
    "countries-gain": "turnsure.dialogues.worlds.of_countries:countries_gain",
    "countries-yes-no": "turnsure.dialogues.worlds.of_countries:countries_yes_no",
    "cities": "turnsure.dialogues.worlds.of_cities:cities",
}
"""Built-in sources ``(n, *, seed) -> list[Dialogue]``."""

CONTROLS: Mapping[str, str] = {
    "placebo": "turnsure.experiment.controls.placebo:placebo",
    "summary": "turnsure.experiment.controls.summary:summary",
    "supplied": "turnsure.experiment.controls.supplied:supplied",
    "protocols": "turnsure.experiment.controls.protocols:protocols",
}
"""Factories ``(RunSpec, Instrument, dialogues) -> Control``."""

READERS: Mapping[str, str] = {
    "qanta": "turnsure.dialogues.readers.qanta:read_qanta",
    "grace": "turnsure.dialogues.readers.grace:read_grace",
    "quizbowl_packet": "turnsure.dialogues.readers.quizbowl_packet:read_quizbowl_packet",
    "twenty_questions": "turnsure.dialogues.readers.twenty_questions:read_games",
    "allenai_20q": "turnsure.dialogues.readers.twenty_questions:read_allenai",
    "sharded": "turnsure.dialogues.readers.sharded:read_sharded",
    "mtbench101": "turnsure.dialogues.readers.mtbench101:read_mtbench101",
    "chat_messages": "turnsure.dialogues.readers.chat_messages:read_chat_messages",
}
"""Readers of public sets ``(path, *, task, log) -> Iterator[Dialogue]``."""

MAPS: Mapping[str, str] = {
    "identity": "turnsure.calibration.maps.identity:FAMILY",
    "platt": "turnsure.calibration.maps.platt:PLAIN",
    "platt_smoothed": "turnsure.calibration.maps.platt:SMOOTHED",
    "temperature": "turnsure.calibration.maps.temperature:FAMILY",
    "beta": "turnsure.calibration.maps.beta:FAMILY",
    "isotonic": "turnsure.calibration.maps.isotonic:FAMILY",
    "histogram": "turnsure.calibration.maps.histogram:WIDTH",
    "histogram_mass": "turnsure.calibration.maps.histogram:MASS",
    "venn_abers": "turnsure.calibration.maps.venn_abers:FAMILY",
}
"""Values of the type :class:`turnsure.calibration.maps.base.Family`."""

CHECKS: Mapping[str, str] = {
    "expression": "turnsure.scenarios.checks.expression:KIND",
    "forgotten_constraint": "turnsure.scenarios.checks.forgotten_constraint:KIND",
    "ignored_correction": "turnsure.scenarios.checks.ignored_correction:KIND",
    "contradiction": "turnsure.scenarios.checks.contradiction:KIND",
    "early_guessing": "turnsure.scenarios.checks.early_guessing:KIND",
    "repetition": "turnsure.scenarios.checks.repetition:KIND",
    "lost_goal": "turnsure.scenarios.checks.lost_goal:KIND",
    "tool_use": "turnsure.scenarios.checks.tool_use:KIND",
    "end_state": "turnsure.scenarios.checks.end_state:KIND",
    "must_say": "turnsure.scenarios.checks.must_say:KIND",
    "python": "turnsure.scenarios.checks.python_function:KIND",
}
"""Values of the type :class:`turnsure.scenarios.checks.base.CheckKind`."""

_TABLES: Mapping[str, Mapping[str, str]] = {
    "estimators": ESTIMATORS,
    "combiners": COMBINERS,
    "worlds": WORLDS,
    "controls": CONTROLS,
    "readers": READERS,
    "maps": MAPS,
    "checks": CHECKS,
}


def names(kind: str) -> tuple[str, ...]:
    """All names of a kind: the built-in ones in their order, then those of other packages."""
    return (*_TABLES[kind], *sorted(set(_plugins(kind)) - set(_TABLES[kind])))


def load(kind: str, name: str) -> Any:
    """Import what ``name`` stands for.

    Raises
    ------
    InputError
        There is no such name; the nearest one is suggested.
    """
    target = _TABLES[kind].get(name) or _plugins(kind).get(name)
    if target is None:
        near = difflib.get_close_matches(name, names(kind), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"there is no {kind.removesuffix('s')} {name!r}{hint}", expected=", ".join(names(kind))
        )
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _plugins(kind: str) -> dict[str, str]:
    return {point.name: point.value for point in entry_points(group=f"turnsure.{kind}")}
