"""Top-k verbalised confidence: the model lists its k best guesses with a probability each.

Source: Tian et al. 2023, *Just Ask for Calibration*, section 3 ("Verb. 1S top-k").  The confidence
in an answer is the probability stated for the first listed guess that means the same.

The model does not see the proposed answer, so one list serves every answer at a turn.  Two things
are definitions:

* An answer that no listed guess matches has confidence 0.  The model was asked to spread its
  probability over its k likeliest guesses and gave this answer none.  To leave such turns out would
  leave out just those where the model does not think of the answer, and what remained would look
  surer than the model is.  Only a list that was cut off before its k-th guess is a failure then.
* A guess that is listed twice counts with its first probability.  Small models repeat lines; a sum
  would count such a loop as evidence and can pass 1.

The stated probabilities are taken as they are, not rescaled to sum to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from turnsure.core.confidence import Confidence, Target
from turnsure.core.generation import Generation, GenerationRequest
from turnsure.core.outcome import Failure
from turnsure.core.protocols import Capabilities, Flow, TurnContext
from turnsure.estimators.guess_list import Guess, find_guesses
from turnsure.estimators.requests import ANY_ANSWER, only_text
from turnsure.estimators.settings import EstimatorSettings
from turnsure.estimators.verbal_number import Reading, read_confidence

NAME = "top_k_verb"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopKVerb:
    """Asks once, greedily, and finds the answer among the guesses."""

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
            **self.settings.templates[NAME].definition,
            "k": str(self.settings.guesses),
            "max_tokens": str(self.settings.guesses_tokens),
            "not listed": "0",
        }

    def check(self, capabilities: Capabilities, *, model: str) -> None:
        """Any model can be asked for a list."""

    def estimate(self, context: TurnContext, answer: str) -> Flow[Confidence | Failure]:
        settings = self.settings
        request = GenerationRequest(
            messages=settings.templates[NAME].fill(context.history, k=str(settings.guesses)),
            max_tokens=settings.guesses_tokens,
            tag=NAME,
        )
        [reply] = yield [request]
        text = only_text(reply, method=NAME)
        if isinstance(text, Failure):
            return text
        is_cut = isinstance(reply, Generation) and "length" in reply.finish_reasons
        result = self._read(text, answer, is_cut=is_cut)
        return replace(result, method=NAME, raw=text)

    def _read(self, text: str, answer: str, *, is_cut: bool) -> Confidence | Failure:
        # The last line of a reply that ran into its limit may be half a name or half a number.
        listed = find_guesses(text.rpartition("\n")[0] if is_cut else text)
        guesses = [
            (name, _probability(guess))
            for guess in listed[: self.settings.guesses]
            if (name := self._name(guess)) is not None
        ]
        numbers = [number for _, number in guesses if isinstance(number, Reading)]
        if not guesses:
            blank = _EMPTY if not text.strip() else _CUT if is_cut else _NO_LIST
            return _failure(*(_ECHO if listed else blank))
        if not numbers:
            return next(number for _, number in guesses if isinstance(number, Failure))
        if _mixes_scales(numbers):
            return _failure(*_SCALES)
        for place, (name, number) in enumerate(guesses, start=1):
            if self.settings.same_answer(name, answer):
                if isinstance(number, Failure):
                    return number
                return _confidence(number.value, f"guess {place} of {len(guesses)}, {number.rule}")
        if is_cut and len(guesses) < self.settings.guesses:
            return _failure(*_CUT)
        return _confidence(0.0, f"not among the {len(guesses)} guesses")

    def _name(self, guess: Guess) -> str | None:
        """The guess as an answer is read, None when it only repeats the instruction."""
        echoes = {echo.casefold() for echo in self.settings.templates[NAME].placeholder}
        name = self.settings.read_answer(guess.text)
        return None if name is None or name.casefold().strip(" .[]<>()") in echoes else name


_EMPTY = ("empty", "the reply is empty")
_NO_LIST = ("unparsable", "the reply holds no list of guesses")
_ECHO = ("placeholder", "the list holds no guess, or only repeats the instruction")
_SCALES = ("ambiguous", "the list mixes numbers up to 1 with numbers up to 100")
_CUT = ("cut", "the list was cut off before the last guess, and the answer is not in what is there")


def _failure(kind: str, message: str) -> Failure:
    return Failure(stage="confidence", kind=kind, message=message)


def _confidence(value: float, rule: str) -> Confidence:
    return Confidence(value=value, method=NAME, scale="ordinal", path="parsed", rule=rule)


def _probability(guess: Guess) -> Reading | Failure:
    if guess.stated is None:
        return _failure("unparsable", "no probability is stated for the guess")
    return read_confidence(guess.stated)


def _mixes_scales(numbers: Sequence[Reading]) -> bool:
    """Whether bare fractions such as 0.7 stand beside bare numbers such as 70.

    Zero says the same on both scales.
    """
    rules = {number.rule for number in numbers if number.value > 0}
    return "fraction" in rules and bool(rules & {"integer", "decimal"})


def top_k_verb(settings: EstimatorSettings) -> TopKVerb:
    """Build the method."""
    return TopKVerb(settings=settings)
