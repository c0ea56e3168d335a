"""Label probes: the probability that the model puts on the label that means "yes".

P(True) asks whether the proposed answer is true (Kadavath et al. 2022); P(Sufficient) asks whether
what is known so far is enough to establish it ("Confidence Estimation for LLMs in Multi-turn
Interactions", section 3.4).  With the labels A and B, the confidence is ``ΣA / (ΣA + ΣB)`` over the
token variants of each; the mass ``ΣA + ΣB`` is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from turnsure.core.confidence import Confidence, Target
from turnsure.core.dialogue import Message
from turnsure.core.errors import CapabilityError
from turnsure.core.generation import GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.requests import ANY_ANSWER, all_texts, no_reply
from turnsure.estimators.settings import EstimatorSettings
from turnsure.estimators.templates import PromptTemplate

_LETTER_TOKENS = 4
_OPENING = "*_`\"'([{ \t\r\n"
_ENDS_LABEL = re.compile(r"[*_`\"')\]}.:,;!]|\s*\n|\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelProbe:
    """Asks for one of two labels.

    Attributes
    ----------
    name
        Method name.
    template
        The prompt; its first label means "yes".
    settings
        How the labels are read.
    """

    name: str
    template: PromptTemplate
    settings: EstimatorSettings

    @property
    def targets(self) -> tuple[Target, ...]:
        return ANY_ANSWER

    @property
    def definition(self) -> Mapping[str, str]:
        parts = {**self.template.definition, "reading": self.settings.label_reading}
        if self.settings.label_reading == "sampled":
            parts["samples"] = str(self.settings.samples)
            parts["temperature"] = str(self.settings.temperature)
        return parts

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        if self.settings.label_reading == "logprobs" and capabilities.label_probabilities == "none":
            raise CapabilityError(
                method=self.name,
                needs="token log-probabilities",
                model=model,
                alternatives=(
                    "read the probes by sampling (--label-reading sampled)",
                    "use methods that need only text (vanilla_verb, cot_verb, self_consistency)",
                    "serve the model with log-probabilities (vLLM, SGLang and llama.cpp can)",
                ),
            )
        if self.template.prefill and not capabilities.prefill:
            raise CapabilityError(
                method=self.name,
                needs="a reply that can be begun for the model (prefill)",
                model=model,
                alternatives=(f"leave [{self.template.name}] prefill empty in the templates",),
            )

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        messages = self.template.fill(context.history, answer)
        return (yield from self.ask(messages, seed=context.seed, tag=self.name))

    def ask(
        self, messages: tuple[Message, ...], *, seed: int, tag: str
    ) -> Flow[Confidence | Failure]:
        """Ask for the label that means "yes", in a prompt filled by the caller.

        Parameters
        ----------
        messages
            The prompt, made from the probe's template.
        seed
            For a reading by sampling.
        tag
            What the request is counted under.
        """
        if self.settings.label_reading == "sampled":
            return (yield from self._by_sampling(messages, seed, tag))
        request = GenerationRequest(
            messages=messages, max_tokens=1, labels=self.template.labels, tag=tag
        )
        [reply] = yield [request]
        if isinstance(reply, Failure):
            return reply
        reading = reply.labels
        if reading is None:
            return no_reply(self.name)
        if len(reading.truncated) == len(self.template.labels) or reading.total <= 0:
            return Failure(
                stage="confidence",
                kind="labels_absent",
                message=f"none of {', '.join(self.template.labels)} is among the "
                f"{reading.n_top} most probable first tokens",
                method=self.name,
                raw=_listed(reading.outside),
            )
        return Confidence(
            value=reading.probability(self.template.labels[0]),
            method=self.name,
            scale="probability",
            path="logprobs",
            label_mass=reading.total,
            truncated=bool(reading.truncated),
        )

    def _by_sampling(
        self, messages: tuple[Message, ...], seed: int, tag: str
    ) -> Flow[Confidence | Failure]:
        m = self.settings.samples
        request = GenerationRequest(
            messages=messages,
            max_tokens=_LETTER_TOKENS,
            temperature=self.settings.temperature,
            n=m,
            seed=seed,
            tag=tag,
        )
        [reply] = yield [request]
        texts = all_texts(reply, m, method=self.name)
        if isinstance(texts, Failure):
            return texts
        letters = [self._letter(text) for text in texts]
        yes, no = (letters.count(label) for label in self.template.labels)
        if yes + no == 0:
            return Failure(
                stage="confidence",
                kind="labels_absent",
                message=f"none of {m} replies begins with {' or '.join(self.template.labels)}",
                method=self.name,
                raw=texts[0],
            )
        return Confidence(
            value=yes / (yes + no),
            method=self.name,
            scale="probability",
            path="sampled",
            label_mass=(yes + no) / m,
            rule=f"{yes} {self.template.labels[0]}, {no} {self.template.labels[1]} of {m}",
        )

    def _letter(self, text: str) -> str | None:
        """The label that stands alone at the beginning of a reply ("A country" is no A)."""
        bare = text.lstrip(_OPENING)
        for label in self.template.labels:
            rest = bare.removeprefix(label)
            if rest != bare and _ENDS_LABEL.match(rest):
                return label
        return None


def p_true(settings: EstimatorSettings) -> LabelProbe:
    """P(True) asks whether the proposed answer is true."""
    return LabelProbe(name="p_true", template=settings.templates["p_true"], settings=settings)


def p_sufficient(settings: EstimatorSettings) -> LabelProbe:
    """P(Sufficient) asks whether what is known so far is enough to establish the answer."""
    name = "p_sufficient"
    return LabelProbe(name=name, template=settings.templates[name], settings=settings)


def least_mass(readings: Iterable[Confidence]) -> float | None:
    """The smallest label mass of several probes, None without any."""
    masses = [one.label_mass for one in readings if one.label_mass is not None]
    return min(masses, default=None)


def _listed(tokens: Mapping[str, float]) -> str:
    return ", ".join(f"{token!r} {share:.2f}" for token, share in tokens.items())
