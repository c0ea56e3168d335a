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
