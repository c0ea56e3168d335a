"""A gate in words, for the terminal: what it does, on what evidence, and where it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from turnsure.calibration.gate_file import GateFile
from turnsure.core.digest import SHORT
from turnsure.report.text import MISSING, count, number, printable

_WIDTH = 76
_METRICS = {
    "log_loss": "log loss",
    "brier": "Brier",
    "ece": "ECE",
    "smooth_ece": "smooth ECE",
    "auroc": "AUROC",
}


def gate_text(gate: GateFile) -> str:
    """Lines of text."""
    return "\n".join(
        (
            f"Gate {gate.digest[:SHORT]} on {printable(gate.method)}",
            *_rule(gate),
            "",
            "Evidence",
            *_evidence(gate.evidence),
            "",
            "Holds for",
            *_validity(gate),
        )
    )


def _rule(gate: GateFile) -> list[str]:
    rule, limits = gate.rule, gate.limits
    lines: list[str] = []
    if rule.answer_at is None:
        lines.append("  never answers: no threshold met its target")
    else:
        lines.append(f"  answers from a probability of {rule.answer_at:.4f} on")
    last = "escalates" if rule.otherwise == "escalate" else "abstains"
    if rule.ask_at is not None:
        since = "else" if rule.ask_at == 0.0 else f"from {rule.ask_at:.4f} on"
        until = "" if limits.most_turns is None else f", before turn {limits.most_turns}"
        lines.append(f"  asks {since}, while asking is allowed{until}")
    lines.append(f"  {last} else; escalates whenever there is no score")
    if limits.irreversible:
        acts = ", ".join(map(printable, limits.irreversible))
        lines.append(f"  always has a person approve: {acts}")
    if limits.expires is not None:
        lines.append(f"  answers nothing after {limits.expires}")
    fitted = gate.map
    lines.append(
        f"  probability from the score by {printable(str(fitted.get('name')))}"
        f"{_feature(str(fitted.get('feature')))}"
    )
    return lines


def _feature(name: str) -> str:
    return "" if name == "none" else f" with {name.replace('_', ' ')}"


def _evidence(evidence: Mapping[str, Any]) -> list[str]:
    fitted, chosen = evidence["fitted"], evidence["chosen"]
    lines = [
        f"  data      {printable(evidence['data']['name'])}, "
        f"{count(evidence['n_rows'], 'row')} of {count(evidence['n_dialogues'], 'dialogue')}, "
        f"{evidence['n_missing']:,} without score or label; {printable(evidence['date'])}, "
        f"turnsure {printable(evidence['package'])}",
        f"  map       {_fitted(fitted)}",
        f"  threshold {_threshold(chosen)}",
        *_wrapped("promise", evidence["guarantee"]),
    ]
    for assumption in evidence["assumptions"]:
        lines += _wrapped("assumes", assumption)
    return [*lines, *_metric_lines(evidence["held_out"])]


def _fitted(fitted: Mapping[str, Any]) -> str:
    if fitted["how"] == "raw":
        return "none: the score is taken as it is"
    return f"{fitted['how']}: fitted on {count(fitted['n_dialogues'], 'dialogue')}"


def _threshold(chosen: Mapping[str, Any]) -> str:
    method = printable(str(chosen["method"])).replace("_", " ")
    if method == "by hand":
        return "set by hand"
    return f"{method}: chosen on {count(chosen['n_dialogues'], 'dialogue')}{_answered(chosen)}"


def _answered(chosen: Mapping[str, Any]) -> str:
    if chosen.get("n_answered") is None:
        return ""
    if chosen["n_answered"] == 0:
        return "; nothing is answered there"
    return f"; {chosen['n_wrong']:,} of {chosen['n_answered']:,} answered wrong"


def _metric_lines(held_out: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = [f"  {'held out':<12}{'raw':>22}{'calibrated':>22}"]
    for name, title in _METRICS.items():
        cells = [_cell(held_out.get(kind, {}).get(name)) for kind in ("raw", "calibrated")]
        lines.append(f"  {title:<12}{cells[0]:>22}{cells[1]:>22}")
    return lines


def _cell(metric: Mapping[str, Any] | None) -> str:
    if metric is None or metric["value"] is None:
        return MISSING
    bounds = ""
    if metric["low"] is not None and metric["high"] is not None:
        low, high = (number(metric[name], "fraction") for name in ("low", "high"))
        bounds = f" [{low}, {high}]"
    return number(metric["value"], "fraction") + bounds


def _validity(gate: GateFile) -> list[str]:
    validity, protocol = gate.validity, gate.protocol
    lines: list[str] = []
    if validity.turns is not None:
        lines.append(f"  turns     {validity.turns[0]} to {validity.turns[1]}")
    if validity.most_characters is not None:
        lines.append(f"  length    up to {validity.most_characters:,} characters")
    if validity.task is not None:
        lines += _wrapped("task", validity.task)
    for name, values in validity.slices.items():
        lines += _wrapped("slice", f"{name}: {', '.join(values)}")
    if protocol is None:
        lines.append("  protocol  none: the scores were made elsewhere, and no model can be asked")
        return lines
    lines.append(f"  protocol  {protocol.digest[:SHORT]}, turnsure {printable(protocol.package)}")
    lines += [
        line
        for name, text in protocol.model.items()
        for line in _wrapped("model", f"{name} {text}")
    ]
    return lines


def _wrapped(title: str, text: str) -> list[str]:
    """A title and a text in lines of a readable length."""
    import textwrap

    lines = textwrap.wrap(printable(text), _WIDTH) or [MISSING]
    return [f"  {title if place == 0 else '':<10}{line}" for place, line in enumerate(lines)]
