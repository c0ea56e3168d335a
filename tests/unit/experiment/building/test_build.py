"""A build as a whole, against scripted models and a real store."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.support.playing import CountryPlayers, entities, text_of
from turnsure.core.errors import ContextOverflow, InputError, RequestRejected, StoreError
from turnsure.dialogues.checking.check import check_dialogue
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.experiment.building.build import BuildFolder, build_dialogues
from turnsure.experiment.building.spec import BuildSpec, prepare_build
from turnsure.models.scripted import ScriptedBackend

NAMES = ("Peru", "Chad", "Japan", "Kenya")


def setup_of(tmp_path, *names, **settings):
    path = entities(tmp_path, *(names or NAMES))
    values = {"game": "guess", "entities": str(path), "turns": 3, "task": "Name the country."}
    return prepare_build(BuildSpec(**{**values, **settings}))


def built(tmp_path, players, **settings):
    model = ScriptedBackend(players)
    out = tmp_path / "out.jsonl"
    return build_dialogues(setup_of(tmp_path, **settings), model, model, out), model, out


def test_kept_dialogues_are_whole_and_pass_the_checks(tmp_path):
    found, model, out = built(tmp_path, CountryPlayers(NAMES))
    dialogues = read_dialogues(out)
    assert [dialogue.gold for dialogue in dialogues] == [(name,) for name in NAMES]
    assert [dialogue.id for dialogue in dialogues] == [f"guess-{n}" for n in (1, 2, 3, 4)]
    for dialogue in dialogues:
        assert dialogue.n_turns == 2
        assert dialogue.task == "Name the country."
        assert [one for one in check_dialogue(dialogue) if one.is_error] == []
        assert dict(dialogue.meta) == {
            "builder": "hinter-guesser",
            "game": "guess",
            "hinter": "scripted:double",
            "guesser": "scripted:double",
            "n_turns": "2",
            "first_right": "2",
            "build": found.digest[:12],
        }
    assert len(found.kept) == 4
    assert (found.kept_rate.high, found.kept_rate.method) == (1.0, "wilson")
    # Hint, answer and two probes, two turns, four secrets; nothing is asked besides.
    assert len(model.asked) == found.n_requests == 32


def test_the_record_tells_how_and_how_many(tmp_path):
    players = CountryPlayers(NAMES)
    players.fail = lambda request: (
        ContextOverflow("too long") if "Secret: Chad" in text_of(request) else None
    )
    found, _, out = built(tmp_path, players)
    folder = BuildFolder(out)
    record = json.loads(folder.build_json.read_text())
    assert record["counts"]["n_kept"] == 3
    assert record["counts"]["dropped"] == {"backend_failed": 1}
    assert record["counts"]["turns_of_kept"] == {"2": 3}
    assert record["counts"]["spent"]["hinter"]["n_failed"] == 1
    assert record["digest"] == found.digest
    assert record["finished"] is not None
    assert record["protocol"]["models"]["hinter"]["engine"] == "scripted"
    assert len(record["protocol"]["wording_digest"]) == 64
    games = [json.loads(line) for line in folder.games.read_text().splitlines()]
    assert [game["dropped"] is None for game in games] == [True, False, True, True]
    assert games[1]["dropped"]["evidence"] == "context_overflow: too long"


def test_the_guesser_sees_no_secret_in_any_request_of_a_whole_build(tmp_path):
    players = CountryPlayers(NAMES, n_turns=9)  # so that no guess names a secret
    _, model, _ = built(tmp_path, players)
    guesser = [request for request in model.asked if request.role == "guesser"]
    assert len(guesser) == 4 * 3 * 3
    for request in guesser:
        assert not any(name in text_of(request) for name in NAMES)


def test_where_nothing_is_kept_no_file_is_written(tmp_path):
    found, _, out = built(tmp_path, CountryPlayers(NAMES, n_turns=9))
    assert found.kept == ()
    assert {game.dropped.reason for game in found.games} == {"never_right"}
    assert found.kept_rate.low == 0.0
    assert not out.exists()
    assert BuildFolder(out).games.exists()


@pytest.mark.parametrize("stop_at", [1, 7, 19, 31])
def test_a_build_that_was_stopped_asks_nothing_twice_and_ends_the_same(tmp_path, stop_at):
    whole = tmp_path / "whole"
    whole.mkdir()
    built(whole, CountryPlayers(NAMES))

    class Stopped(Exception):
        pass

    players, n_asked = CountryPlayers(NAMES), 0

    def stop(request):
        nonlocal n_asked
        n_asked += 1
        if n_asked > stop_at:
            raise Stopped
        return

    players.fail = stop
    first = ScriptedBackend(players)
    out = tmp_path / "out.jsonl"
    setup = setup_of(tmp_path, concurrency=1)
    with pytest.raises(Stopped):
        build_dialogues(setup, first, first, out)
    assert not out.exists()
    assert json.loads(BuildFolder(out).build_json.read_text())["finished"] is None

    second = ScriptedBackend(CountryPlayers(NAMES))
    found = build_dialogues(setup, second, second, out)
    assert found.n_from_store == stop_at
    assert len(second.asked) == 32 - stop_at
    answered = Counter([*first.asked[:stop_at], *second.asked])
    assert set(answered.values()) == {1}
    assert out.read_bytes() == (whole / "out.jsonl").read_bytes()
    games = [BuildFolder(path).games.read_bytes() for path in (out, whole / "out.jsonl")]
    assert games[0] == games[1]


def test_a_finished_build_asks_nothing_more_and_more_entities_share_its_store(tmp_path):
    built(tmp_path, CountryPlayers(NAMES), limit=2)
    again, model, _ = built(tmp_path, CountryPlayers(NAMES), limit=2)
    assert model.asked == []
    assert again.n_from_store == 16
    more, model, out = built(tmp_path, CountryPlayers(NAMES))
    assert len(model.asked) == 16
    assert len(more.kept) == len(read_dialogues(out)) == 4


def test_what_failed_is_asked_again_by_the_next_call(tmp_path):
    players = CountryPlayers(NAMES)
    players.fail = lambda request: (
        ContextOverflow("too long") if "Secret: Chad" in text_of(request) else None
    )
    built(tmp_path, players)
    found, model, out = built(tmp_path, CountryPlayers(NAMES))
    assert len(model.asked) == 8
    assert len(found.kept) == len(read_dialogues(out)) == 4


def test_a_back_end_that_has_gone_stops_the_build(tmp_path):
    players = CountryPlayers(NAMES)
    players.fail = lambda request: RequestRejected("always")
    with pytest.raises(RequestRejected, match="every request"):
        built(tmp_path, players)


def test_two_models_play_their_own_roles_and_one_is_started_once(tmp_path):
    started = []

    class Counting(ScriptedBackend):
        async def start(self):
            started.append(self.name)

    players = CountryPlayers(NAMES)
    hinter, guesser = (Counting(players, name=f"scripted:{role}") for role in ("hint", "guess"))
    setup = setup_of(tmp_path)
    build_dialogues(setup, hinter, guesser, tmp_path / "two.jsonl")
    assert {request.role for request in hinter.asked} == {"hinter"}
    assert {request.role for request in guesser.asked} == {"guesser"}
    assert started == ["scripted:hint", "scripted:guess"]
    build_dialogues(setup, hinter, hinter, tmp_path / "one.jsonl")
    assert started[2:] == ["scripted:hint"]


def test_other_builds_and_files_are_not_written_over(tmp_path):
    built(tmp_path, CountryPlayers(NAMES))
    with pytest.raises(StoreError, match="finished build of another protocol"):
        built(tmp_path, CountryPlayers(NAMES), turns=2)
    other = tmp_path / "mine.jsonl"
    other.write_text("precious")
    model = ScriptedBackend(CountryPlayers(NAMES))
    with pytest.raises(InputError, match="no build wrote it"):
        build_dialogues(setup_of(tmp_path), model, model, other)
    assert other.read_text() == "precious"
    assert model.asked == []


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"format": 9, "finished": 1, "digest": ""}'])
def test_a_damaged_record_is_told(tmp_path, content):
    folder = BuildFolder(tmp_path / "out.jsonl")
    folder.path.mkdir()
    folder.build_json.write_text(content)
    with pytest.raises(StoreError, match=r"build\.json"):
        built(tmp_path, CountryPlayers(NAMES))


def test_half_a_surrogate_pair_in_a_reply_can_be_written(tmp_path):
    broken = "\ud800"
    model = ScriptedBackend(lambda request: broken)
    out = tmp_path / "out.jsonl"
    build_dialogues(setup_of(tmp_path, limit=1), model, model, out)
    [game] = [json.loads(line) for line in BuildFolder(out).games.read_text().splitlines()]
    assert {one["reply"] for one in game["refusals"]} == {broken}
