"""Set turnsure up in a virtual environment beside this file, and run it or its checks.

    python3 dev.py demo      set up, then measure the embedded model and write a report
    python3 dev.py check     set up, then lint, type-check and test: what CI runs
    python3 dev.py test      set up, then the tests alone (arguments go to pytest)
    python3 dev.py cover     set up, then the tests with a table of what they do not reach
    python3 dev.py lock      renew the pinned requirement files (needs uv)

Needs Python 3.11 or newer and nothing else; the rest is fetched, with pinned hashes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
PINS = {"run": ROOT / "requirements" / "run.txt", "dev": ROOT / "requirements" / "dev.txt"}
LEAST_PYTHON = (3, 11)
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("pyright",),
    ("lint-imports", "--no-logo"),
)
# Two tests at a time, those of a file by one process, which keeps the fixtures that they share; in
# the order of the files, so that the few long ones with a real model are not left to the end.
TESTS = ("pytest", "--numprocesses=2", "--dist=loadfile", "--no-loadscope-reorder")


def main(arguments: list[str]) -> int:
    """Do what the first argument says; the others are handed on."""
    if sys.version_info < LEAST_PYTHON:
        return fail(f"this needs Python 3.11 or newer, and this is {sys.version.split()[0]}")
    what, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    match what:
        case "demo":
            return set_up("run") or run("turnsure", "demo", *rest)
        case "test":
            return set_up("dev") or run("pytest", *rest)
        case "cover":
            return set_up("dev") or run("pytest", "--cov", "--cov-report=term", *rest)
        case "check":
            return set_up("dev") or next((code for code in map(step, (*CHECKS, TESTS)) if code), 0)
        case "lock":
            return lock()
        case _:
            print(__doc__)
            return 2


def set_up(pins: str) -> int:
    """Make the environment and install the pins and the project, unless that is done already."""
    stamp = ENVIRONMENT / f".{pins}-{fingerprint(pins)}"
    if stamp.exists():
        return 0
    if not tool("python").exists():
        print(f"Making a virtual environment in {ENVIRONMENT} …", flush=True)
        try:
            venv.create(ENVIRONMENT, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            return fail(
                f"no virtual environment could be made ({error}); is python3-venv installed?"
            )
    print("Installing pinned packages …", flush=True)
    pip = ("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    failed = run(*pip, "--require-hashes", "-r", str(PINS[pins])) or run(
        *pip, "--no-deps", "--editable", str(ROOT)
    )
    if not failed:
        stamp.touch()
    return failed


def step(command: tuple[str, ...]) -> int:
    """Run one check and say which one failed."""
    print(f"\n== {' '.join(command)}", flush=True)
    code = run(*command)
    return fail(f"{command[0]} failed") if code else 0


def run(name: str, *arguments: str) -> int:
    """Run a program of the environment, and return its exit code."""
    path = os.pathsep.join((str(tool("python").parent), os.environ.get("PATH", "")))
    return subprocess.run(
        [str(tool(name)), *arguments], cwd=ROOT, env={**os.environ, "PATH": path}, check=False
    ).returncode


def tool(name: str) -> Path:
    """Where the environment keeps a program."""
    if os.name == "nt":
        return ENVIRONMENT / "Scripts" / f"{name}.exe"
    return ENVIRONMENT / "bin" / name


def fingerprint(pins: str) -> str:
    """Digest of everything that decides what is installed."""
    parts = (PINS[pins].read_bytes(), (ROOT / "pyproject.toml").read_bytes())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def lock() -> int:
    """Renew the pins; written without index addresses."""
    common = (
        "uv", "pip", "compile", "--quiet", "--universal", "--python-version", "3.11",
        "--generate-hashes", "--no-emit-index-url", "--no-annotate", "--no-header",
        "--extra", "local", "pyproject.toml",
    )  # fmt: skip
    wanted = (("run", ()), ("dev", ("--group", "dev")))
    for pins, more in wanted:
        command = [*common, *more, "--output-file", str(PINS[pins])]
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code:
            return code
    return 0


def fail(message: str) -> int:
    """Say what is wrong."""
    print(f"dev.py: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
