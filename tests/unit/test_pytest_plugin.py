"""The pytest plugin, in sessions of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.test_house_rules import HEAVY, modules_after
from turnsure.scenarios.examples import RENTAL
from turnsure.testing.cards import load_scenarios, with_runs
from turnsure.testing.opening import given_assistant
from turnsure.testing.suite import TestSettings, run_tests

pytest_plugins = ["pytester"]

INI = """
[pytest]
turnsure_assistant = turnsure.scenarios.examples:forgetful
turnsure_runs = 2
addopts = --strict-markers --strict-config -p no:cacheprovider -p no:xdist
asyncio_default_fixture_loop_scope = function
filterwarnings = error
"""
CASE = (
    "  - id: {name}\n    reveals: [{{say: Hi.}}]\n"
    "    checks: [{{name: a, scope: turn, expression: '{ok}'}}]\n"
)


def fresh_session(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *words],
        capture_output=True, text=True, check=False, cwd=folder, timeout=120,
    )  # fmt: skip


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """Everything that a run needs, imported: a session within this one forgets what it imports."""
    run_tests(
        with_runs(load_scenarios([Path("example:rental")]), 1, None),
        given_assistant("turnsure.scenarios.examples:right"),
        TestSettings(folder=tmp_path_factory.mktemp("warm")),
    )


@pytest.fixture
def folder(loaded, pytester):
    here = pytester.path
    (here / "pytest.ini").write_text(INI)
    for name in ("rental.yaml", "listings.csv"):
        (here / name).write_bytes((RENTAL.parent / name).read_bytes())
    return here


@pytest.fixture
def session(folder, pytester):
    """Runs a session in this process; its exit code and what it printed."""

    def run(*words: str) -> tuple[int, str]:
        ran = pytester.runpytest_inprocess("-q", "-rA", *words)
        return int(ran.ret), ran.stdout.str() + ran.stderr.str()

    return run


def test_the_plugin_brings_nothing_of_turnsure_with_it():
    loaded = modules_after("import pytest, turnsure.pytest_plugin")
    own = {name for name in loaded if name.startswith("turnsure")}
    assert own == {"turnsure", "turnsure.pytest_plugin"}
    assert not loaded & HEAVY


def test_cards_are_collected_and_marked_tests_called_for_each_scenario(folder, session):
    (folder / "rental.yaml").rename(folder / "rental.scenario.yaml")
    (folder / "two.yaml").write_text(
        "scenarios:\n" + CASE.format(name="one", ok="true") + CASE.format(name="two", ok="false")
    )
    (folder / "conftest.py").write_text(
        "import pytest\n"
        "@pytest.fixture(scope='session')\n"
        "def turnsure_assistant():\n"
        "    return lambda messages: 'Hello.'\n"
    )
    (folder / "test_it.py").write_text(
        "import pytest\n"
        "@pytest.mark.scenario('two.yaml', runs=3, fail_under=0.5)\n"
        "def test_both(scenario_result):\n"
        "    assert scenario_result.counts.runs.n_runs == 3\n"
        "    assert scenario_result.outcome.ending == 'passed'\n"
        "def test_bare(scenario_result):\n"
        "    pass\n"
    )
    code, shown = session("--junitxml=out.xml")
    assert code == 1
    for said in (
        "PASSED test_it.py::test_both[one]",
        "FAILED test_it.py::test_both[two]",
        "FAILED rental.scenario.yaml::rental",
        "FAILED: 0 of 2 runs passed; not all of rental.",
        "needs the mark scenario",
    ):
        assert said in shown, shown
    assert "1 passed" in shown.splitlines()[-1]
    assert '<property name="passed" value="3"' in (folder / "out.xml").read_text()


def test_the_ini_file_names_assistant_and_settings(folder, session):
    (folder / "rental.yaml").rename(folder / "rental.scenario.yaml")
    code, shown = session()
    assert code == 1
    assert "turn 3: W2 is over budget" in shown
    assert "Traceback" not in shown
    for wrong, said in (
        ("turnsure_fail_under=x", "turnsure_fail_under is 'x'"),
        ("turnsure_runs=0", "rental: field 'runs': it is 0"),
    ):
        code, shown = session("-o", wrong)
        assert code == 1
        assert said in shown
        assert "another exception" not in shown
    # As a user starts it, with nothing imported before.
    ran = fresh_session(folder, "-o", "turnsure_assistant=turnsure.scenarios.examples:right")
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_what_is_wrong_is_said_in_a_line(folder, session):
    (folder / "bad.scenario.yaml").write_text("id: [")
    (folder / "none.scenario.yaml").write_text(f"scenarios:\n{CASE.format(name='n', ok='true')}")
    (folder / "test_mark.py").write_text(
        "import pytest\n"
        "@pytest.mark.scenario('rental.yaml', rnus=3)\n"
        "def test_it(scenario_result): pass\n"
    )
    (folder / "test_without.py").write_text(
        "import pytest\n@pytest.mark.scenario('rental.yaml')\ndef test_it(): pass\n"
    )
    (folder / "test_other.py").write_text(
        "import pytest\n@pytest.mark.scenario('of another plugin')\ndef test_it(): pass\n"
    )
    code, shown = session("--continue-on-collection-errors", "-o", "turnsure_assistant=")
    assert code == 1
    for said in (
        "bad.scenario.yaml, line",
        "has no 'rnus'",
        "no assistant is named",
        "takes the fixture scenario_result",
        "PASSED test_other.py::test_it",
    ):
        assert said in shown, shown
    assert "Traceback" not in shown
