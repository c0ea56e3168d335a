"""A rubric scored on the whole transcript in one prompt, with evidence that code looks up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from turnsure.core.conversation import Transcript
from turnsure.core.errors import InputError
from turnsure.core.judged import JudgeAnswer, JudgedItem, RubricJudgement
from turnsure.core.protocols import Backend, Flow
from turnsure.core.scenario import RubricItem, Scenario
from turnsure.files.texts import Texts
from turnsure.scenarios.judge.asking import JudgeSettings, ask, only_object
from turnsure.scenarios.judge.showing import (
    Passage,
    find_quote,
    mark_around,
    one_sided,
    passages,
    shown,
)
from turnsure.scenarios.judge.wording import load_judge_wording

RUBRIC_TAG = "rubric"

_ANSWERS: Mapping[str, JudgeAnswer] = {
    "yes": "yes",
    "no": "no",
    "cannot tell": "cannot_tell",
    "cannot_tell": "cannot_tell",
    "can't tell": "cannot_tell",
}

Said = Mapping[str, tuple[JudgeAnswer, str]]
"""Answer and quote by the item's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricJudge:
    """Scores finished transcripts against the rubric of their scenario.

    Attributes
    ----------
    backend
        The model, asked in the role ``"judge"``; None for the assistant's.
    wording
        What it is told.
    settings
        How it is asked.
    """

    backend: Backend | None = None
    wording: Texts = field(default_factory=load_judge_wording)
    settings: JudgeSettings = field(default_factory=JudgeSettings)

    @property
    def name(self) -> str:
        return "the assistant's model" if self.backend is None else self.backend.name

    @property
    def definition(self) -> Mapping[str, str]:
        """Template texts, their digest, and settings."""
        return {
            "judge": "rubric",
            "template": self.wording.digest,
            **self.wording.texts,
            **self.settings.definition,
        }

    def judge(
        self, scenario: Scenario, transcript: Transcript, *, seed: int, replicate: int
    ) -> Flow[RubricJudgement]:
        """Score a transcript.

        Nobody is asked where there is nothing to judge: an empty or one-sided transcript is
        inconclusive, and never a pass.

        Parameters
        ----------
        scenario
            With a rubric.
        transcript
            Finished.
        seed, replicate
            Of the run; its tries have replicates of their own.

        Raises
        ------
        InputError
            The scenario has no rubric.
        """
        if not scenario.rubric:
            raise InputError(
                f"scenario {scenario.id!r} has no rubric",
                field="rubric",
                expected="one question or more",
            )
        nothing = one_sided(transcript)
        if nothing is not None:
            return RubricJudgement(
                problem=f"{nothing}, so there is nothing to judge",
                template=self.wording.digest,
                n_tries=0,
            )
        said = passages(transcript)
        asked = yield from ask(
            self._prompt(scenario.rubric, said),
            lambda text: read_rubric(text, scenario.rubric),
            self.settings,
            max_tokens=self.settings.max_tokens * len(scenario.rubric),
            seed=seed,
            replicate=replicate,
            tag=RUBRIC_TAG,
        )
        return RubricJudgement(
            items=()
            if asked.value is None
            else tuple(_item(one, *asked.value[one.name], said) for one in scenario.rubric),
            problem=asked.problem,
            template=self.wording.digest,
            n_tries=asked.n_tries,
        )

    def _prompt(self, rubric: Sequence[RubricItem], said: Sequence[Passage]) -> str:
        transcript = shown(said)
        items = [self.wording.filled("rubric.item", name=one.name, ask=one.ask) for one in rubric]
        return self.wording.filled(
            "rubric.text",
            mark=mark_around(transcript),
            transcript=transcript,
            items="\n".join(items),
        )


def read_rubric(text: str, rubric: Sequence[RubricItem]) -> Said:
    """Answers and quotes of a reply.

    Raises
    ------
    InputError
        It is not JSON of the form asked for, or does not answer every item exactly once.
    """
    given = only_object(text, "items")["items"]
    if not isinstance(given, list):
        raise InputError("this is no list", field="items", expected="an entry for each question")
    names = [one.name for one in rubric]
    read: dict[str, tuple[JudgeAnswer, str]] = {}
    for place, entry in enumerate(cast("list[Any]", given)):
        where = f"items[{place}]"
        if not isinstance(entry, dict):
            raise InputError("this is no object", field=where, expected="name, answer, quote")
        fields = cast("dict[str, Any]", entry)
        name, answer = fields.get("name"), fields.get("answer")
        if name not in names or name in read:
            raise InputError(
                f"{name!r} names no question that is still open",
                field=f"{where}.name",
                expected=", ".join(names),
            )
        normal = " ".join(str(answer).casefold().split()).rstrip(".")
        if normal not in _ANSWERS:
            raise InputError(
                f"it is {answer!r}", field=f"{where}.answer", expected="yes, no or cannot tell"
            )
        quote = fields.get("quote")
        read[name] = (_ANSWERS[normal], quote if isinstance(quote, str) else "")
    missing = [name for name in names if name not in read]
    if missing:
        raise InputError(f"nothing is answered to {missing[0]!r}", field="items")
    return read


def _item(item: RubricItem, answer: JudgeAnswer, quote: str, said: Sequence[Passage]) -> JudgedItem:
    """What the judge says of an item, where the transcript bears it out."""
    found = find_quote(quote, said)
    if answer == "cannot_tell" or found is not None:
        return JudgedItem(
            name=item.name,
            ask=item.ask,
            answer=answer,
            quote=quote,
            turn=None if found is None else found.turn,
        )
    evidence = f"the quote {quote!r:.80} is not in the transcript" if quote.strip() else "no quote"
    return JudgedItem(
        name=item.name,
        ask=item.ask,
        answer="cannot_tell",
        quote=quote,
        problem=f"it answers {answer} without evidence: {evidence}",
    )
