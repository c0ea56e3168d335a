"""The gate as a value, and as the JSON that it is kept in; no file is touched here.

Two kinds of digest protect the JSON against damage and slips of the hand: one of each part, which
tells *what* was changed, and one of the whole.  Whoever edits a gate on purpose can renew them:
they say that a gate is as it was built, not who built it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, TypeVar, cast

from turnsure.calibration.gate_parts import GateLimits, GateValidity
from turnsure.calibration.schema import Schema, check
from turnsure.core.decision import DecisionRule
from turnsure.core.digest import SHORT, digest
from turnsure.core.errors import InputError
from turnsure.core.spec import Protocol

T = TypeVar("T")

GATE_KIND = "turnsure gate"
GATE_FORMAT = 1
"""Version of the JSON."""

Migration = Callable[[Mapping[str, Any]], Mapping[str, Any]]

MIGRATIONS: Mapping[int, Migration] = {}
"""From the format of a version to that of the next one."""

_PARTS = ("method", "rule", "map", "limits", "validity", "evidence", "protocol")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFile:
    """Everything that a gate is.

    Attributes
    ----------
    method
        Whose confidence.
    settings
        How it is asked for, by the names of :class:`~turnsure.core.spec.RunSpec`.
    rule
        From probability to action.
    map
        As :meth:`turnsure.calibration.fitting.FittedMap.to_json` writes it.
    limits, validity
        What holds whatever the score, and what the evidence covers.
    evidence
        As the schema says.
    protocol
        What makes the score what it is; None where it was made elsewhere.
    run_digest
        Of the protocol of the whole run; None likewise.
    """

    method: str
    settings: Mapping[str, Any]
    rule: DecisionRule
    map: Mapping[str, Any]
    limits: GateLimits
    validity: GateValidity
    evidence: Mapping[str, Any]
    protocol: Protocol | None
    run_digest: str | None

    @property
    def digest(self) -> str:
        """SHA-256 of the JSON, in hexadecimal."""
        return str(to_json(self)["digest"])


def gate_schema() -> Schema:
    """The JSON schema of the present format."""
    text = resources.files("turnsure.calibration").joinpath("gate.schema.json")
    return cast("Schema", json.loads(text.read_text(encoding="utf-8")))


def to_json(gate: GateFile) -> dict[str, Any]:
    """Plain JSON values, in the order in which a person reads them."""
    rule, limits, validity, protocol = gate.rule, gate.limits, gate.validity, gate.protocol
    parts: dict[str, Any] = {
        "method": {"name": gate.method, "settings": dict(gate.settings)},
        "rule": {
            "answer_at": rule.answer_at, "ask_at": rule.ask_at, "otherwise": rule.otherwise
        },
        "map": dict(gate.map),
        "limits": {
            "most_turns": limits.most_turns,
            "irreversible": list(limits.irreversible),
            "expires": limits.expires,
        },
        "validity": {
            "turns": None if validity.turns is None else list(validity.turns),
            "most_characters": validity.most_characters,
            "task": validity.task,
            "closing": validity.closing,
            "slices": {name: list(values) for name, values in validity.slices.items()},
        },
        "evidence": dict(gate.evidence),
        "protocol": None
        if protocol is None
        else {"digest": protocol.digest, "run_digest": gate.run_digest, **protocol.body},
    }  # fmt: skip
    body = {"kind": GATE_KIND, "version": GATE_FORMAT, **parts}
    body["digests"] = {name: digest(parts[name]) for name in _PARTS}
    return {**body, "digest": digest(body)}


def from_json(value: object) -> GateFile:
    """Check plain JSON values, and migrate those of an earlier version.

    Raises
    ------
    InputError
        It is no gate, of a newer version, not as it was built, or not as the schema says; names the
        field.
    """
    body = _known_kind(value)
    _check_digests(body)
    body = migrated(body)
    check(body, gate_schema())
    protocol = _protocol(body["protocol"])
    validity = body["validity"]
    return GateFile(
        method=body["method"]["name"],
        settings=body["method"]["settings"],
        rule=_made(DecisionRule, "rule", body["rule"]),
        map=body["map"],
        limits=_made(
            GateLimits,
            "limits",
            {**body["limits"], "irreversible": tuple(body["limits"]["irreversible"])},
        ),
        validity=GateValidity(
            turns=None if validity["turns"] is None else tuple(validity["turns"]),
            most_characters=validity["most_characters"],
            task=validity["task"],
            closing=validity["closing"],
            slices={name: tuple(values) for name, values in validity["slices"].items()},
        ),
        evidence=body["evidence"],
        protocol=protocol,
        run_digest=None if protocol is None else body["protocol"]["run_digest"],
    )


def migrated(
    body: Mapping[str, Any],
    *,
    migrations: Mapping[int, Migration] = MIGRATIONS,
    to: int = GATE_FORMAT,
) -> Mapping[str, Any]:
    """The same gate in the format of version ``to``, one step a version."""
    for version in range(body["version"], to):
        body = {**migrations[version](body), "version": version + 1}
    return body


def _known_kind(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict) or cast("dict[str, Any]", value).get("kind") != GATE_KIND:
        raise InputError("this is no gate", field="kind", expected=repr(GATE_KIND))
    body = cast("dict[str, Any]", value)
    version = body.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise InputError(f"it is {version!r}", field="version", expected="a whole number from 1 on")
    if version > GATE_FORMAT:
        raise InputError(
            f"the gate is of version {version}",
            field="version",
            expected=f"at most {GATE_FORMAT}; a newer turnsure reads it",
        )
    return body


def _check_digests(body: Mapping[str, Any]) -> None:
    """Refuse a gate that is not as it was built, and say which part is not."""
    kept = body.get("digests")
    if not isinstance(kept, dict):
        raise InputError("the field is missing", field="digests", expected="a digest a part")
    parts = cast("dict[str, Any]", kept)
    for name, known in parts.items():
        if name not in body:
            raise InputError(
                "the field is missing", field=name, expected="the part as it was built"
            )
        if digest(body[name]) != known:
            raise InputError(
                f"this part was changed after the gate was built (its digest is "
                f"{digest(body[name])[:SHORT]}, not {str(known)[:SHORT]})",
                field=name,
                expected="the part as it was built; build the gate anew instead of editing it",
            )
    whole = {name: part for name, part in body.items() if name != "digest"}
    if digest(whole) != body.get("digest"):
        known = (*parts, *_PARTS, "kind", "version", "digests")
        added = [name for name in whole if name not in known]
        what = f"the field {added[0]!r} was added" if added else "the file was changed"
        raise InputError(
            f"{what} after the gate was built",
            field=added[0] if added else "digest",
            expected="the gate as it was built",
        )


def _made(kind: Callable[..., T], part: str, fields: Mapping[str, Any]) -> T:
    """A part of a gate; what is wrong with it is told with its place."""
    try:
        return kind(**fields)
    except InputError as error:
        raise InputError(
            error.problem, field=f"{part}.{error.field}", expected=error.expected
        ) from None


def protocol_of(body: Mapping[str, Any]) -> Protocol:
    """The protocol that JSON values hold, such as those of a gate or of ``run.json``."""
    return Protocol(
        model=body["model"],
        rendering=body["rendering"],
        answer=body["answer"],
        estimators=body["estimators"],
        package=body["package"],
    )


def _protocol(body: Mapping[str, Any] | None) -> Protocol | None:
    if body is None:
        return None
    protocol = protocol_of(body)
    if protocol.digest != body["digest"]:
        raise InputError(
            f"the protocol's texts have the digest {protocol.digest[:SHORT]}",
            field="protocol.digest",
            expected=f"{body['digest'][:SHORT]}",
        )
    return protocol
