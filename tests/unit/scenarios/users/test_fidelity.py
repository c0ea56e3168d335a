"""What the guards saw, counted; and a sample to read."""

from __future__ import annotations

import pytest

from tests.support.suites import exchange
from turnsure.core.conversation import Slip, Transcript
from turnsure.core.errors import InputError
from turnsure.scenarios.users.fidelity import fidelity, sample_to_read


def slip(guard: str) -> Slip:
    return Slip(guard=guard, evidence="e", text="t")


GOOD = Transcript(
    scenario="flat",
    replicate=0,
    exchanges=(
        exchange(1, "a", "b", reveals=("area",)),
        exchange(2, "c", "d", reveals=("dog",), slips=(slip("role_swap"), slip("role_swap"))),
    ),
    ending="user_stop",
)
NOTED = Transcript(
    scenario="flat",
    replicate=1,
    exchanges=(exchange(1, "a", "b", note="n"), exchange(2, "a", "b", reveals=("area",))),
    ending="script_end",
)
BROKEN = Transcript(
    scenario="flat",
    replicate=2,
    exchanges=(exchange(1, "a", "b", reveals=("area",)),),
    ending="user_invalid",
    slips=(slip("role_swap"), slip("missing_fact")),
)


def test_everything_is_counted():
    seen = fidelity([GOOD, NOTED, BROKEN])
    assert (seen.n_runs, seen.n_invalid, seen.n_messages) == (3, 1, 5)
    assert (seen.n_retries, seen.n_mended, seen.n_notes) == (4, 1, 1)
    assert seen.refused == {"role_swap": 3, "missing_fact": 1}
    assert seen.invalid == {"missing_fact": 1}
    assert seen.released == {("flat", "area"): {1: 2, 2: 1}, ("flat", "dog"): {2: 1}}


def test_nothing_is_nothing():
    seen = fidelity([])
    assert (seen.n_runs, seen.n_messages, seen.refused, seen.released) == (0, 0, {}, {})


def test_the_sample_is_seeded_in_order_and_without_invalid_runs():
    runs = [
        Transcript(scenario="flat", replicate=n, exchanges=GOOD.exchanges, ending="user_stop")
        for n in range(30)
    ]
    drawn = sample_to_read([*runs, BROKEN], 5, seed=1)
    assert [one.replicate for one in drawn] == sorted(one.replicate for one in drawn)
    assert len(drawn) == len({one.replicate for one in drawn}) == 5
    assert drawn == sample_to_read([*runs, BROKEN], 5, seed=1)
    assert drawn != sample_to_read([*runs, BROKEN], 5, seed=2)
    assert sample_to_read([BROKEN, GOOD], 9, seed=1) == (GOOD,)
    with pytest.raises(InputError, match="n"):
        sample_to_read(runs, 0, seed=1)
