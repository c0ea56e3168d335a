"""Rules of the house that no linter knows."""

from __future__ import annotations

import importlib.metadata
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
    code = f"import sys\n{statement}\nprint(*sys.modules, sep='\\n')"
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


def test_asking_a_command_for_help_loads_only_what_its_options_need():
    """No third package but click, no event loop, no database; each command in one process."""
    loaded = modules_after(
        "import contextlib, io\n"
        "from turnsure.cli.main import cli, _COMMANDS\n"
        "for name in _COMMANDS:\n"
        "    with contextlib.redirect_stdout(io.StringIO()):\n"
        "        try: cli([name, '--help'], prog_name='turnsure')\n"
        "        except SystemExit as end: assert not end.code\n"
    )
    assert "turnsure.cli.gate" in loaded  # all of them were asked
    assert not loaded & {"asyncio", "sqlite3", "multiprocessing", "turnsure.pipeline"}
    loaded -= modules_after("pass")  # what the environment itself loads into every interpreter
    foreign = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names
    installed = set(importlib.metadata.packages_distributions())
    assert (foreign & installed) - {"turnsure"} == {"click"}
