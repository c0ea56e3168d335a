"""How much work the engine saves, as ratios of interleaved runs on the same dialogues.

    python benchmarks/engine.py                                        # turnsure against itself
    python benchmarks/engine.py --peers transformers,uqlm,lm-polygraph # and against others

Contestants take turns: each measures a few turns of a few dialogues, then each the next, so that a
busy machine slows all of them.  Shown are tokens, and wall and CPU time as multiples of turnsure's.
Peers live in environments of their own under ``--environments``, made when first asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from common import machine
from contest.matches import MATCHES, OURS, PEERS, Match, NotRun, open_match
from contest.rounds import run_rounds
from contest.table import table
from contest.talks import read_talks

from turnsure.core.dialogue import Dialogue
from turnsure.core.errors import TurnsureError
from turnsure.core.spec import RunSpec
from turnsure.experiment.setup import load_dialogues
from turnsure.models.weights import cache_folder


def main() -> None:
    """Run the matches that were asked for; print tables, and write JSON."""
    given = _parser().parse_args()
    try:
        dialogues = _long_ones(given)
    except TurnsureError as error:
        sys.exit(str(error))
    found: dict[str, Any] = {
        "machine": machine("turnsure", "xllamacpp"),
        "data": given.data if given.talks is None else str(given.talks),
        "limits": _limits(given),
        "matches": {},
    }
    for match in MATCHES:
        if match.peer is not None and match.peer not in given.peers:
            continue
        share = given.dialogues if match.peer is None else given.peer_dialogues
        if share:
            here = dialogues[:share]
            found["matches"][match.title] = asyncio.run(_play(match, here, given))
        if given.out is not None:
            given.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default="countries-gain", help="a built-in world, or a file")
    parser.add_argument(
        "--talks",
        type=Path,
        metavar="FILE",
        help="instead of these, customers' conversations: a results file of tau-bench",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--answer-tokens", type=_above_0, help="limit of an answer, as in a run")
    parser.add_argument("--analysis-tokens", type=_above_0, help="limit of an analysis, likewise")
    parser.add_argument("--dialogues", type=_count, default=8, help="of turnsure against itself")
    parser.add_argument("--turns", type=_above_0, default=8, help="of each dialogue")
    parser.add_argument("--together", type=_above_0, default=2, help="dialogues of a round")
    parser.add_argument("--stretch", type=_above_0, default=2, help="turns of a round")
    parser.add_argument(
        "--against",
        type=_names(OURS),
        default=OURS,
        help=f"turnsure against itself: {','.join(OURS)} unless said",
    )
    parser.add_argument(
        "--peers", type=_names(tuple(PEERS)), default=(), help=f"any of {','.join(PEERS)}"
    )
    parser.add_argument("--peer-dialogues", type=_count, default=2, help="of each peer's match")
    parser.add_argument(
        "--threads", type=_above_0, default=os.cpu_count() or 1, help="of every engine"
    )
    parser.add_argument(
        "--environments", type=Path, default=cache_folder() / "peers", help="where peers live"
    )
    parser.add_argument("--out", type=Path, help="also write the result to this file, as JSON")
    return parser


def _count(text: str) -> int:
    """A whole number, 0 or more."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def _above_0(text: str) -> int:
    number = _count(text)
    if not number:
        raise argparse.ArgumentTypeError("it must be above 0")
    return number


def _names(known: tuple[str, ...]) -> Callable[[str], tuple[str, ...]]:
    """Reads names with commas between them."""

    def read(text: str) -> tuple[str, ...]:
        names = tuple(name for name in text.split(",") if name)
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(
                f"{unknown[0]!r} is unknown; there are {', '.join(known)}"
            )
        return names

    return read


def _long_ones(given: argparse.Namespace) -> list[Dialogue]:
    """The dialogues that are long enough, in their order."""
    if given.talks is not None:
        found = read_talks(given.talks, given.turns)
    else:
        loaded = load_dialogues(RunSpec(data=given.data, seed=given.seed))
        found = [one for one in loaded if one.n_turns >= given.turns]
    if not found:
        sys.exit(f"{given.talks or given.data} has no dialogue of {given.turns} turns")
    return found


def _limits(given: argparse.Namespace) -> dict[str, int]:
    """The token limits that were given."""
    asked = {"answer_tokens": given.answer_tokens, "analysis_tokens": given.analysis_tokens}
    return {name: tokens for name, tokens in asked.items() if tokens is not None}


async def _play(
    match: Match, dialogues: Sequence[Dialogue], given: argparse.Namespace
) -> dict[str, Any]:
    _say(f"\n{match.title} (dialogues: {len(dialogues)}, turns of each: {given.turns})")
    with tempfile.TemporaryDirectory() as folder:
        try:
            players = await open_match(
                replace(match, changes={**match.changes, **_limits(given)}),
                folder=Path(folder),
                environments=given.environments,
                threads=given.threads,
                together=min(given.together, len(dialogues)),
                against=given.against,
                seed=given.seed,
            )
            results = await run_rounds(
                players.contestants,
                dialogues,
                given.turns,
                together=given.together,
                stretch=given.stretch,
                say=_say,
            )
        except NotRun as reason:
            _say(f"not run: {reason}")
            return {"not run": str(reason)}
    remarks = players.remarks()
    print(f"{table(results)}\n", flush=True)
    for name, remark in remarks.items():
        _say(f"{name}: {json.dumps(remark)}")
    return {
        "dialogues": len(dialogues),
        "turns": given.turns,
        "load": os.getloadavg()[0],
        "results": [asdict(one) for one in results],
        **remarks,
    }


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
