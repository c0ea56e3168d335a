"""What a model's name says of it: its family and its number of parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

_UNITS = {"m": 1e6, "b": 1e9, "t": 1e12}
_SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)([mbt])(?![A-Za-z0-9])", re.IGNORECASE)
_FILE_SUFFIX = re.compile(r"\.gguf$", re.IGNORECASE)
_PACKING = re.compile(
    r"[-_.](?:I?Q\d\w*|[bf]{1,2}p?(?:16|32)|gguf|awq|gptq|int[48]|fp8|mlx)$", re.IGNORECASE
)
"""How weights are stored, which is no part of a family's name."""

_NAME_KEYS = ("model", "name", "general.name", "general.basename")
"""Entries of a fingerprint that hold a model's own name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """A family's name, as written without the size, and the number of parameters."""

    family: str
    parameters: float

    @property
    def size(self) -> str:
        """The number as names write it: ``0.5B``, ``135M``."""
        unit = "B" if self.parameters >= _UNITS["b"] / 2 else "M"
        return f"{self.parameters / _UNITS[unit.lower()]:g}{unit}"


def model_facts(name: str, fingerprint: Mapping[str, str]) -> ModelFacts | None:
    """Family and size from the model's name, or from the names in its fingerprint.

    ``Qwen2.5-0.5B-Instruct`` is the family ``Qwen2.5-Instruct`` with 0.5e9 parameters; instructed
    and base models are different families, and so are versions.  None where no name has a size: a
    size is never guessed, and ``8x7B`` is not the number of parameters of anything.
    """
    for text in (name, *(fingerprint[key] for key in _NAME_KEYS if key in fingerprint)):
        stem = _FILE_SUFFIX.sub("", text.rpartition("/")[2])
        while _PACKING.search(stem):
            stem = _PACKING.sub("", stem)
        found = _SIZE.search(stem)
        if found is not None:
            parts = (stem[: found.start()].rstrip("-_. :"), stem[found.end() :].lstrip("-_. :"))
            family = "-".join(part for part in parts if part)
            if family:
                parameters = float(found[1]) * _UNITS[found[2].lower()]
                return ModelFacts(family=family, parameters=parameters)
    return None


def model_label(model: str) -> str:
    """A run's model as a table calls it: without the back-end's name, folders and file ending."""
    kind, _, rest = model.partition(":")
    if kind == "local" and rest:
        return _FILE_SUFFIX.sub("", PurePath(rest).name)
    return rest if kind == "openai" and rest else model


def data_label(data: str) -> str:
    """A run's data as a table calls it: a world's name, or the file's, or that of its folder."""
    path = PurePath(data)
    return path.parent.name if path.stem == "dialogues" and path.parent.name else path.stem
