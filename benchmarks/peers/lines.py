"""The peers' end of the lines: a JSON object in, a JSON object out, strictly in order."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any, Protocol


class Player(Protocol):
    """A peer at work."""

    def turn(self, task: dict[str, Any]) -> None:
        """Measure one turn."""
        ...

    def counts(self) -> dict[str, Any]:
        """What was done so far, as ``contest.rounds.Counts`` has it."""
        ...

    def versions(self) -> dict[str, str]:
        """Of the packages that matter."""
        ...


def serve(open_player: Callable[[dict[str, Any]], Player]) -> None:
    """Answer ``start``, then ``turn`` and ``counts``, until standard input closes.

    An error ends the process; its last words are on standard error.
    """
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print goes to standard error
    player: Player | None = None
    for line in sys.stdin:
        ((what, told),) = json.loads(line).items()
        if what == "start":
            player = open_player(told)
            reply: dict[str, Any] = player.versions()
        elif player is None:
            raise RuntimeError("it was not started")
        elif what == "turn":
            player.turn(told)
            reply = {}
        else:
            reply = player.counts()
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
