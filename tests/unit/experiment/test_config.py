"""Settings from files."""

from __future__ import annotations

import json

import pytest

from turnsure.core.errors import InputError
from turnsure.core.spec import RunSpec
from turnsure.experiment.config import make_spec, read_config


def written(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.toml", 'methods = ["p_true"]\nbase-url = "http://x"\nsamples = 5\ngold = false'),
        ("c.yaml", "methods: [p_true]\nbase_url: http://x\nsamples: 5\ngold: no"),
        (
            "run.json",
            json.dumps(
                {
                    "format": 1,
                    "spec": {
                        "methods": ["p_true"], "base_url": "http://x", "samples": 5, "gold": False
                    },
                }
            ),
        ),
    ],
)  # fmt: skip
def test_all_three_forms_say_the_same(tmp_path, name, text):
    spec = make_spec(read_config(written(tmp_path, name, text)))
    assert spec == RunSpec(methods=("p_true",), base_url="http://x", samples=5, gold=False)


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("c.toml", "sampels = 5", ["sampels", "did you mean 'samples'"]),
        ("c.toml", "samples = ", ["cannot be parsed"]),
        ("c.yaml", "samples: 5\nbins: [1", ["line 2", "cannot be parsed"]),
        ("c.yaml", "", ["there are no settings"]),
        ("c.json", "{}", ["this is no run.json"]),
        ("c.json", '{"format": 2, "spec": {}}', ["this is no run.json"]),
        ("c.json", '{"format": 1}', ["there are no settings"]),
        ("c.json", "[]", ["there are no settings"]),
        ("c.json", "[" * 90_000, ["cannot be parsed"]),
        ("c.yaml", "limit: 2020-13-45", ["cannot be parsed"]),
        ("c.txt", "", ["the ending '.txt' is unknown"]),
        ("c.yaml", "bins: 5\nlimit: 2\nbins: 6", ["line 3, field 'bins'", "twice"]),
        ("c.yaml", "base-url: x\nbase_url: y", ["field 'base_url'", "twice"]),
        ("c.toml", 'base-url = "x"\nbase_url = "y"', ["field 'base_url'", "twice"]),
        ("c.toml", "bins = 5\nbins = 6", ["cannot be parsed"]),
        ("c.json", '{"format": 1, "spec": {"bins": 5, "bins": 6}}', ["field 'bins'", "twice"]),
        ("c.json", '{"format": 1, "format": 1, "spec": {}}', ["field 'format'", "twice"]),
    ],
)
def test_a_broken_file_is_named(tmp_path, name, text, parts):
    path = written(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        read_config(path)
    for part in (str(path), *parts):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"samples": "many"}, "samples"),
        ({"samples": 0}, "samples"),
        ({"samples": 2.5}, "samples"),
        ({"samples": True}, "samples"),
        ({"limit": True}, "limit"),
        ({"temperature": "0.5"}, "temperature"),
        ({"samples": 10**9}, "samples"),
        ({"bins": 10**12}, "bins"),
        ({"render": "prose"}, "render"),
        ({"methods": []}, "methods"),
        ({"methods": ["p_true", "p_true"]}, "methods"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"temperature": float("inf")}, "temperature"),
        ({"limit": 0}, "limit"),
        ({"context": 10}, "context"),
        ({"seed": -1}, "seed"),
    ],
)
def test_a_bad_value_is_named_with_its_file(tmp_path, settings, field):
    with pytest.raises(InputError) as caught:
        make_spec(settings, file=tmp_path / "c.toml")
    assert caught.value.field == field
    assert caught.value.file == str(tmp_path / "c.toml")
    assert caught.value.expected


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"samples": 2.5}, "field 'samples': 2.5 does not fit (expected a whole number)"),
        ({"timeout": [1]}, "field 'timeout': [1] does not fit (expected a number)"),
        ({"gold": "perhaps"}, "field 'gold': 'perhaps' does not fit (expected true or false)"),
        ({"data": 7}, "field 'data': 7 does not fit (expected a text in quotes)"),
        ({"base_url": 7}, "field 'base_url': 7 does not fit (expected a text in quotes)"),
        ({"methods": "p_true"}, "'p_true' does not fit (expected a list of texts)"),
        ({"methods": ["a", 3]}, "field 'methods[1]': 3 does not fit (expected a text in quotes)"),
        ({"render": "prose"}, "'prose' does not fit (expected transcript or chat)"),
        ({"limit": "2"}, "field 'limit': '2' does not fit (expected a number, unquoted)"),
    ],
)  # fmt: skip
def test_what_was_expected_is_said_in_plain_words(settings, says):
    with pytest.raises(InputError) as caught:
        make_spec(settings)
    assert str(caught.value).endswith(says)
    assert caught.value.field


def test_every_setting_has_words_for_what_it_takes():
    class Odd:
        """Fits no setting."""

        def __repr__(self):
            return "odd"

    for name in RunSpec.__dataclass_fields__:
        with pytest.raises(InputError) as caught:
            make_spec({name: Odd()})
        assert caught.value.field == name
        assert "Input should" not in str(caught.value)


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(InputError) as caught:
        make_spec({"methods": "x" * 10_000})
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("name", ["data", "model", "base_url", "api_key_env", "templates"])
def test_an_empty_text_is_refused(name):
    for blank in ("", "  "):
        with pytest.raises(InputError, match=f"{name} is empty"):
            make_spec({name: blank})


def test_a_blank_task_stands_for_the_default_one():
    assert make_spec({"task": ""}).task == ""
