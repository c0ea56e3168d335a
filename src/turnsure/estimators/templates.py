"""Prompt templates: the built-in wording, and a user's file that replaces any part of it."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, cast

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError

TEMPLATES_FORMAT = 1
HISTORY = "history"
"""The section that words the dialogue itself; read by the rendering, not by a method."""

_SLOT = re.compile(r"\{(question|answer)\}", re.IGNORECASE)
_N_LABELS = 2
_LIST_FIELDS = ("labels", "placeholder")
_TEXT_FIELDS = ("text", "prefill")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """One method's prompt.

    Attributes
    ----------
    text
        With the slots ``{question}`` and, where an answer is judged, ``{answer}``.
    labels
        For a label probe: the label that means "yes" first.
    prefill
        Beginning of the reply, for models that continue one.
    placeholder
        Texts that merely echo the instruction.
    """

    text: str
    labels: tuple[str, ...] = ()
    prefill: str = ""
    placeholder: tuple[str, ...] = ()

    def fill(self, history: tuple[Message, ...], answer: str | None = None) -> tuple[Message, ...]:
        r"""Put the dialogue and the answer in.

        The question slot takes the last message of the rendered dialogue; earlier messages stay
        before it.  Without an answer, ``{answer}`` is no slot but text, as in ``\boxed{answer}``.
        """
        values = {"question": history[-1].content}
        if answer is not None:
            values["answer"] = answer
        content = _SLOT.sub(lambda slot: values.get(slot[1].lower(), slot[0]), self.text)
        asked = Message(role="user", content=content)
        begun = (Message(role="assistant", content=self.prefill),) if self.prefill else ()
        return (*history[:-1], asked, *begun)

    @property
    def definition(self) -> Mapping[str, str]:
        """The template's part of a protocol."""
        parts = {"template": self.text}
        if self.labels:
            parts["labels"] = " / ".join(self.labels)
        if self.prefill:
            parts["prefill"] = self.prefill
        if self.placeholder:
            parts["placeholder"] = " / ".join(self.placeholder)
        return parts


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """All prompts by name, and the wording of the dialogue."""

    prompts: Mapping[str, PromptTemplate]
    history: Mapping[str, str]

    def __getitem__(self, name: str) -> PromptTemplate:
        return self.prompts[name]


def load_templates(path: Path | None = None) -> Templates:
    """The built-in templates, with those of a user's TOML file in their place.

    Raises
    ------
    InputError
        The file is missing or not TOML, names an unknown section or field, or a text lacks
        ``{question}`` (or ``{answer}``, where an answer is judged).
    """
    builtin = resources.files("turnsure.estimators").joinpath("wording", "default.toml")
    sections = _sections(tomllib.loads(builtin.read_text(encoding="utf-8")), path=None, known=None)
    if path is not None:
        for name, fields in _sections(_read(path), path=path, known=tuple(sections)).items():
            sections[name] = {**sections.get(name, {}), **fields}
    history = sections.pop(HISTORY, {})
    prompts = {name: _prompt(name, fields, path) for name, fields in sections.items()}
    return Templates(prompts=prompts, history={name: str(text) for name, text in history.items()})


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("no such file", file=path, expected="a TOML file of templates") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=path, expected="TOML") from error


def _sections(
    body: Mapping[str, Any], *, path: Path | None, known: tuple[str, ...] | None
) -> dict[str, dict[str, Any]]:
    version = body.get("format", TEMPLATES_FORMAT)
    if version != TEMPLATES_FORMAT:
        raise InputError(f"format {version!r} is unknown", file=path, field="format", expected="1")
    sections: dict[str, dict[str, Any]] = {}
    for name, value in body.items():
        if name == "format":
            continue
        if not isinstance(value, dict):
            raise InputError(
                "this stands outside any section", file=path, field=name, expected="[section] first"
            )
        if known is not None and name != HISTORY and name not in known:
            raise _unknown("section", name, (*known, HISTORY), path)
        fields = cast("dict[str, Any]", value)
        for field, content in fields.items():
            if name != HISTORY:
                _check_field(f"{name}.{field}", field, content, path)
            elif not isinstance(content, str):
                place = f"{HISTORY}.{field}"
                raise InputError("this is no text", file=path, field=place, expected="a text")
        sections[name] = fields
    return sections


def _check_field(place: str, field: str, content: Any, path: Path | None) -> None:
    if field in _TEXT_FIELDS:
        if not isinstance(content, str):
            raise InputError("this is no text", file=path, field=place, expected="a text")
    elif field in _LIST_FIELDS:
        items = cast("list[object]", content) if isinstance(content, list) else [None]
        if not all(isinstance(item, str) and item for item in items):
            raise InputError("this is no list of texts", file=path, field=place, expected="texts")
        if field == "labels" and not len(set(items)) == len(items) == _N_LABELS:
            raise InputError(
                "a probe has two different labels", file=path, field=place, expected='["A", "B"]'
            )
    else:
        raise _unknown("field", field, (*_TEXT_FIELDS, *_LIST_FIELDS), path)


def _unknown(kind: str, name: str, known: tuple[str, ...], path: Path | None) -> InputError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return InputError(
        f"unknown {kind} {name!r}{hint}", file=path, field=name, expected=", ".join(known)
    )


def _prompt(name: str, fields: Mapping[str, Any], path: Path | None) -> PromptTemplate:
    text = str(fields["text"]).strip("\n")
    slots = {slot.lower() for slot in _SLOT.findall(text)}
    for slot in ("question",) if name == "answer" else ("question", "answer"):
        if slot not in slots:
            raise InputError(
                f"the text has no {{{slot}}}",
                file=path,
                field=f"{name}.text",
                expected=f"{{{slot}}}",
            )
    return PromptTemplate(
        text=text,
        labels=tuple(fields.get("labels", ())),
        prefill=str(fields.get("prefill", "")),
        placeholder=tuple(fields.get("placeholder", ())),
    )
