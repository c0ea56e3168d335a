"""When a request is sent again."""

from __future__ import annotations

import pytest

from turnsure.core.errors import (
    BackendTimeout,
    BackendUnavailable,
    ContextOverflow,
    MalformedResponse,
    RateLimited,
    RequestRejected,
)
from turnsure.engine.retry import AT_START, RetryPolicy, start_patiently

POLICY = RetryPolicy(attempts=4, first_wait=1.0, longest_wait=3.0, longest_retry_after=10.0)


@pytest.mark.parametrize(
    ("attempt", "least", "most"), [(1, 0.5, 1.0), (2, 1.0, 2.0), (3, 1.5, 3.0)]
)
def test_waits_double_up_to_the_bound(attempt, least, most):
    error = BackendUnavailable("gone")
    assert POLICY.wait(error, attempt, lambda: 0.0) == pytest.approx(least)
    assert POLICY.wait(error, attempt, lambda: 1.0) == pytest.approx(most)


def test_gives_up_after_the_last_attempt():
    assert POLICY.wait(BackendUnavailable("gone"), 4, lambda: 0.0) is None


def test_never_repeats_what_cannot_succeed():
    assert POLICY.wait(ContextOverflow("too long"), 1, lambda: 0.0) is None


def test_waits_at_least_as_long_as_the_server_asks():
    assert POLICY.wait(RateLimited("slow", retry_after=7.0), 1, lambda: 0.0) == 7.0
    assert POLICY.wait(RateLimited("slow", retry_after=7.0), 1, lambda: 0.9) > 7.0


def test_a_pause_that_is_too_long_fails_the_request():
    assert POLICY.wait(RateLimited("slow", retry_after=11.0), 1, lambda: 0.0) is None


def test_a_rate_limit_without_a_pause_backs_off():
    assert POLICY.wait(RateLimited("slow"), 1, lambda: 0.0) == 0.5


@pytest.mark.parametrize(("most", "sent"), [(4, 3), (2, 2)])
@pytest.mark.parametrize("error", [MalformedResponse("not JSON"), BackendTimeout("120 s")])
def test_what_mostly_goes_on_is_asked_for_less_often(error, most, sent):
    policy = RetryPolicy(attempts=most, fewer_attempts=3)
    assert policy.wait(error, sent - 1, lambda: 0.0) is not None
    assert policy.wait(error, sent, lambda: 0.0) is None


class Starting:
    """A back-end that fails to start in the given ways, and starts then."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.waits = []

    async def start(self):
        if self.errors:
            raise self.errors.pop(0)

    async def sleep(self, seconds):
        self.waits.append(seconds)

    async def patiently(self):
        await start_patiently(self, sleep=self.sleep, jitter=lambda: 0.0)


async def test_a_server_that_hiccups_at_the_start_is_waited_for():
    backend = Starting(RateLimited("slow", retry_after=7.0), BackendUnavailable("HTTP 500"))
    await backend.patiently()
    assert backend.waits == [7.0, 0.5]


async def test_a_server_that_is_not_there_is_told_soon():
    backend = Starting(*[BackendUnavailable("connection refused")] * 9)
    with pytest.raises(BackendUnavailable, match="refused"):
        await backend.patiently()
    assert len(backend.waits) == AT_START.attempts - 1
    assert sum(backend.waits) < 5.0


@pytest.mark.parametrize("error", [RequestRejected("wrong key"), BackendTimeout("120 s")])
async def test_what_a_second_start_would_not_mend_ends_the_first(error):
    backend = Starting(error)
    with pytest.raises(type(error)):
        await backend.patiently()
    assert backend.waits == []
