from __future__ import annotations

import subprocess
import sys


def test_naming_the_report_loads_no_heavy_module():
    code = (
        "import sys, turnsure.report\n"
        "print(sorted({'lets_plot', 'jinja2', 'rich', 'numpy', 'PIL'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
