"""A suite whose process is killed ends as if it had never stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.suites import run_with, scenario
from turnsure.core.errors import StoreError
from turnsure.scenarios.suite_file import read_suite

ROOT = Path(__file__).resolve().parents[2]
RUNS, TURNS = 6, 3

SCRIPT = """
import os, signal, sys
from pathlib import Path
from tests.support.suites import run_with, scenario

folder, log, fall_at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

def reply(messages, *, context):
    with log.open("a") as file:
        file.write(f"{context.replicate} {context.turn}\\n")
    if 0 < fall_at <= len(log.read_text().splitlines()):
        os.kill(os.getpid(), signal.SIGKILL)
    return f"{context.seed}"

run_with(reply, folder, scenario(runs=6), concurrency=2)
"""


def run(folder: Path, log: Path, *, fall_at: int = 0) -> int:
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(log), str(fall_at)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode in (0, -signal.SIGKILL), ran.stderr
    return ran.returncode


def test_nothing_is_lost_and_nothing_passes_by_accident(tmp_path):
    folder, log = tmp_path / "suite", tmp_path / "calls"
    assert run(folder, log, fall_at=11) == -signal.SIGKILL
    with pytest.raises(StoreError, match="not finished"):
        read_suite(folder)
    n_before = len(log.read_text().splitlines())
    assert run(folder, log) == 0
    n_after = len(log.read_text().splitlines()) - n_before
    assert RUNS * TURNS - n_before <= n_after < RUNS * TURNS
    result = read_suite(folder)
    assert [one.verdict for one in result.verdicts] == ["pass"] * RUNS
    whole = tmp_path / "whole"
    run_with(lambda messages, context: f"{context.seed}", whole, scenario(runs=RUNS))
    assert (folder / "transcripts.jsonl").read_bytes() == (whole / "transcripts.jsonl").read_bytes()
