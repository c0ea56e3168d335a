"""The embedded model for real: the same bits whatever was cached, and a whole run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from turnsure.core.dialogue import Message
from turnsure.core.errors import BackendUnavailable, ContextOverflow, InputError
from turnsure.core.generation import GenerationRequest
from turnsure.models.embedded import EmbeddedModel, EmbeddedSettings

pytestmark = pytest.mark.model

QUESTION = "Name the country whose capital is Paris."
SETTINGS = [
    "--methods", "vanilla_verb,self_consistency,p_true", "--samples", "4", "--answer-tokens", "16",
    "--number-tokens", "16", "--resamples", "50", "--slots", "4",
]  # fmt: skip


def request(text: str = QUESTION, **changes: object) -> GenerationRequest:
    plain = GenerationRequest(messages=(Message(role="user", content=text),), max_tokens=16)
    return replace(plain, **changes)


@pytest.fixture
async def model(smollm2_path):
    opened = EmbeddedModel("m", EmbeddedSettings(path=smollm2_path, slots=4, context=1024))
    await opened.start()
    yield opened
    await opened.close()


async def test_replies_are_the_same_bits_cached_or_not_and_after_a_restart(model):
    asked = [
        request(),
        request(temperature=1.0, n=4, seed=3),
        request(f"{QUESTION}\nA. yes\nB. no", labels=("A", "B")),
        request(temperature=1.0, n=6, seed=3),
    ]

    async def all_of(order):
        async with model.session("d") as session:
            return {place: await session.generate(asked[place]) for place in order}

    def content(replies):
        return {place: (reply.texts, reply.labels) for place, reply in sorted(replies.items())}

    first = content(await all_of([0, 1, 2, 3]))
    assert content(await all_of([0, 1, 2, 3])) == first
    assert content(await all_of([2, 0, 3, 1])) == first
    await model.close()
    assert content(await all_of([3, 2, 1, 0])) == first
    assert first[3][0][:4] == first[1][0]  # sample j has seed + j, in whichever request


async def test_what_does_not_fit_is_refused_and_never_cut(model):
    async with model.session("d") as session:
        with pytest.raises(ContextOverflow, match="--context"):
            await session.generate(request("word " * 2000))
        with pytest.raises(ContextOverflow, match="do not fit"):
            await session.generate(request("x" * 1700 + " Tell a story", max_tokens=5000))
        assert (await session.generate(request())).texts  # and it goes on


async def test_a_worker_that_dies_is_an_error_and_then_replaced(model):
    async with model.session("d") as session:
        before = await session.generate(request())
        model._lanes[0]._worker.process.kill()
        await model._lanes[0]._worker.process.wait()
        assert (await session.generate(request())).texts == before.texts
        os.kill(model._lanes[0]._worker.process.pid, signal.SIGSTOP)
        model._lanes[0]._seconds = 0.5
        with pytest.raises(Exception, match="no answer in"):
            await session.generate(request())


async def test_a_broken_file_is_refused(smollm2_path, tmp_path):
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(smollm2_path.read_bytes()[:40_000_000])
    opened = EmbeddedModel("m", EmbeddedSettings(path=broken))
    with pytest.raises(InputError, match=r"broken\.gguf.*cannot load"):
        await opened.start()
    await opened.close()


async def test_an_engine_that_cannot_start_is_an_error(model, monkeypatch):
    await model.close()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(BackendUnavailable, match="ended"):
        await model.start()


def turnsure(path: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "turnsure", *arguments, "--model", f"local:{path}", *SETTINGS]


def test_a_run_that_was_killed_ends_like_one_that_was_not(smollm2_path, tmp_path):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    arguments = turnsure(smollm2_path, "run", "--data", "countries", "--limit", "1")
    done = subprocess.run(
        [*arguments, "--out", str(whole)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "p_true" in done.stdout

    process = subprocess.Popen([*arguments, "--out", str(killed)], stderr=subprocess.DEVNULL)
    store = killed / "store.sqlite-wal"
    limit = time.monotonic() + 60
    while time.monotonic() < limit and not (store.exists() and store.stat().st_size > 100_000):
        time.sleep(0.05)
    process.kill()
    process.wait()
    again = subprocess.run(
        [*arguments, "--out", str(killed)], capture_output=True, text=True, check=False
    )
    assert again.returncode == 0, again.stderr
    assert json.loads((killed / "run.json").read_text())["asked"]["n_from_store"] > 0
    assert (whole / "turns.parquet").read_bytes() == (killed / "turns.parquet").read_bytes()
    one, two = (json.loads((folder / "metrics.json").read_text()) for folder in (whole, killed))
    ledgers = [{step["tag"]: step for step in numbers.pop("ledger")} for numbers in (one, two)]
    assert one == two
    # The second engine began with an empty cache, so it evaluated what the first one had once.
    for tag, step in ledgers[0].items():
        again = ledgers[1][tag]
        assert again["prompt_tokens_evaluated"] >= step["prompt_tokens_evaluated"]
        for count in ("n_requests", "prompt_tokens_sent", "tokens_decoded"):
            assert again[count] == step[count]


def test_models_check_reads_the_labels(smollm2_path):
    ran = subprocess.run(
        [sys.executable, "-m", "turnsure", "models", "check", f"local:{smollm2_path}"],
        capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "140"},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "equal seeds gave equal texts" in ran.stdout
    assert "mass on labels" in ran.stdout


def test_neither_lanes_nor_threads_change_a_result(smollm2_path, tmp_path):
    """One lane with all cores, and two lanes with a core each."""
    arguments = turnsure(smollm2_path, "run", "--data", "countries", "--limit", "2")
    arguments += ["--methods", "self_consistency,p_true", "--no-gold"]
    found = []
    for lanes in ("1", "2"):
        out = tmp_path / lanes
        ran = subprocess.run(
            [*arguments, "--lanes", lanes, "--threads", "2", "--out", str(out)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        numbers = json.loads((out / "metrics.json").read_text())
        ledger = {one["tag"]: one for one in numbers.pop("ledger")}["all"]
        # The tree of prompts is one for all lanes, though each evaluates the beginning for itself.
        same = ("n_requests", "prompt_tokens_sent", "prompt_tokens_distinct", "tokens_decoded")
        counts = [ledger[name] for name in same]
        found.append(((out / "turns.parquet").read_bytes(), numbers, counts))
    assert found[0] == found[1]
