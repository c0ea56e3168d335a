"""Counts of what the engine did, for progress and for the run's cost."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from turnsure.core.generation import Generation, GenerationRequest


@dataclass(slots=True)
class Spent:
    """What the model was made to do; token counts are what the back-end reported.

    Attributes
    ----------
    n_sent
        Requests that the model answered.
    prompt_tokens, cached_tokens
        Of the prompts as sent; and how many of them the back-end did not evaluate anew.
    new_tokens
        Of the prompts, what no earlier prompt began with: the least that can be evaluated.
    n_unlimited
        Requests whose ``new_tokens`` the back-end did not tell; with any, there is no limit to
        compare with.
    completion_tokens, n_uncounted
        Of the replies; and the replies without such a count.
    seconds
        As measured by the back-end or the client.
    """

    n_sent: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    n_unlimited: int = 0
    completion_tokens: int = 0
    n_uncounted: int = 0
    seconds: float = 0.0

    def add(self, generation: Generation) -> None:
        """Count a reply."""
        usage = generation.usage
        self.n_sent += 1
        self.prompt_tokens += usage.prompt_tokens or 0
        self.cached_tokens += usage.cached_tokens or 0
        self.new_tokens += usage.new_tokens or 0
        self.n_unlimited += usage.new_tokens is None
        self.completion_tokens += usage.completion_tokens or 0
        self.n_uncounted += usage.completion_tokens is None
        self.seconds += generation.seconds

    def include(self, other: Spent) -> None:
        """Add what was spent elsewhere."""
        for name in Spent.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(slots=True)
class Counters(Spent):
    """Running totals.

    Attributes
    ----------
    n_flows, n_flows_done
        Dialogues in all, and finished.
    n_requests
        Requests that flows made.
    n_from_store
        Of these, answered without asking the model (kept earlier, or equal to one just asked).
    n_failed
        Of these, given up.
    n_retries
        Attempts beyond the first.
    by_tag
        What was spent, by method or step.
    ledger
        The same of every different request of the flows, also of those that an earlier run asked
        and the store kept: what the results cost, however often they were interrupted.
    """

    n_flows: int = 0
    n_flows_done: int = 0
    n_requests: int = 0
    n_from_store: int = 0
    n_failed: int = 0
    n_retries: int = 0
    by_tag: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    ledger: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    _entered: set[int] = field(default_factory=set[int])

    def asked(self, key: str, request: GenerationRequest, generation: Generation) -> None:
        """Count a request that the model answered."""
        self.add(generation)
        self.by_tag[request.tag].add(generation)
        self._enter(key, request, generation)

    def kept(self, key: str, request: GenerationRequest, generation: Generation) -> None:
        """Count a request that the store answered."""
        self.n_from_store += 1
        self._enter(key, request, generation)

    def _enter(self, key: str, request: GenerationRequest, generation: Generation) -> None:
        short = hash(key)  # eight bytes a request, of which there may be millions
        if short not in self._entered:
            self._entered.add(short)
            self.ledger[request.tag].add(generation)
