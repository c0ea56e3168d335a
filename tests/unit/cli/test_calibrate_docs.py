"""The example in ``docs/calibrating.md`` does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from turnsure.cli.calibrate import calibrate

PAGE = Path(__file__).parents[3] / "docs" / "calibrating.md"


def test_the_example_is_written_and_judged_as_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    exec(code[0], {})
    result = CliRunner().invoke(
        calibrate, ["predictions.csv", "--maps", "platt", "--folds", "3", "--resamples", "200"]
    )
    assert result.exit_code == 0
    words = " ".join(result.stdout.split())
    for said in (
        "Scores are overconfident: 15.9",
        "not clearly different from the base rate for every row",
        "Scores tell right from wrong answers",
        "treat it as 6 buckets",
        "language pl by −",
        "platt helps",
    ):
        assert said in words
    assert words.index("platt helps") < words.index("What the score is worth")
