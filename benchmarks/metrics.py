"""How long metrics take, as ratios to something else on the same rows.

    python benchmarks/metrics.py [--turns 10000000] [--rounds 7] [--relplot]

Contestants run one after the other, round after round, so that a busy machine slows all of them;
shown is the least CPU time of each over the rounds, in seconds, and ratios of these.  scipy is in
the development group; relplot is used when it is installed and asked for.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from turnsure import metrics
from turnsure.numerics import resampling

Contestants = Mapping[str, Callable[[], object]]


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
    """InfoECE + ECE + Brier against reading the four columns once, with np.sum."""
    rows = turns_of(n, longest=20)
    pairs = rows["confidence"], rows["correct"]
    columns = *pairs, rows["turn"], rows["n_turns"]
    least = least_times(
        {
            "read": lambda: [np.sum(column) for column in columns],
            "info_ece": lambda: metrics.info_ece(*columns),
            "ece": lambda: metrics.ece(*pairs),
            "brier": lambda: metrics.brier(*pairs),
        },
        rounds,
    )
    three = least["info_ece"] + least["ece"] + least["brier"]
    return least | {"three / read": three / least["read"]}


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


def smooth(n: int, rounds: int) -> dict[str, float]:
    """Smooth ECE against relplot, of confidences that are too high."""
    import relplot

    rows = turns_of(n, longest=20)
    confidence, correct = np.sqrt(rows["confidence"]), rows["correct"]
    as_numbers = correct.astype(float)
    least = least_times(
        {
            "smooth_ece": lambda: metrics.smooth_ece(confidence, correct),
            "relplot": lambda: relplot.smECE(confidence, as_numbers),
        },
        rounds,
    )
    ours, theirs = (
        metrics.smooth_ece(confidence, correct).value,
        relplot.smECE(confidence, as_numbers),
    )
    return least | {
        "relplot / smooth_ece": least["relplot"] / least["smooth_ece"],
        "difference": abs(ours - float(theirs)),
    }


def main() -> None:
    """Run what was asked for, and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--turns", type=int, default=10_000_000, help="rows of the one-pass metrics"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--relplot", action="store_true", help="also compare with relplot")
    parser.add_argument("--out", type=Path, help="also write the result to this file")
    given = parser.parse_args()
    found: dict[str, object] = {
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "load": os.getloadavg()[0],
            "python": sys.version.split()[0],
            "numpy": np.__version__,
        },
        f"three metrics of {given.turns:,} turns": one_pass(given.turns, given.rounds),
        "tau of 1,000,000 turns": tau(1_000_000, given.rounds),
        "2,000 resamples of InfoECE of 100,000 turns": bootstrap(100_000, given.rounds),
    }
    if given.relplot:
        found["smooth ECE of 1,000,000 turns"] = smooth(1_000_000, given.rounds)
    text = json.dumps(found, indent=2)
    print(text)
    if given.out is not None:
        given.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
