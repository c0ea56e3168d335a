"""A user's own words for the simulated user."""

from __future__ import annotations

import pytest

from tests.support.suites import scenario
from turnsure.core.errors import InputError
from turnsure.scenarios.users.wording import load_wording


def file(folder, text: str):
    path = folder / "wording.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_replaces_what_it_names_and_nothing_else(tmp_path):
    own = load_wording(file(tmp_path, '[message]\ntext = "{talk} / {task}"\n'))
    prompt = own.message(scenario(), (), scenario().reveals[0], None)
    assert prompt.startswith("(nothing was said yet; you write first) / What you have to tell")
    assert own.texts["stop.text"] == load_wording().texts["stop.text"]


def test_a_slot_inside_a_value_stays_as_it_is():
    given = scenario(persona="{task} {goal}")
    assert "{task} {goal}" in load_wording().message(given, (), None, None)


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ('[massage]\ntext = "x"', "massage.text", "did you mean 'message.text'"),
        ('[message]\ntext = "{talk}"', "message.text", "{task}"),
        ('[message]\ntext = ""', "message.text", "no text"),
        ("[message]\ntext = 3", "message.text", "no text"),
        ('text = "x"', "text", "outside any section"),
        ('[stop]\ngo_on = "A"', "stop.go_on", "both answers are 'A'"),
        ("format = 2", "format", "unknown"),
        ("format = true", "format", "unknown"),
    ],
)
def test_a_wrong_file_is_one_clear_line(tmp_path, text, field, said):
    with pytest.raises(InputError) as caught:
        load_wording(file(tmp_path, text))
    for part in ("wording.toml", repr(field), said):
        assert part in str(caught.value)


def test_a_file_that_is_not_there_or_no_toml(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load_wording(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read"):
        load_wording(file(tmp_path, "[[["))
