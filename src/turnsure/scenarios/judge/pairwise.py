"""Two transcripts compared, asked twice with the sides swapped: a disagreement is a tie."""

from __future__ import annotations

from collections.abc import Mapping

from turnsure.core.conversation import Transcript
from turnsure.core.errors import InputError
from turnsure.core.judged import PairJudgement, Preference
from turnsure.core.protocols import Flow
from turnsure.engine.together import together
from turnsure.files.texts import Texts
from turnsure.scenarios.judge.asking import Asked, JudgeSettings, ask, only_object
from turnsure.scenarios.judge.showing import mark_around, one_sided, passages, shown

PAIR_TAG = "pair"

_SHOWN: Mapping[str, int] = {"1": 0, "2": 1}


def compare_pair(
    left: Transcript,
    right: Transcript,
    wording: Texts,
    *,
    question: str | None = None,
    settings: JudgeSettings | None = None,
    seed: int = 0,
    replicate: int = 0,
) -> Flow[PairJudgement]:
    """Which of two transcripts a judge prefers.

    Parameters
    ----------
    left, right
        Finished; where one of them is empty or one-sided nobody is asked.
    wording
        From :func:`~turnsure.scenarios.judge.wording.load_judge_wording`.
    question
        What counts, None for the usual.
    settings
        None for the usual ones.
    seed, replicate
        Of the comparison.

    References
    ----------
    Zheng and others: Judging LLM-as-a-judge with MT-Bench and Chatbot Arena (2023), section 3.4:
    both orders are asked, and a judge that contradicts itself declares a tie.
    """
    how = settings or JudgeSettings()
    for side, transcript in (("left", left), ("right", right)):
        nothing = one_sided(transcript)
        if nothing is not None:
            return PairJudgement(
                preference="inconclusive",
                problem=f"on the {side}, {nothing}, so there is nothing to compare",
                template=wording.digest,
                n_tries=0,
            )
    texts = shown(passages(left)), shown(passages(right))
    # One mark for both orders: it stands in neither transcript.
    mark = mark_around(*texts)
    flows = [
        ask(
            wording.filled(
                "pair.text",
                mark=mark,
                first=first,
                second=second,
                question=question or wording["pair.question"],
            ),
            read_preference,
            how,
            max_tokens=how.max_tokens,
            seed=seed,
            replicate=replicate,
            tag=PAIR_TAG,
        )
        for first, second in (texts, texts[::-1])
    ]
    straight, swapped = yield from together(flows)
    shown_first = _preferred(straight, ("left", "right"))
    shown_second = _preferred(swapped, ("right", "left"))
    return PairJudgement(
        preference=_agreed(shown_first, shown_second),
        shown_first=shown_first,
        shown_second=shown_second,
        problem=straight.problem or swapped.problem,
        template=wording.digest,
        n_tries=straight.n_tries + swapped.n_tries,
    )


def read_preference(text: str) -> int | None:
    """Place of the preferred conversation, 0 or 1; None for a tie.

    Raises
    ------
    InputError
        The reply is not JSON of the form asked for.
    """
    better = str(only_object(text, "better")["better"]).strip().casefold()
    if better == "tie":
        return None
    if better not in _SHOWN:
        raise InputError(f"it is {better!r}", field="better", expected="1, 2 or tie")
    return _SHOWN[better]


def _preferred(asked: Asked[int | None], sides: tuple[Preference, Preference]) -> Preference | None:
    if asked.problem is not None:
        return None
    return "tie" if asked.value is None else sides[asked.value]


def _agreed(one: Preference | None, other: Preference | None) -> Preference:
    if one is None or other is None:
        return "inconclusive"
    return one if one == other else "tie"
