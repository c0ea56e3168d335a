"""Conversations that become cards, and whether a card finds what is wrong with its conversation."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import InputError
from turnsure.core.scenario import FAILURE_TYPES, FailureType, Scenario
from turnsure.scenarios.card_text import read_document
from turnsure.scenarios.importing.conversations import Conversation, read_conversations
from turnsure.scenarios.importing.from_transcript import CardParts, FrozenScenario, freeze
from turnsure.scenarios.importing.redaction import Redactor
from turnsure.scenarios.importing.reproducing import Reproduction, reproduces
from turnsure.scenarios.items import extract_items

_BY_TURN = ("sets", "rejects")


def one_conversation(file: Path, pick: str | None) -> Conversation:
    """The conversation of a file, or the one that is picked.

    Raises
    ------
    InputError
        The file cannot be read, holds several and none is picked, or holds none of that name.
    """
    found = read_conversations(file)
    names = [one.id for one in found]
    shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
    if pick is None:
        if len(found) != 1:
            raise InputError(
                f"there are {len(found)} conversations",
                file=file,
                expected=f"one, or --pick with one of {shown}" if names else "one",
            )
        return found[0]
    if pick not in names:
        raise InputError(f"there is no conversation {pick!r}", file=file, expected=shown)
    return found[names.index(pick)]


def failure_type(name: str | None) -> FailureType | None:
    """A failure type by its name.

    Raises
    ------
    InputError
        There is no such type.
    """
    for one in FAILURE_TYPES:
        if name == one:
            return one
    if name is None:
        return None
    raise InputError(f"it is {name!r}", field="failure", expected=", ".join(FAILURE_TYPES))


def read_parts(file: Path) -> CardParts:
    """What a conversation cannot say, from a YAML file with the fields of a card.

    ``sets`` and ``rejects`` have a turn's number before what the user's message of that turn means.

    Raises
    ------
    InputError
        The file cannot be read, or a field is unknown or of the wrong kind.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=file) from error
    try:
        return _parts(read_document(text).value)
    except InputError as error:
        raise error.at(file=file) from None


def _parts(value: Any) -> CardParts:
    if not isinstance(value, Mapping):
        raise InputError("there are no fields here", expected="names and values")
    known = [one.name for one in dataclasses.fields(CardParts)]
    parts: dict[str, Any] = {}
    for name, given in cast("Mapping[str, Any]", value).items():
        if name not in known:
            raise InputError("unknown field", field=name, expected=", ".join(known))
        _check_kind(name, given)
        parts[name] = _by_turn(name, given) if name in _BY_TURN else given
    return CardParts(**parts)


def _check_kind(name: str, given: object) -> None:
    kinds: dict[str, tuple[type, str]] = {
        **dict.fromkeys(("id", "persona", "goal"), (str, "a text")),
        **dict.fromkeys(_BY_TURN, (Mapping, "a turn's number before each value")),
        **dict.fromkeys(("items", "checks", "success", "rubric"), (list, "a list")),
    }
    kind, words = kinds[name]
    if not isinstance(given, kind):
        raise InputError(f"{given!r:.60} does not fit", field=name, expected=words)


def _by_turn(name: str, given: Mapping[Any, Any]) -> dict[int, Any]:
    turns: dict[int, Any] = {}
    for turn, value in given.items():
        if not str(turn).isdecimal():
            raise InputError(f"{turn!r} is no turn", field=name, expected="1, 2, 3 …")
        kind = Mapping if name == "sets" else list
        if not isinstance(value, kind):
            expected = "rules and their values" if name == "sets" else "a list of ids"
            raise InputError(f"{value!r:.60} does not fit", field=name, expected=expected)
        turns[int(turn)] = value
    return turns


def freeze_file(
    file: Path,
    *,
    parts: Path | None,
    pick: str | None,
    redact: str | None,
    builtin: bool,
    folder: Path,
) -> FrozenScenario:
    """Make a card of a conversation in a file.

    Raises
    ------
    InputError
        The file, the parts or the redaction hook are wrong.
    """
    conversation = one_conversation(file, pick)
    given = None if parts is None else read_parts(parts)
    redactor = Redactor(redact, builtin=builtin)
    try:
        return freeze(conversation, given, redactor=redactor, folder=folder)
    except InputError as error:
        if error.line is None:
            raise
        # It stands in a card that was never written; the field is the one of the parts, if any.
        raise InputError(
            error.problem, file=parts or file, field=error.field, expected=error.expected
        ) from None


def replay(
    scenario: Scenario,
    file: Path,
    *,
    turn: int | None,
    failure: str | None,
    pick: str | None,
    redact: str | None,
    builtin: bool,
) -> Reproduction:
    """Ask the checks of a card, as it was edited since, about the conversation it was made of.

    Raises
    ------
    InputError
        The card is of another conversation, or the file cannot be read.
    """
    frozen = freeze(one_conversation(file, pick), redactor=Redactor(redact, builtin=builtin))
    transcript = replace(
        frozen.transcript,
        scenario=scenario.id,
        exchanges=tuple(
            replace(one, items=extract_items(scenario.items, one.replies))
            for one in frozen.transcript.exchanges
        ),
    )
    return reproduces(scenario, transcript, turn=turn, failure=failure_type(failure))
