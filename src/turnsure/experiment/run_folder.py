"""A run's folder: who may write to it, and what it holds.

::

    run.json        spec, protocol and its digest, versions, seeds, counts; can be run again
    dialogues.jsonl the dialogues that were measured
    store.sqlite    every request and generation
    turns.parquet   one row a dialogue × turn × condition × target × method
    variants/       the same for every other protocol that a control tried, a file each
    metrics.json    every number with its interval, n and definition
    report.html     all of it to look at
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from turnsure.core.errors import StoreError
from turnsure.core.evaluation import Evaluation, Ledger
from turnsure.core.turns import TurnsTable
from turnsure.store.json_files import held_alone, plain, write_json
from turnsure.store.turns_file import read_turns, write_turns

RUN_FORMAT = 1
_RUN_FIELDS: Mapping[str, type] = {
    "spec": dict,
    "protocol": dict,
    "digest": str,
    "versions": dict,
    "finished": object,
}
_CONTROL_FIELDS = ("controls", "variants", "variant_digests")
"""Needed by a run with controls; one that an earlier version wrote has neither."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """Paths inside one folder."""

    path: Path

    @property
    def run_json(self) -> Path:
        return self.path / "run.json"

    @property
    def dialogues(self) -> Path:
        return self.path / "dialogues.jsonl"

    @property
    def store(self) -> Path:
        return self.path / "store.sqlite"

    @property
    def turns(self) -> Path:
        return self.path / "turns.parquet"

    @property
    def metrics(self) -> Path:
        return self.path / "metrics.json"

    @property
    def report(self) -> Path:
        return self.path / "report.html"

    def locked(self) -> AbstractContextManager[None]:
        """Make the folder and hold it alone, as :func:`~turnsure.store.json_files.held_alone`."""
        return held_alone(self.path)

    def write_variants(self, tables: Mapping[str, TurnsTable], digests: Mapping[str, str]) -> None:
        """Write a table a variant; tables of variants that are not tried any more are removed."""
        folder = self.path / "variants"
        for left in set(folder.glob("*.parquet")) - {folder / f"{name}.parquet" for name in tables}:
            left.unlink()
        if tables:
            folder.mkdir(exist_ok=True)
        for name, table in tables.items():
            write_turns(table, folder / f"{name}.parquet", protocol=digests[name])

    def read_variants(self, digests: Mapping[str, str]) -> dict[str, TurnsTable]:
        """The variants' tables, by name.

        Raises
        ------
        StoreError
            A table is missing, damaged, or of another protocol than the run says.
        """
        tables: dict[str, TurnsTable] = {}
        for name, digest in digests.items():
            file = self.path / "variants" / f"{name}.parquet"
            tables[name], protocol = read_turns(file)
            if protocol != digest:
                raise StoreError(f"{file}: this table is of another protocol than run.json says")
        return tables

    def read_run(self) -> Mapping[str, Any]:
        """What ``run.json`` says.

        Raises
        ------
        StoreError
            There is no run here, or a newer one than this turnsure knows.
        """
        try:
            body = json.loads(self.run_json.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise StoreError(f"{self.path}: no run is here (there is no run.json)") from None
        except (OSError, ValueError) as error:
            raise StoreError(f"{self.run_json}: cannot be read ({error})") from error
        if not isinstance(body, dict) or cast("dict[str, Any]", body).get("format") != RUN_FORMAT:
            raise StoreError(f"{self.run_json}: this is no run.json of format {RUN_FORMAT}")
        fields = cast("dict[str, Any]", body)
        lacking = [
            name
            for name, kind in _RUN_FIELDS.items()
            if name not in fields or not isinstance(fields[name], kind)
        ]
        if not lacking and fields["spec"].get("controls"):
            lacking = [name for name in _CONTROL_FIELDS if not isinstance(fields.get(name), dict)]
            lacking = lacking or [
                f"controls.{name}"
                for name in fields["spec"]["controls"]
                if name not in fields["controls"]
            ]
        if lacking:
            raise StoreError(f"{self.run_json}: this run.json lacks {', '.join(lacking)}")
        return {**{name: {} for name in _CONTROL_FIELDS}, **fields}

    def write_run(self, body: Mapping[str, Any]) -> None:
        """Write ``run.json`` whole or not at all."""
        write_json(self.run_json, {"format": RUN_FORMAT, **body})

    def write_metrics(self, evaluation: Evaluation) -> None:
        """Write ``metrics.json``; it holds nothing that differs between equal runs.

        Of the cost it holds the ledger of tokens, without seconds.  Where a run was interrupted,
        tokens that its second session evaluated anew, because the cache was lost, count among the
        evaluated and the distinct ones.
        """
        body = plain(dataclasses.replace(evaluation, cost=None))
        cost = evaluation.cost
        ledger = None if cost is None else _ledger(cost.ledger)
        write_json(self.metrics, {"format": RUN_FORMAT, **body, "ledger": ledger})


def _ledger(ledger: Ledger) -> list[dict[str, Any]]:
    """A line a method or step, and one for all; None where the back-end does not tell."""
    return [
        {
            "tag": one.tag,
            "n_requests": one.n_sent,
            # A prompt has tokens, so none at all means that nobody told.
            "prompt_tokens_sent": one.prompt_tokens or None,
            "prompt_tokens_evaluated": one.evaluated_tokens if one.prompt_tokens else None,
            "prompt_tokens_distinct": one.distinct_tokens,
            "tokens_decoded": None if one.n_uncounted == one.n_sent else one.completion_tokens,
            "n_replies_uncounted": one.n_uncounted,
            "evaluated_per_distinct": one.waste,
            "sent_per_evaluated": one.saving,
        }
        for one in (*ledger.by_tag, ledger.whole)
    ]
