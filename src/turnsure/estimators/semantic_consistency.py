"""Self-consistency that counts meanings: samples that say the same in other words agree.

The samples are those of self-consistency.  They are put into clusters of one meaning (Kuhn et al.
2023, *Semantic Uncertainty*; Farquhar et al. 2024, *Detecting hallucinations in large language
models using semantic entropy*), and the confidence is the share of all m samples that fall into
the cluster of the proposed answer.  A sample without a readable answer is in no cluster and stays
in m.

Answers that match by rule are together to begin with.  What else is:

=============  ================================================================================
grouping
=============  ================================================================================
``match``      nothing; matching counts along chains, so that it is transitive
``judge``      groups that the model itself says mean the same in this dialogue: from the most
               frequent to the rarest, each is compared with the first answer of every cluster so
               far until one agrees, so there are at most (distinct answers × clusters) probes
``embedding``  groups whose embeddings have a cosine of at least the threshold, along chains; the
               answers are embedded as they are, without the dialogue
=============  ================================================================================

The sources decide by entailment in both directions with a model of its own; the judge here is the
subject, asked once a pair.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Message
from turnsure.core.errors import CapabilityError
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.grouping import connected, cosine
from turnsure.estimators.label_probe import LabelProbe, least_mass
from turnsure.estimators.requests import (
    ANY_ANSWER,
    answer_request,
    read_samples,
    samples_definition,
)
from turnsure.estimators.settings import EstimatorSettings

NAME = "semantic_consistency"
SAME_MEANING = "same_meaning"
"""The judge's template."""

_EVEN = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Answers that match by rule, and how many samples gave one of them."""

    answers: tuple[str, ...]
    n_samples: int


_Clusters = list[list[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SemanticConsistency:
    """Groups the samples of self-consistency by what they mean."""

    settings: EstimatorSettings

    @property
    def name(self) -> str:
        return NAME

    @property
    def targets(self) -> tuple[Target, ...]:
        return ANY_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        parts = {**samples_definition(self.settings), "grouping": self.settings.grouping}
        if self.settings.grouping == "judge":
            parts |= {f"judge {name}": text for name, text in self._judge.definition.items()}
        if self.settings.grouping == "embedding":
            parts["threshold"] = str(self.settings.embedding_threshold)
        return parts

    @property
    def _judge(self) -> LabelProbe:
        template = self.settings.templates[SAME_MEANING]
        return LabelProbe(name=NAME, template=template, settings=self.settings)

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        if self.settings.grouping == "judge":
            self._judge.check(capabilities, model=model)
        if self.settings.grouping == "embedding" and not self.settings.embeddings:
            raise CapabilityError(
                method=NAME,
                needs="embeddings",
                model=model,
                alternatives=(
                    "group by rule (match) or let the model judge (judge)",
                    "name a model for embeddings that the endpoint serves (--embedding-model)",
                ),
            )

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        m = self.settings.samples
        [reply] = yield [answer_request(context, self.settings, samples=m)]
        read = read_samples(reply, self.settings, method=NAME)
        if isinstance(read, Failure):
            return read
        groups = self._by_rule(read)
        own = {
            place
            for place, group in enumerate(groups)
            if any(self.settings.same_answer(one, answer) for one in group.answers)
        }
        # An answer that no sample matches comes last, so that the judge sees the samples first.
        texts = [group.answers[0] for group in groups] + ([] if own else [answer])
        probes: list[Confidence] = []
        clusters = yield from self._clusters(context, texts, probes)
        if isinstance(clusters, Failure):
            return clusters
        agreeing = sum(
            groups[place].n_samples
            for cluster in clusters
            if not (own or {len(groups)}).isdisjoint(cluster)
            for place in cluster
            if place < len(groups)
        )
        n_meanings = sum(cluster[0] < len(groups) for cluster in clusters)
        return Confidence(
            value=agreeing / m,
            method=NAME,
            scale="probability",
            path="sampled",
            label_mass=least_mass(probes),
            truncated=any(one.truncated for one in probes),
            rule=f"{agreeing} of {m} mean the same, {n_meanings} meanings, "
            f"{m - len(read)} unreadable",
        )

    def _by_rule(self, read: Sequence[str]) -> list[_Group]:
        """Groups of answers that match, the largest first; equally large ones as they came."""
        counts = Counter(read)
        texts = list(counts)
        same = self.settings.same_answer
        groups = [
            _Group(
                answers=tuple(texts[place] for place in places),
                n_samples=sum(counts[texts[place]] for place in places),
            )
            for places in connected(len(texts), lambda i, j: same(texts[i], texts[j]))
        ]
        return sorted(groups, key=lambda group: -group.n_samples)

    def _clusters(
        self, context: TurnContext, texts: Sequence[str], probes: list[Confidence]
    ) -> Flow[_Clusters | Failure]:
        """Clusters of places in ``texts``, each in ascending order; probes are added to."""
        if self.settings.grouping == "judge":
            return (yield from self._by_judge(context, texts, probes))
        if self.settings.grouping == "embedding" and len(texts) > 1:
            return (yield from self._by_embedding(texts))
        return [[place] for place in range(len(texts))]

    def _by_judge(
        self, context: TurnContext, texts: Sequence[str], probes: list[Confidence]
    ) -> Flow[_Clusters | Failure]:
        judge = self._judge
        clusters: _Clusters = []
        for place, text in enumerate(texts):
            for cluster in clusters:
                messages = judge.template.fill(context.history, texts[cluster[0]], other=text)
                verdict = yield from judge.ask(messages, seed=context.seed, tag=SAME_MEANING)
                if isinstance(verdict, Failure):
                    return verdict
                probes.append(verdict)
                if verdict.value > _EVEN:
                    cluster.append(place)
                    break
            else:
                clusters.append([place])
        return clusters

    def _by_embedding(self, texts: Sequence[str]) -> Flow[_Clusters | Failure]:
        replies = yield [_embedding_request(text) for text in texts]
        vectors: list[tuple[float, ...]] = []
        for reply in replies:
            if isinstance(reply, Failure):
                return reply
            vectors.append(reply.embedding)
        likeness: dict[tuple[int, int], float] = {}
        for i, j in itertools.combinations(range(len(texts)), 2):
            angle = cosine(vectors[i], vectors[j])
            if angle is None:
                return Failure(
                    stage="confidence",
                    kind="malformed_embedding",
                    message="an embedding is missing, has no direction, or has another length",
                    method=NAME,
                )
            likeness[i, j] = angle
        threshold = self.settings.embedding_threshold
        return connected(len(texts), lambda i, j: likeness[i, j] >= threshold)


def _embedding_request(text: str) -> GenerationRequest:
    return GenerationRequest(
        messages=(Message(role="user", content=text),), max_tokens=1, embed=True, tag="embedding"
    )


def semantic_consistency(settings: EstimatorSettings) -> SemanticConsistency:
    """Build the method."""
    return SemanticConsistency(settings=settings)
