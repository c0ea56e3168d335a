"""What a build is asked to do."""

from __future__ import annotations

import pytest

from tests.support.playing import entities
from turnsure.core.errors import InputError
from turnsure.experiment.building.spec import BuildSpec, prepare_build


def spec(**settings) -> BuildSpec:
    return BuildSpec(**{"game": "guess", "entities": "world:countries-gain", **settings})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("game", "chess"),
        ("turns", 0),
        ("attempts", 0),
        ("limit", 0),
        ("seed", -1),
        ("concurrency", 0),
        ("hint_tokens", 0),
        ("answer_tokens", 0),
        ("temperature", 0.0),
        ("temperature", float("inf")),
        ("temperature", float("nan")),
        ("certain", 1.0),
        ("certain", -0.1),
        ("certain", float("nan")),
        ("entities", " "),
        ("task", ""),
        ("wording", ""),
    ],
)
def test_a_setting_out_of_range_is_refused(name, value):
    with pytest.raises(InputError) as caught:
        spec(**{name: value})
    assert caught.value.field == name


def test_the_turn_limit_is_the_games_own_unless_it_is_told():
    assert spec(game="20q").most_turns == 20
    assert spec(game="guess").most_turns == 12
    assert spec(game="20q", turns=3).most_turns == 3


def test_a_world_brings_names_task_and_closing_and_none_of_its_hints():
    setup = prepare_build(spec(limit=3))
    assert len(setup.secrets) == 3
    first = setup.secrets[0]
    assert first.id.startswith("guess-countries-gain-")
    assert set(first.meta) == {"world", "continent"}
    assert "country" in setup.task(first)
    assert first.closing is not None
    assert setup.most_requests == 3 * 12 * 4


def test_a_world_is_the_same_for_the_same_seed_and_no_entity_comes_twice():
    names = [one.names for one in prepare_build(spec(limit=30)).secrets]
    assert names == [one.names for one in prepare_build(spec(limit=30)).secrets]
    assert len(set(names)) == len(names)
    other = prepare_build(spec(limit=30, seed=1)).secrets
    assert names != [one.names for one in other]


def test_a_world_of_ones_own(tmp_path):
    path = tmp_path / "pets.yaml"
    path.write_text(
        "world: pets\ntask: Name the pet.\nsettings: {min_turns: 1}\nfacts:\n"
        "  home: {question: 'Where does it live?', statement: 'It lives {value}.'}\n"
        "entities:\n"
        "  - {name: dog, home: in the house}\n"
        "  - {name: fish, home: in water}\n"
    )
    setup = prepare_build(spec(entities=f"world:{path}?style=questions"))
    assert {secret.names[0] for secret in setup.secrets} == {"dog", "fish"}
    assert setup.task(setup.secrets[0]) == "Name the pet."
    with pytest.raises(InputError, match=r"missing\.yaml.*countries-gain"):
        prepare_build(spec(entities=f"world:{tmp_path / 'missing.yaml'}"))
    with pytest.raises(InputError, match="colour"):
        prepare_build(spec(entities="world:countries-gain?colour=red"))


def test_the_task_may_be_told_and_must_not_name_an_entity(tmp_path):
    path = str(entities(tmp_path, "Peru", "country"))
    assert "secret" in prepare_build(spec(entities=path)).task(
        prepare_build(spec(entities=path)).secrets[0]
    )
    with pytest.raises(InputError, match="'country'") as caught:
        prepare_build(spec(entities=path, task="Name the country."))
    assert caught.value.field == "task"


def test_a_wording_whose_options_cannot_be_swapped_is_refused_at_once(tmp_path):
    path = tmp_path / "w.toml"
    path.write_text("[unique]\ntext = '{question} {answer} A or B?'\n")
    with pytest.raises(InputError) as caught:
        prepare_build(spec(wording=str(path)))
    assert (caught.value.file, caught.value.field) == (str(path), "unique.text")


def test_the_protocol_changes_with_what_decides_and_with_nothing_else(tmp_path):
    path = str(entities(tmp_path, "Peru", "Chad"))

    def protocol(**settings):
        return prepare_build(spec(entities=path, **settings)).protocol({}, {"reading": "x"})

    usual = protocol()
    for changed in (
        {"turns": 5},
        {"seed": 1},
        {"temperature": 1.0},
        {"attempts": 1},
        {"certain": 0.7},
        {"task": "Name it."},
        {"game": "20q"},
        {"hint_tokens": 9},
        {"answer_tokens": 9},
    ):
        assert protocol(**changed) != usual, changed
    assert protocol(limit=1) == protocol(concurrency=2) == usual
