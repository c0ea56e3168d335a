from pathlib import Path

import pytest

from turnsure.core.errors import InputError
from turnsure.testing.cards import card_files, load_scenarios, planned, with_runs

TEXT = """
id: {name}
runs: 4
reveals:
  - {{turn: 1, say: One.}}
  - {{turn: 2, say: Two.}}
  - {{turn: 4, say: Three.}}
checks: [{{name: short, scope: turn, expression: size(text) < 80}}]
rubric: [{{name: kind, ask: "Is it kind?"}}]
"""


def write(path: Path, name: str) -> Path:
    path.write_text(TEXT.format(name=name))
    return path


def test_a_folder_stands_for_its_cards_by_name(tmp_path):
    for name in ("b.yaml", "a.yml"):
        write(tmp_path / name, name[0])
    (tmp_path / "notes.txt").write_text("no card")
    assert [one.id for one in load_scenarios([tmp_path])] == ["a", "b"]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no card is in this folder"):
        card_files(empty)


def test_one_id_in_two_files_is_refused(tmp_path):
    paths = [write(tmp_path / "a.yaml", "same"), write(tmp_path / "b.yaml", "same")]
    with pytest.raises(InputError, match=r"b\.yaml.*stands in .*a\.yaml as well"):
        load_scenarios(paths)


def test_the_example_is_named_without_a_path():
    assert [one.id for one in load_scenarios([Path("example:rental")])] == ["rental"]
    with pytest.raises(InputError, match=r"no example 'flat' \(expected check_rules, rental\)"):
        load_scenarios([Path("example:flat")])


def test_k_is_held_against_the_runs_before_anything_is_run(tmp_path):
    scenarios = load_scenarios([write(tmp_path / "a.yaml", "a")])
    assert [one.runs for one in with_runs(scenarios, None, 4)] == [4]
    assert [one.runs for one in with_runs(scenarios, 9, 9)] == [9]
    for runs, k in ((None, 5), (2, 3), (None, 0)):
        with pytest.raises(InputError) as caught:
            with_runs(scenarios, runs, k)
        assert caught.value.field == "k"


def test_a_plan_counts_turns_as_user_and_limits_have_them(tmp_path):
    [scenario] = load_scenarios([write(tmp_path / "a.yaml", "a")])
    plain = planned(scenario, simulated=False, judged=False)
    assert (plain.runs, plain.turns, plain.assistant, plain.user, plain.judge) == (4, 4, 16, 0, 0)
    full = planned(scenario, simulated=True, judged=True)
    assert (full.turns, full.user, full.judge, full.checks, full.rubric) == (4, 16, 4, 1, 1)
