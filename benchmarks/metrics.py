"""How long metrics take and how much memory, as ratios to something else on the same rows.

    python benchmarks/metrics.py [--turns 10000000] [--rounds 7] [--peers relplot,sklearn,netcal]

Contestants run one after the other, round after round, so that a busy machine slows all of them;
shown is the least CPU time of each over the rounds, in seconds, and ratios of these.  scipy is in
the development group; the peers are used when they are installed, and a line says which are not.
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from common import machine, told

from turnsure import metrics
from turnsure.numerics import resampling

Contestants = Mapping[str, Callable[[], object]]
PEERS = {"relplot": "relplot", "sklearn": "sklearn.metrics", "netcal": "netcal.metrics"}


def least_times(contestants: Contestants, rounds: int) -> dict[str, float]:
    """Least CPU seconds of each, over rounds in which every one runs once."""
    least = dict.fromkeys(contestants, float("inf"))
    for _ in range(rounds):
        for name, run in contestants.items():
            start = time.process_time()
            run()
            least[name] = min(least[name], time.process_time() - start)
    return least


def turns_of(n: int, *, longest: int) -> dict[str, np.ndarray]:
    """Rows of dialogues of 1 to ``longest`` turns; confidences are calibrated."""
    random = np.random.default_rng(0)
    lengths = random.integers(1, longest + 1, 2 * n // longest + 1)
    dialogue = np.repeat(np.arange(len(lengths)), lengths)[:n]
    starts = np.cumsum(lengths) - lengths
    confidence = random.random(len(dialogue))
    return {
        "confidence": confidence,
        "correct": random.random(len(dialogue)) < confidence,
        "turn": np.arange(len(dialogue)) - starts[dialogue] + 1,
        "n_turns": lengths[dialogue],
        "dialogue": dialogue,
    }


def one_pass(n: int, rounds: int) -> dict[str, float]:
    """InfoECE + ECE + Brier, at once and one by one, against reading the columns with np.sum."""
    rows = turns_of(n, longest=20)
    pairs = rows["confidence"], rows["correct"]
    columns = *pairs, rows["turn"], rows["n_turns"]
    least = least_times(
        {
            "read": lambda: [np.sum(column) for column in columns],
            "calibration_summary": lambda: metrics.calibration_summary(*columns),
            "info_ece": lambda: metrics.info_ece(*columns),
            "ece": lambda: metrics.ece(*pairs),
            "brier": lambda: metrics.brier(*pairs),
        },
        rounds,
    )
    three = least["info_ece"] + least["ece"] + least["brier"]
    return least | {
        "summary / read": least["calibration_summary"] / least["read"],
        "three / read": three / least["read"],
    }


def tau(n: int, rounds: int) -> dict[str, float]:
    """Kendall's τ of every dialogue, and the mean with its interval, against a loop of scipy.

    The loop runs over 1,000 dialogues, and its time is scaled up to all.
    """
    from scipy.stats import kendalltau

    rows = turns_of(n, longest=20)
    sampled = np.flatnonzero(np.diff(rows["dialogue"])) + 1
    runs = np.split(rows["confidence"], sampled)[:1000]
    share = n / sum(map(len, runs))

    def loop() -> None:
        for run in runs:
            if len(run) > 1:
                kendalltau(np.arange(len(run)), run)

    columns = rows["confidence"], rows["dialogue"], rows["turn"]
    least = least_times(
        {
            "tau by dialogue": lambda: metrics.kendall_tau_by_dialogue(*columns),
            "mean tau, interval": lambda: metrics.kendall_tau(*columns),
            "scipy": loop,
        },
        rounds,
    )
    least["scipy"] *= share
    return least | {
        "scipy / tau by dialogue": least["scipy"] / least["tau by dialogue"],
        "scipy / mean tau, interval": least["scipy"] / least["mean tau, interval"],
    }


def bootstrap(n: int, rounds: int) -> dict[str, float]:
    """2,000 resamples of InfoECE over dialogues of 10 turns, against resampling rows (20 times).

    The rows of the drawn dialogues are put together, and the same metric is computed on them.
    """
    turn = np.tile(np.arange(1, 11), n // 10)
    rows = turns_of(n, longest=20)
    columns = rows["confidence"], rows["correct"], turn, np.full(n, 10)
    dialogue = np.arange(n) // 10
    rows_of = np.split(np.arange(n), n // 10)

    def by_sums() -> None:
        resampling._kept_weights.cache_clear()
        metrics.info_ece(*columns, dialogue=dialogue)

    def by_rows() -> None:
        random = np.random.default_rng(0)
        for _ in range(20):
            drawn = random.integers(0, n // 10, n // 10)
            here = np.concatenate([rows_of[place] for place in drawn])
            metrics.info_ece(*(column[here] for column in columns))

    least = least_times({"by sums": by_sums, "by rows": by_rows}, rounds)
    least["by rows"] *= 100
    return least | {"by rows / by sums": least["by rows"] / least["by sums"]}


def bytes_held(n: int) -> dict[str, float]:
    """The most that a metric holds beside its columns, in columns of float64."""
    rows = turns_of(n, longest=20)
    both = rows["confidence"], rows["correct"]
    where = rows["turn"], rows["n_turns"]
    computed: Contestants = {
        "calibration_summary": lambda: metrics.calibration_summary(*both, *where),
        "info_ece of equal masses": lambda: metrics.info_ece(*both, *where, binning="mass"),
        "ece of equal masses": lambda: metrics.ece(*both, binning="mass"),
        "smooth_ece": lambda: metrics.smooth_ece(*both),
        "brier_decomposition": lambda: metrics.brier_decomposition(*both),
        "log_loss": lambda: metrics.log_loss(*both),
        "auroc": lambda: metrics.auroc(*both),
        "average_precision": lambda: metrics.average_precision(*both),
        "aurc": lambda: metrics.aurc(*both),
        "reliability_table": lambda: metrics.reliability_table(*both),
        "kendall_tau": lambda: metrics.kendall_tau(both[0], rows["dialogue"], rows["turn"]),
    }
    held: dict[str, float] = {}
    for name, compute in computed.items():
        tracemalloc.start()
        compute()
        held[name] = tracemalloc.get_traced_memory()[1] / (8 * n)
        tracemalloc.stop()
    return held


def by_sorting(n: int, rounds: int) -> dict[str, float]:
    """AUROC, average precision and AURC against finding the order of the rows, with np.argsort."""
    rows = turns_of(n, longest=20)
    both = rows["confidence"], rows["correct"]
    least = least_times(
        {
            "argsort": lambda: np.argsort(both[0], kind="stable"),
            "auroc": lambda: metrics.auroc(*both),
            "average_precision": lambda: metrics.average_precision(*both),
            "aurc": lambda: metrics.aurc(*both),
        },
        rounds,
    )
    return least | {
        f"{name} / argsort": seconds / least["argsort"]
        for name, seconds in least.items()
        if name != "argsort"
    }


def against(peer: str, found: Any, n: int, rounds: int) -> dict[str, float]:
    """The metrics that a peer has too, of confidences that are too high: ratios, differences."""
    rows = turns_of(n, longest=20)
    confidence, correct = np.sqrt(rows["confidence"]), rows["correct"]
    both, numbers = (confidence, correct), correct.astype(np.float64)
    functions: Mapping[str, Callable[[], Contestants]] = {
        "relplot": lambda: {"smooth_ece": lambda: found.smECE(confidence, numbers)},
        "sklearn": lambda: {
            "auroc": lambda: found.roc_auc_score(correct, confidence),
            "average_precision": lambda: found.average_precision_score(correct, confidence),
            "brier": lambda: found.brier_score_loss(correct, confidence),
            "log_loss": lambda: found.log_loss(correct, confidence),
        },
        "netcal": lambda: {"ece": lambda: found.ECE(10).measure(confidence, numbers)},
    }
    compared: dict[str, float] = {}
    for name, run in functions[peer]().items():
        ours = partial(getattr(metrics, name), *both)
        least = least_times({"ours": ours, "theirs": run}, rounds)
        compared[f"{peer} / {name}"] = least["theirs"] / least["ours"]
        compared[f"difference of {name}"] = abs(float(ours()) - float(run()))
    return compared


def main() -> None:
    """Run what was asked for, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--turns", type=int, default=10_000_000, help="rows of the one-pass metrics"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--peers", default=",".join(PEERS), help="others to compare with")
    parser.add_argument("--out", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    found: dict[str, object] = {
        "machine": machine("numpy"),
        f"three metrics of {given.turns:,} turns": one_pass(given.turns, given.rounds),
        f"columns held beside {given.turns:,} turns": bytes_held(given.turns),
        "ranking of 1,000,000 turns": by_sorting(1_000_000, given.rounds),
        "tau of 1,000,000 turns": tau(1_000_000, given.rounds),
        "2,000 resamples of InfoECE of 100,000 turns": bootstrap(100_000, given.rounds),
    }
    for peer in filter(None, given.peers.split(",")):
        try:
            module = import_module(PEERS[peer])
        except ImportError as error:
            print(f"{peer} is left out: {error}", file=sys.stderr)
            continue
        found[f"{peer}, 1,000,000 turns"] = against(peer, module, 1_000_000, given.rounds)
    told(found, given.out)


if __name__ == "__main__":
    main()
