"""What every user of a conversation must keep to."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.flows import drive, label_mass, texts
from tests.support.suites import exchange, run_of, scenario
from turnsure.core.conversation import Exchange
from turnsure.core.generation import GenerationRequest
from turnsure.core.protocols import Reply
from turnsure.core.scenario import Scenario
from turnsure.models.scripted import ScriptedBackend
from turnsure.scenarios.seams import Said, Stopped, User
from turnsure.scenarios.users.scripted import ScriptedUser
from turnsure.scenarios.users.simulated import SimulatedUser

USERS: dict[str, Callable[[], User]] = {
    "scripted": ScriptedUser,
    "simulated": lambda: SimulatedUser(backend=ScriptedBackend(lambda request: "")),
}


@pytest.fixture(params=USERS)
def user(request: pytest.FixtureRequest) -> User:
    return USERS[request.param]()


def obedient(request: GenerationRequest) -> Reply:
    """Say what is to be said, and stop when asked."""
    if request.labels is not None:
        return label_mass(A=0.9, B=0.1)
    prompt = request.messages[0].content
    return texts(prompt.partition("nothing beyond it:\n")[2].partition("\n")[0])


def talk(user: User, given: Scenario, *, replicate: int = 0) -> tuple[list[Any], list[Any]]:
    """A whole conversation: the user's turns, and what its model was asked at each."""
    exchanges: list[Exchange] = []
    turns: list[Any] = []
    asked: list[Any] = []
    while not turns or not isinstance(turns[-1], Stopped):
        run = run_of(given, replicate=replicate)
        turn, requests = drive(user.next(given, tuple(exchanges), run=run), obedient)
        turns.append(turn)
        asked.append(requests)
        if isinstance(turn, Said):
            place = len(exchanges) + 1
            exchanges.append(exchange(place, turn.text, "Very well.", reveals=turn.reveals))
        assert len(turns) < 20
    return turns, asked


def test_every_reveal_is_made_once_in_order_and_at_most_one_a_turn(user):
    turns, _ = talk(user, scenario())
    assert [one.reveals for one in turns if isinstance(one, Said)] == [
        ("area",),
        ("budget",),
        ("dog",),
    ]


def test_no_request_holds_what_is_for_later_and_all_are_in_the_users_role(user):
    _, asked = talk(user, scenario(goal="A flat in Baner for 25,000 rupees and a dog."))
    for turn, requests in enumerate(asked, start=1):
        for request in requests:
            assert request.role == "user"
            for later in scenario().reveals[turn:]:
                assert later.say not in request.messages[0].content


def test_equal_runs_are_asked_equal_things_and_other_runs_share_no_request(user):
    _, one = talk(user, scenario())
    assert one == talk(user, scenario())[1]
    keys = {(request.replicate, request.messages) for turn in one for request in turn}
    _, other = talk(user, scenario(), replicate=1)
    assert not keys & {(request.replicate, request.messages) for turn in other for request in turn}


def test_it_is_over_no_later_than_it_stops(user):
    exchanges = [exchange(turn, "So?", "So.") for turn in range(1, 12)]
    assert user.is_over(scenario(), exchanges)
    assert not user.is_over(scenario(), ())
    stopped, asked = drive(user.next(scenario(), exchanges, run=run_of()), obedient)
    assert isinstance(stopped, Stopped)
    assert asked == []


def test_its_definition_is_texts(user):
    assert user.name
    assert json.loads(json.dumps(dict(user.definition))) == dict(user.definition)
    assert all(isinstance(one, str) for one in user.definition.values())
