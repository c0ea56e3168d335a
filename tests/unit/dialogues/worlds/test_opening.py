"""What may stand after ``--data``: a world, a file, and settings of either."""

from __future__ import annotations

import pytest

from tests.unit.dialogues.worlds.test_user_file import CSV
from turnsure import registry
from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec
from turnsure.dialogues.countries import countries_dialogues
from turnsure.dialogues.worlds.of_countries import countries_gain
from turnsure.dialogues.worlds.opening import is_world, world_dialogues
from turnsure.experiment.setup import load_dialogues


@pytest.fixture
def animals(tmp_path):
    path = tmp_path / "animals.csv"
    path.write_text(CSV.replace("#min_turns,4", "#min_turns,1"), encoding="utf-8")
    return f"world:{path}"


def test_a_built_in_world_with_and_without_settings():
    assert world_dialogues("countries-gain", 5, seed=2) == countries_gain(5, seed=2)
    options = {"twists": "1", "style": "questions"}
    assert world_dialogues("countries-gain?twists=1&style=questions", 5) == countries_gain(
        5, options=options
    )


def test_countries_is_what_it_was():
    assert world_dialogues("countries", 9, seed=4) == countries_dialogues(9, seed=4)


def test_settings_after_a_file_replace_its_own(animals):
    drawn = world_dialogues(animals, 4)
    assert all(hint.question for one in drawn for hint in one.hints)
    drawn = world_dialogues(f"{animals}?style=statements", 4)
    assert not any(hint.question for one in drawn for hint in one.hints)


def test_a_run_takes_a_world_of_its_own(animals):
    drawn = load_dialogues(RunSpec(data=f"{animals}?candidates=closed", limit=3, seed=6))
    assert drawn == world_dialogues(f"{animals}?candidates=closed", 3, seed=6)
    assert "lion, cow, bat" in drawn[0].task


@pytest.mark.parametrize(
    ("data", "so"),
    [
        ("countries", True),
        ("countries-gain?twists=1", True),
        ("world:x.yaml", True),
        ("countries.jsonl", False),
        ("x?twists=1", False),
    ],
)
def test_what_is_a_world(data, so):
    assert is_world(data) is so


def test_every_built_in_world_can_be_drawn_from():
    for name in registry.names("worlds"):
        assert len(world_dialogues(name, 2)) == 2


@pytest.mark.parametrize(
    ("data", "field", "problem"),
    [
        ("countries?style=questions", "data", "'countries' has no settings"),
        ("countries-gain?twists", "data", "'twists' is no setting"),
        ("countries-gain?=1", "data", "'=1' is no setting"),
        ("countries-gain?twists=1&", "data", "'' is no setting"),
        ("countries-gain?twists=1&twists=2", "twists", "stands here twice"),
        ("countries-gain?twist=1", "twist", "did you mean 'twists'"),
        ("world:none.yaml", None, "no such file"),
    ],
)
def test_a_mistake_is_named(data, field, problem):
    with pytest.raises(InputError, match=problem) as caught:
        world_dialogues(data)
    assert caught.value.field == field
    assert caught.value.expected
