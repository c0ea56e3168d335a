"""The part of ``turnsure dialogues check`` that asks a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from turnsure.cli.options import MODEL_OPTIONS, Decorator
from turnsure.cli.paths import NamedPath
from turnsure.core.errors import InputError
from turnsure.core.spec import Plan, RunSpec

if TYPE_CHECKING:
    from turnsure.dialogues.checking.finding import Finding, Placed
    from turnsure.dialogues.checking.mending import Mended
    from turnsure.dialogues.checking.reading import CheckedFile
    from turnsure.experiment.guessable_found import AnswersFound
    from turnsure.experiment.setup import Setup

ASKING: Sequence[Decorator[Any]] = (
    click.option(
        "--model",
        metavar="MODEL",
        help="Also ask this model for the answers: smollm2-135m (embedded), local:FILE.gguf, or "
        "openai:NAME.",
    ),
    click.option(
        "--max-guessed",
        type=click.FloatRange(0, 1),
        metavar="SHARE",
        help="An error when a larger share is guessed without hints.  [no limit]",
    ),
    click.option(
        "--drop-guessable", is_flag=True, help="With --fix: leave out what is guessed, too."
    ),
    click.option("--limit", type=int, metavar="N", help="Ask about the first N dialogues only."),
    click.option(
        "--out",
        "-o",
        type=NamedPath(),
        metavar="FOLDER",
        help="Where replies are kept.  [runs/check-DATA-MODEL]",
    ),
    click.option("--dry-run", is_flag=True, help="Say what the model would be asked, and do not."),
    click.option("--answer-tokens", type=int, metavar="N", help="Limit of an answer.  [64]"),
    click.option(
        "--render",
        type=click.Choice(["transcript", "chat"]),
        help="The dialogue as one text or as chat messages.  [transcript]",
    ),
    click.option(
        "--templates", metavar="FILE.toml", help="Your own wording for any of the prompts."
    ),
    click.option("--seed", type=int, metavar="N", help="Of requests and bootstrap.  [0]"),
    click.option("--resamples", type=int, metavar="N", help="Of the bootstrap.  [2000]"),
    *MODEL_OPTIONS[1:],
)
"""The options of this part; those for reaching a model are the ones of ``turnsure run``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is to be asked, before it is.

    Attributes
    ----------
    setup
        Of the dialogues without errors.
    placed
        The same dialogues with their places.
    n_unfit, n_beyond
        Dialogues about which nothing is asked: those with errors, and those beyond the limit.
    folder
        Where replies are kept.
    """

    setup: Setup
    placed: tuple[Placed, ...]
    n_unfit: int
    n_beyond: int
    folder: Path

    def plan(self) -> Plan:
        """What the model would be asked, less what the folder holds."""
        from turnsure.models.opening import known_fingerprint
        from turnsure.pipeline import dry_run

        return dry_run(self.setup, self.folder, known_fingerprint(self.setup.spec))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of it.

    Attributes
    ----------
    found
        The numbers.
    findings
        What of them is pointed out.
    body
        Everything as JSON values.
    """

    found: AnswersFound
    findings: tuple[Finding, ...]
    body: Mapping[str, Any]


def refuse_odd_flags(flags: Mapping[str, Any], *, fix: Path | None) -> None:
    """Refuse flags that would silently do nothing.

    Parameters
    ----------
    flags
        Those that were given, by name.
    fix
        Where the mended file goes.
    """
    idle = [name for name in flags if name != "model"]
    if "model" not in flags and idle:
        raise InputError(
            "this is about asking a model, and none is named", field=idle[0], expected="--model too"
        )
    if "drop_guessable" in flags and fix is None:
        raise InputError(
            "nothing is written from which to leave something out",
            field="drop_guessable",
            expected="--fix OUT.jsonl too",
        )
    if "dry_run" in flags and fix is not None:
        raise InputError(
            "what is to be written is not known on a dry run", field="dry_run", expected="no --fix"
        )


def make_asking(
    spec: RunSpec,
    files: Sequence[CheckedFile],
    findings: Sequence[Finding],
    mended: Mended | None,
    folder: Path | None,
) -> Asking:
    """Choose whom to ask about: dialogues without errors, of FILE those that mending leaves.

    Raises
    ------
    InputError
        There is none, or the wording cannot be used.
    """
    from turnsure.cli.options import default_folder
    from turnsure.experiment.guessable import answers_setup

    broken = {finding.place for finding in findings if finding.is_error}
    first, *others = files
    fit = [
        *(first.dialogues if mended is None else mended.kept),
        *(one for file in others for one in file.dialogues),
    ]
    if mended is not None:
        broken -= {one.place for one in mended.kept}
    fit = [one for one in fit if one.place not in broken]
    placed = tuple(fit[: spec.limit])
    if not placed:
        raise InputError(
            "no dialogue is without errors, so there is nothing to ask a model about",
            file=first.name,
            expected="one dialogue without errors; the same command without --model shows them",
        )
    usual = default_folder(spec)
    return Asking(
        setup=answers_setup(spec, [one.dialogue for one in placed]),
        placed=placed,
        n_unfit=sum(len(file.dialogues) for file in files) - len(fit),
        n_beyond=len(fit) - len(placed),
        folder=folder or usual.with_name(f"check-{usual.name}"),
    )


def ask(asking: Asking, *, most_guessed: float | None, verbose: bool = False) -> Asked:
    """Ask the model, and keep what came in the folder."""
    from turnsure.cli.execute import open_with_progress
    from turnsure.cli.progress import run_progress
    from turnsure.experiment.guessable import ask_answers
    from turnsure.experiment.guessable_found import answers_found, findings_of
    from turnsure.experiment.run_record import run_cost
    from turnsure.store.json_files import plain, write_json

    setup, spec = asking.setup, asking.setup.spec
    expected = setup.n_turns + len(setup.dialogues)
    click.echo(
        f"{len(setup.dialogues)} dialogues, {setup.n_turns} turns, {expected} requests to "
        f"{spec.model}; replies are kept in {asking.folder}",
        err=True,
    )
    backend = open_with_progress(spec, verbose=verbose)
    with run_progress(expected) as progress:
        answers = ask_answers(setup, backend, asking.folder, progress)
    found = answers_found(answers.table, setup.dialogues, spec)
    places = {one.dialogue.id: one.place for one in asking.placed}
    body = {
        "model": spec.model,
        "protocol": setup.protocol(answers.fingerprint).body,
        "folder": str(asking.folder),
        "n_dialogues": len(setup.dialogues),
        "n_turns": setup.n_turns,
        "n_unfit": asking.n_unfit,
        "n_beyond_limit": asking.n_beyond,
        "cost": plain(run_cost(answers.counters)),
        **plain(found),
    }
    write_json(asking.folder / "answers.json", {"format": 1, "kind": "answers", **body})
    return Asked(
        found=found,
        findings=tuple(findings_of(found, places, most_guessed=most_guessed)),
        body=body,
    )
