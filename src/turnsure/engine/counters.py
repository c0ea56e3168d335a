"""Counts of what the engine did, for progress and for the run's cost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from turnsure.core.generation import Generation, GenerationRequest


@dataclass(slots=True)
class Counters:
    """Running totals; token counts are what the back-end reported.

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
    n_uncounted
        Generations whose completion tokens the back-end did not tell.
    by_tag
        Requests sent to the model, by method or step.
    """

    n_flows: int = 0
    n_flows_done: int = 0
    n_requests: int = 0
    n_from_store: int = 0
    n_failed: int = 0
    n_retries: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    n_uncounted: int = 0
    seconds: float = 0.0
    by_tag: Counter[str] = field(default_factory=Counter[str])

    def asked(self, request: GenerationRequest, generation: Generation) -> None:
        """Count a request that the model answered."""
        self.by_tag[request.tag] += 1
        self.prompt_tokens += generation.usage.prompt_tokens or 0
        self.cached_tokens += generation.usage.cached_tokens or 0
        self.completion_tokens += generation.usage.completion_tokens or 0
        self.n_uncounted += generation.usage.completion_tokens is None
        self.seconds += generation.seconds
