"""What Hinter and Guesser are told: the built-in words, and a user's file that replaces some."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from turnsure.core.built import Game, RefusalReason
from turnsure.core.dialogue import Hint, Message
from turnsure.core.errors import InputError
from turnsure.dialogues.rendering import HistoryWording
from turnsure.files.texts import builtin_fields, own_fields, require_known, text_with

_SLOT = re.compile(r"\{(secret|known)\}")
_ANY_SLOT = re.compile(r"\{(\w+)\}")
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "hinter_20q.text": ("secret", "known"),
    "hinter_guess.text": ("secret", "known"),
    "again.text": ("reason",),
    "guesser.text": ("question",),
    "unique.text": ("question", "answer"),
}
_N_LABELS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompts:
    """All texts, by section and field.

    Attributes
    ----------
    texts
        ``section.field`` and the text.
    labels
        Of the question about uniqueness; the first means that no other answer fits.
    file
        The user's file that replaces some of them, None for the built-in ones.
    """

    texts: Mapping[str, str]
    labels: tuple[str, str]
    file: Path | None = None

    @property
    def definition(self) -> Mapping[str, str]:
        """The wording's part of a protocol."""
        return {**self.texts, "unique.labels": " / ".join(self.labels)}

    @property
    def history(self) -> HistoryWording:
        """How the game so far is shown to the Guesser."""
        return HistoryWording.of(self._section("history"))

    def task(self, game: Game) -> str:
        """What the Guesser is asked, where the secret brings no task of its own."""
        return self.texts[f"task.{game}"]

    def hinter(
        self,
        secret: str,
        known: Sequence[Hint],
        *,
        game: Game,
        refused: RefusalReason | None = None,
    ) -> tuple[Message, ...]:
        """What the Hinter is told: an example with its reply, and then its own secret.

        Parameters
        ----------
        secret
            Its name.
        known
            The hints so far.
        game
            Which kind of hint is wanted.
        refused
            Why the last try was not taken, None at the first.
        """
        example = self._section(f"hinter_{game}")
        shown = _filled(example["text"], example["example_secret"], example["example_known"])
        lines = "\n".join(map(_lines, known)) or self.texts["nothing.text"]
        text = _filled(example["text"], secret, lines)
        if refused is not None:
            reason = self.texts[f"reasons.{refused}"]
            text += self.texts["again.text"].replace("{reason}", reason)
        return (
            Message(role="user", content=shown),
            Message(role="assistant", content=example["example_reply"]),
            Message(role="user", content=text),
        )

    def _section(self, name: str) -> dict[str, str]:
        start = f"{name}."
        return {
            place.removeprefix(start): text
            for place, text in self.texts.items()
            if place.startswith(start)
        }


def _filled(text: str, secret: str, known: str) -> str:
    """A prompt of the Hinter; in one pass, so that a slot written inside a hint stays as it is."""
    values = {"secret": secret, "known": known}
    return _SLOT.sub(lambda slot: values[slot[1]], text)


def _lines(hint: Hint) -> str:
    """A hint in the form in which the Hinter is to write the next."""
    answer = " ".join(hint.answer.split())
    if hint.question is None:
        return f"Clue: {answer}"
    return f"Q: {' '.join(hint.question.split())}\nA: {answer}"


def load_prompts(file: Path | None = None) -> Prompts:
    """The built-in words, with those of a TOML file in their place.

    Raises
    ------
    InputError
        The file is missing or no TOML, names an unknown section or field, or a text lacks one of
        its slots.
    """
    fields = builtin_fields("turnsure.dialogues.hinting", "wording/default.toml")
    if file is not None:
        own = own_fields(file)
        for place, value in own.items():
            _check(place, value, fields, file)
        fields = {**fields, **own}
    labels = cast("list[str]", fields.pop("unique.labels"))
    texts = {place: _trimmed(place, str(text)) for place, text in fields.items()}
    return Prompts(texts=texts, labels=(labels[0], labels[1]), file=file)


def _trimmed(place: str, text: str) -> str:
    """Without line ends around it, except those that part the second try from the first prompt."""
    return text if place == "again.text" else text.strip("\n")


def _check(place: str, value: object, builtin: Mapping[str, object], file: Path) -> None:
    """Refuse a field that is unknown, of another kind, or lacks a slot."""
    require_known(place, builtin, file)
    if place == "unique.labels":
        labels = cast("list[object]", value) if isinstance(value, list) else []
        fits = all(isinstance(one, str) and one for one in labels)
        if not fits or not len(set(labels)) == len(labels) == _N_LABELS:
            raise InputError(
                "there are two different labels", file=file, field=place, expected='["A", "B"]'
            )
        return
    own = str(builtin[place])
    shown = _ANY_SLOT.findall(own) if place.startswith("history.") else _NEEDED.get(place, ())
    text_with(place, value, shown, file)
