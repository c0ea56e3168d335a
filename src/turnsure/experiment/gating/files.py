"""Gates on disk: one JSON file each, read with every check and written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from turnsure.calibration.gate_file import GateFile, from_json, to_json
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import without_doubles
from turnsure.store.json_files import write_json

_EXPECTED = "a gate as `turnsure gate build` writes it"


def write_gate(gate: GateFile, path: Path) -> None:
    """Write the JSON, indented; in place only when complete.

    Raises
    ------
    InputError
        A folder is in the way.
    """
    if path.is_dir():
        raise InputError("this is a folder", file=path, expected="a file to write")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, to_json(gate))


def read_gate(path: str | Path) -> GateFile:
    """Read a gate.

    Raises
    ------
    InputError
        The file is missing, cut short, no JSON, no gate, of a newer version, changed after it was
        built, or not as the schema says; names file, line or field.
    """
    file = Path(path)
    try:
        return from_json(_parsed(file))
    except InputError as error:
        raise error.at(file=file) from None


def _parsed(file: Path) -> object:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError("no such file", expected=_EXPECTED) from None
    except IsADirectoryError:
        raise InputError("this is a folder", expected=_EXPECTED) from None
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8", expected=_EXPECTED) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", expected=_EXPECTED) from error
    try:
        return json.loads(text, object_pairs_hook=without_doubles, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        whole = text.strip()
        cut = not whole or (whole.startswith("{") and not whole.endswith("}"))
        # A string without an end reaches to the end of the file.
        cut = cut or error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        what = "the file is cut short" if cut else "this is not JSON"
        raise InputError(
            f"{what}: {error.msg.lower().removesuffix(' at')} at column {error.colno}",
            line=error.lineno,
            expected=_EXPECTED,
        ) from None
    except RecursionError:
        raise InputError("this JSON cannot be read (too deep)", expected=_EXPECTED) from None


def _no_number(name: str) -> Any:
    raise InputError(f"{name} is no number of JSON", expected=_EXPECTED)
