"""``turnsure dialogues split``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError

if TYPE_CHECKING:
    from turnsure.core.dialogue import Dialogue

RECORD = "split.json"
"""How the parts beside it were made."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


def _parts(ctx: click.Context, param: click.Parameter, value: str) -> dict[str, float]:
    """``fit=0.5,test=0.5`` as names and fractions."""
    del ctx, param
    parts: dict[str, float] = {}
    for item in value.split(","):
        name, _, fraction = (text.strip() for text in item.partition("="))
        if not _NAME.fullmatch(name) or name in parts:
            raise InputError(
                f"{item.strip()!r} names no new part",
                field="parts",
                expected="different names of letters, digits, - and _, such as fit=0.5,test=0.5",
            )
        try:
            parts[name] = float(fraction)
        except ValueError:
            raise InputError(
                f"{item.strip()!r} has no fraction", field="parts", expected=f"{name}=0.5"
            ) from None
    return parts


@click.command(
    epilog="""\b
Examples:
  turnsure dialogues split all.jsonl --parts fit=0.5,test=0.5 -o parts
  turnsure dialogues split all.jsonl --parts small=0.1 --by dialogue --seed 7 -o sample
"""
)
@click.argument("file", type=NamedPath())
@click.option(
    "--parts",
    required=True,
    callback=_parts,
    metavar="NAME=FRACTION,…",
    help="Names and fractions, together at most 1; the rest goes nowhere.",
)
@click.option(
    "--by",
    type=click.Choice(["entity", "dialogue"]),
    default="entity",
    help="What is drawn: answers, with all dialogues about them, or dialogues.  [entity]",
)
@click.option("--seed", type=int, default=0, metavar="N", help="Decides the draw.  [0]")
@click.option("--task", metavar="TEXT", help="The task, for dialogues that name none.")
@click.option(
    "--out",
    "-o",
    type=NamedPath("folder"),
    required=True,
    metavar="FOLDER",
    help="Where NAME.jsonl of each part goes.",
)
def split(
    file: Path,
    parts: Mapping[str, float],
    by: Literal["entity", "dialogue"],
    seed: int,
    task: str | None,
    out: Path,
) -> None:
    """Split a file of dialogues into parts, the same ones in whatever order its lines stand.

    A dialogue's part depends on the seed and on its entity (or id) alone, so the shares are near
    the fractions, not equal to them, and lines that are added later move no others.
    """
    from turnsure.cli.tables import write_text
    from turnsure.dialogues.jsonl import read_dialogues, write_dialogues
    from turnsure.dialogues.splits import entity_of, split_dialogues
    from turnsure.grading.normalise import normal

    dialogues = read_dialogues(file, task=task)
    split = split_dialogues(dialogues, parts, by=by, seed=seed, normalise=normal)
    paths = {name: out / f"{name}.jsonl" for name in split}
    _refuse_empty(split, file)
    _refuse_file_itself(file, paths)
    out.mkdir(parents=True, exist_ok=True)
    for name, members in split.items():
        write_dialogues(paths[name], members)
    counts = {
        name: {
            "fraction": parts[name],
            "n_dialogues": len(members),
            "n_entities": len({entity_of(one, normal) for one in members}),
        }
        for name, members in split.items()
    }
    record = {"format": 1, "kind": "split", "file": str(file), "by": by, "seed": seed}
    text = json.dumps({**record, "parts": counts}, indent=2, ensure_ascii=False)
    write_text(out / RECORD, f"{text}\n")
    for name, part in counts.items():
        share = part["n_dialogues"] / len(dialogues)
        click.echo(
            f"{paths[name]}: {part['n_dialogues']:,} dialogues ({share:.1%}), "
            f"{part['n_entities']:,} entities"
        )
    n_left = len(dialogues) - sum(map(len, split.values()))
    if n_left:
        click.echo(f"in no part: {n_left:,} dialogues")


def _refuse_empty(split: Mapping[str, tuple[Dialogue, ...]], file: Path) -> None:
    empty = next((name for name, members in split.items() if not members), None)
    if empty is not None:
        raise InputError(
            f"nothing falls into part {empty!r}",
            file=file,
            expected="more dialogues or entities, a larger fraction, or another --seed",
        )


def _refuse_file_itself(file: Path, paths: Mapping[str, Path]) -> None:
    name = next((name for name, path in paths.items() if path.resolve() == file.resolve()), None)
    if name is not None:
        raise InputError(
            f"part {name!r} would replace the file that is split",
            file=file,
            expected="another name or folder",
        )
