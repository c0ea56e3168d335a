"""The rental scenario with three assistants to try it on, and a recorded conversation to check.

The renter of Pune is the running example of the documentation.  :data:`RENTAL` is its card; the
assistants :func:`right`, :func:`forgetful` and :func:`flaky` answer from the frozen listings beside
it.  :data:`CHECK_RULES` and :func:`renters_chat` are a card and a finished conversation.
"""

from __future__ import annotations

from pathlib import Path

from turnsure.scenarios.examples.assistants import flaky, forgetful, right
from turnsure.scenarios.examples.chat import renters_chat

RENTAL = Path(__file__).parent / "rental.yaml"
CHECK_RULES = Path(__file__).parent / "check_rules.yaml"

__all__ = ["CHECK_RULES", "RENTAL", "flaky", "forgetful", "renters_chat", "right"]
