"""An assistant cannot end the process, and so the suite, as if it had passed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.support.suites import python, scenario
from turnsure.scenarios.exits import exits_refused
from turnsure.scenarios.running import run_suite


def leaves(messages):
    os._exit(0)


def test_a_run_whose_assistant_leaves_is_an_error(tmp_path):
    before = os._exit
    result = run_suite([scenario()], python(leaves), folder=tmp_path / "kept", runs=1)
    [verdict] = result.verdicts
    assert verdict.verdict == "error"
    assert "os._exit(0)" in verdict.reason
    assert os._exit is before


def test_it_is_put_back_after_an_error():
    before = os._exit
    with pytest.raises(ValueError, match="x"), exits_refused():
        raise ValueError("x")
    assert os._exit is before


def test_the_main_thread_may_leave_and_so_may_a_forked_process():
    code = (
        "import os\nfrom turnsure.scenarios.exits import exits_refused\n"
        "with exits_refused():\n"
        "    child = os.fork()\n"
        "    os._exit(5) if child == 0 else None\n"
        "    _, status = os.waitpid(child, 0)\n"
        "    os._exit(os.waitstatus_to_exitcode(status) + 2)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7
