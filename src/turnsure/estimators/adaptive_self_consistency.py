"""Self-consistency that stops sampling when more samples would hardly change what it says.

The samples are those of self-consistency, drawn a batch at a time: sample j has the seed + j, so
that the first n are the first n of its m.  After every batch the share that *all m* samples would
give has an interval, of the confidence sequence of
:func:`turnsure.numerics.whole_counts.whole_count_bounds`: it may be looked at after every batch and
still holds that share with the stated probability.  Sampling stops when the interval reaches no
further than the stated half-width to either side of its middle, and at m at the latest.

The interval is one for the share among m and not for the chance that a sample agrees.  It answers
the question that a shorter run poses, how far off the full run is, and as m is finite it closes
fast: when n of m are drawn, it is never wider than (m − n)/m.  An interval for the chance, valid at
every look, stays wider than ±0.25 in the middle even with 20 samples, and would save nothing there.

Stopping as soon as a batch is of one mind favours extreme shares: the plain share of the samples
that were drawn would be too sure by up to 3.4 points in a hundred.  The confidence is therefore the
unbiased share of :func:`turnsure.numerics.stopped_shares.stopped_shares`: 1 where all samples
agree, and less than 9 / 10 where nine of ten do, since that many count only if the first five were
not of one mind.

While no sample has a readable answer it goes on, so that it fails exactly where self-consistency
does on the same samples.  Where that kept it from stopping and its rule could not have come to the
point at which it ends, the confidence is the plain share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial

from turnsure.core.confidence import Confidence, Target
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.requests import (
    ANY_ANSWER,
    all_texts,
    answer_request,
    no_readable_sample,
    samples_definition,
)
from turnsure.estimators.settings import EstimatorSettings
from turnsure.numerics.stopped_shares import stopped_shares
from turnsure.numerics.whole_counts import whole_count_bounds

NAME = "adaptive_self_consistency"
SAMPLES = "adaptive_samples"
"""The tag of its requests."""

_RULE = re.compile(r"stopped at (\d+) of \d+")
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveSelfConsistency:
    """Draws batches of samples until their share is known well enough, m samples at most."""

    settings: EstimatorSettings

    @property
    def name(self) -> str:
        return NAME

    @property
    def targets(self) -> tuple[Target, ...]:
        return ANY_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        return {
            **samples_definition(self.settings),
            "batch": str(self.settings.adaptive_batch),
            "half-width": str(self.settings.adaptive_half_width),
            "level": str(self.settings.adaptive_level),
            "interval": "prior-posterior ratio of the count among all samples",
            "share": "unbiased for the stopping rule",
        }

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can be sampled; without ``n`` the samples are separate requests."""

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        settings, m = self.settings, self.settings.samples
        texts: list[str] = []
        agreeing = n_read = 0
        while len(texts) < m and not (n_read and self.may_stop(agreeing, len(texts))):
            size = min(settings.adaptive_batch, m - len(texts))
            request = answer_request(context, settings, samples=size)
            [reply] = yield [replace(request, seed=context.seed + len(texts), tag=SAMPLES)]
            batch = all_texts(reply, size, method=NAME)
            if isinstance(batch, Failure):
                return batch
            read = [one for text in batch if (one := settings.read_answer(text)) is not None]
            agreeing += sum(settings.same_answer(one, answer) for one in read)
            n_read += len(read)
            texts += batch
        if not n_read:
            return no_readable_sample(texts, method=NAME)
        drawn = len(texts)
        return Confidence(
            value=self.share(agreeing, drawn),
            method=NAME,
            scale="probability",
            path="sampled",
            rule=f"{agreeing} of {drawn} agree, stopped at {drawn} of {m}, "
            f"{drawn - n_read} unreadable",
        )

    def may_stop(self, agreeing: int, drawn: int) -> bool:
        """Whether the share that all m samples would give is known well enough.

        Parameters
        ----------
        agreeing, drawn
            0 <= agreeing <= drawn <= m.
        """
        settings = self.settings
        return _is_narrow(
            agreeing,
            drawn,
            m=settings.samples,
            half_width=settings.adaptive_half_width,
            level=settings.adaptive_level,
        )

    def share(self, agreeing: int, drawn: int) -> float:
        """The confidence after so many samples, in [0, 1]; ``drawn`` is at least 1."""
        settings = self.settings
        shares = _shares(
            settings.samples,
            settings.adaptive_batch,
            settings.adaptive_half_width,
            settings.adaptive_level,
        )
        return shares.get((agreeing, drawn), agreeing / drawn)


def _is_narrow(agreeing: int, drawn: int, *, m: int, half_width: float, level: float) -> bool:
    low, high = whole_count_bounds(agreeing, drawn, m, level)
    return (high - low) / (2 * m) <= half_width + _ROUNDING


@cache
def _shares(m: int, batch: int, half_width: float, level: float) -> Mapping[tuple[int, int], float]:
    looks = [*range(batch, m, batch), m]
    return stopped_shares(looks, partial(_is_narrow, m=m, half_width=half_width, level=level))


def samples_drawn(confidence: Confidence) -> int | None:
    """How many samples a confidence of this method rests on, from its rule; else None."""
    found = None if confidence.method != NAME else _RULE.search(confidence.rule or "")
    return None if found is None else int(found[1])


def adaptive_self_consistency(settings: EstimatorSettings) -> AdaptiveSelfConsistency:
    """Build the method."""
    return AdaptiveSelfConsistency(settings=settings)
