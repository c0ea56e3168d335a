"""Prompt templates: the built-in wording, and a user's file that replaces any part of it."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import resources
from pathlib import Path
from typing import Any, cast

from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError

TEMPLATES_FORMAT = 1
HISTORY = "history"
"""The section that words the dialogue itself; read by the rendering, not by a method."""

_SLOT = re.compile(r"\{(question|answer|other|k)\}", re.IGNORECASE)
_SLOTS: Mapping[str, tuple[str, ...]] = {
    "answer": ("question",),
    "top_k_verb": ("question", "k"),
    "same_meaning": ("question", "answer", "other"),
}
"""What a prompt must have a place for, where that is not the question and the answer."""
_HISTORY_SLOT = re.compile(r"\{(?:question|answer)\}")
_N_LABELS = 2
_LIST_FIELDS = ("labels", "placeholder")
_TEXT_FIELDS = ("text", "prefill")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTemplate:
    """One method's prompt.

    Attributes
    ----------
    name
        Of its section.
    text
        With the slots ``{question}`` and, where an answer is judged, ``{answer}``; ``{other}`` is
        a second answer, ``{k}`` a number of guesses.
    labels
        For a label probe: the label that means "yes" first.
    prefill
        Beginning of the reply, for models that continue one.
    placeholder
        Texts that merely echo the instruction.
    file
        The user's file that words it, None for the built-in wording; for messages.
    """

    name: str = ""
    text: str
    labels: tuple[str, ...] = ()
    prefill: str = ""
    placeholder: tuple[str, ...] = ()
    file: Path | None = field(default=None, compare=False)

    def fill(
        self, history: tuple[Message, ...], answer: str | None = None, **others: str
    ) -> tuple[Message, ...]:
        r"""Put the dialogue and the answer in.

        The question slot takes the last message of the rendered dialogue; earlier messages stay
        before it.  Without an answer, ``{answer}`` is no slot but text, as in ``\boxed{answer}``;
        so it is with ``{other}`` and ``{k}`` unless they are among ``others``.
        """
        values = {**others, "question": history[-1].content}
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


def load_templates(*paths: Path) -> Templates:
    """The built-in templates, with those of TOML files in their place, later ones over earlier.

    Raises
    ------
    InputError
        The file is missing or not TOML, names an unknown section or field, or a text lacks one of
        its slots.
    """
    builtin = resources.files("turnsure.estimators").joinpath("wording", "default.toml")
    sections = _sections(tomllib.loads(builtin.read_text(encoding="utf-8")), path=None, known=None)
    file_of: dict[str, Path] = {}
    for path in paths:
        for name, fields in _sections(_read(path), path=path, known=tuple(sections)).items():
            if name == HISTORY:
                _check_history(fields, sections[HISTORY], path)
            sections[name] = {**sections[name], **fields}
            file_of[name] = path
    history = {name: str(text) for name, text in sections.pop(HISTORY).items()}
    prompts = {name: _prompt(name, fields, file_of.get(name)) for name, fields in sections.items()}
    return Templates(prompts=prompts, history=history)


def swap_labels(template: PromptTemplate) -> PromptTemplate:
    """The same probe with its two options in the other order.

    An option is a line that begins with a label and ``.``, ``)`` or ``:``.  The texts behind the
    labels change places, and so do the labels in ``labels``, so that the first one still means
    "yes".

    Raises
    ------
    InputError
        There are not two labels, or one of them does not begin exactly one line.
    """
    if len(template.labels) != _N_LABELS:
        raise InputError(
            f"the probe has {len(template.labels)} labels",
            file=template.file,
            field=f"{template.name}.labels",
            expected="two labels to swap",
        )
    spans: list[tuple[int, int]] = []
    for label in template.labels:
        line = re.compile(rf"^[ \t]*{re.escape(label)}[.):][ \t]*(\S[^\n]*)$", re.MULTILINE)
        found = list(line.finditer(template.text))
        if len(found) != 1:
            raise InputError(
                f"{len(found)} lines offer option {label!r}, so options cannot be swapped",
                file=template.file,
                field=f"{template.name}.text",
                expected=f"one line that begins with {label + '.'!r} for each label",
            )
        spans.append(found[0].span(1))
    (start, end), (next_start, next_end) = sorted(spans)
    text = template.text
    parts = (text[:start], text[next_start:next_end], text[end:next_start], text[start:end])
    swapped = "".join((*parts, text[next_end:]))
    return replace(template, text=swapped, labels=template.labels[::-1])


def _read(path: Path) -> Mapping[str, Any]:
    try:
        # Some editors begin a file with a byte order mark, which TOML does not know.
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
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
        if known is not None and name not in known:
            raise _unknown("section", name, known, path)
        fields = cast("dict[str, Any]", value)
        for part, content in fields.items():
            if name != HISTORY:
                _check_field(f"{name}.{part}", part, content, path)
            elif not isinstance(content, str):
                place = f"{HISTORY}.{part}"
                raise InputError("this is no text", file=path, field=place, expected="a text")
        sections[name] = fields
    return sections


def _check_history(
    fields: Mapping[str, str], builtin: Mapping[str, str], path: Path | None
) -> None:
    """A line must have a place for whatever the built-in one has a place for."""
    for part, text in fields.items():
        if part not in builtin:
            raise _unknown(
                "wording", f"{HISTORY}.{part}", [f"{HISTORY}.{k}" for k in builtin], path
            )
        for slot in _HISTORY_SLOT.findall(builtin[part]):
            if slot not in text:
                raise InputError(
                    f"the text has no {slot}", file=path, field=f"{HISTORY}.{part}", expected=slot
                )


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


def _unknown(kind: str, name: str, known: Sequence[str], path: Path | None) -> InputError:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return InputError(
        f"unknown {kind} {name!r}{hint}", file=path, field=name, expected=", ".join(known)
    )


def _prompt(name: str, fields: Mapping[str, Any], path: Path | None) -> PromptTemplate:
    text = str(fields["text"]).strip("\n")
    slots = {slot.lower() for slot in _SLOT.findall(text)}
    for slot in _SLOTS.get(name, ("question", "answer")):
        if slot not in slots:
            raise InputError(
                f"the text has no {{{slot}}}",
                file=path,
                field=f"{name}.text",
                expected=f"{{{slot}}}",
            )
    return PromptTemplate(
        name=name,
        text=text,
        labels=tuple(fields.get("labels", ())),
        prefill=str(fields.get("prefill", "")),
        placeholder=tuple(fields.get("placeholder", ())),
        file=path,
    )
