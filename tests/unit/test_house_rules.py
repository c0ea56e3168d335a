"""Rules of the house that no linter knows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MOST_LINES = 300
HEAVY = {"numpy", "scipy", "aiohttp", "pydantic", "lets_plot", "arro3", "rich", "jinja2", "yaml"}


def modules_after(statement: str) -> set[str]:
    """Names of the modules that a fresh interpreter holds after a statement."""
    code = f"import sys; {statement}; print(*sys.modules, sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(ran.stdout.split())


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_a_source_file_is_a_room_of_its_own(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_importing_turnsure_is_light():
    loaded = modules_after("import turnsure")
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("turnsure")} == {"turnsure"}


def test_asking_for_help_loads_no_command():
    loaded = modules_after(
        "from click.testing import CliRunner; from turnsure.cli.main import cli; "
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0"
    )
    assert not loaded & HEAVY
    assert {name for name in loaded if name.startswith("turnsure.")} == {
        "turnsure.cli",
        "turnsure.cli.main",
        "turnsure.core",
        "turnsure.core.errors",
    }
