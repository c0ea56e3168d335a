"""What the judge is told."""

from __future__ import annotations

from pathlib import Path

from turnsure.files.texts import Texts, load_texts

_NEEDED = {
    "rubric.text": ("mark", "transcript", "items"),
    "rubric.item": ("name", "ask"),
    "pair.text": ("mark", "first", "second", "question"),
}


def load_judge_wording(file: Path | None = None) -> Texts:
    """The built-in words, with those of a TOML file in their place.

    Raises
    ------
    InputError
        The file is missing or no TOML, names an unknown section or field, or a text lacks a slot.
    """
    return load_texts("turnsure.scenarios.judge", "wording.toml", needed=_NEEDED, file=file)
