"""When a request is sent again."""

from __future__ import annotations

import pytest

from turnsure.core.errors import BackendUnavailable, ContextOverflow, RateLimited
from turnsure.engine.retry import RetryPolicy

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
