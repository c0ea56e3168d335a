"""A dry run: drive the flows with made-up replies and count what they ask."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from turnsure.core.generation import Generation, GenerationRequest, LabelReading
from turnsure.core.protocols import Flow
from turnsure.core.spec import Plan, PlannedCalls
from turnsure.experiment.setup import Setup
from turnsure.models.prompt_tree import PromptTree

CHARACTERS_A_TOKEN = 4
_MADE_UP_ANSWER = "\\boxed{{answer number {}}}"


def plan(setup: Setup, is_kept: Callable[[GenerationRequest], bool]) -> Plan:
    """Count requests and tokens without a model.

    The answers that the real model will give are unknown, so a made-up one stands in for them:
    counts of requests are exact unless an answer happens to equal the gold answer or cannot be
    read, which saves some.  Prompt tokens are estimated at four characters a token, and so are the
    distinct ones among them, the nodes of the tree of all prompts; completion tokens are the
    limits, an upper bound.

    Parameters
    ----------
    setup
        The run.
    is_kept
        Whether the store already holds a request's generation.
    """
    requests: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    prompt: Counter[str] = Counter()
    distinct: Counter[str] = Counter()
    tree = PromptTree()
    completion: Counter[str] = Counter()
    seen: set[GenerationRequest] = set()

    def answer(request: GenerationRequest) -> Generation:
        requests[request.tag] += 1
        if request in seen or is_kept(request):
            kept[request.tag] += 1
        else:
            seen.add(request)
            tokens = _pieces(request)
            prompt[request.tag] += len(tokens)
            distinct[request.tag] += tree.add(tokens)
            completion[request.tag] += request.n * (request.max_tokens if not request.labels else 1)
        return _made_up(request)

    for dialogue in setup.dialogues:
        _drive(setup.upper_bound().dialogue(dialogue), answer)
    return Plan(
        n_dialogues=len(setup.dialogues),
        n_turns=setup.n_turns,
        calls=tuple(
            PlannedCalls(
                tag=tag,
                n_requests=count,
                n_kept=kept[tag],
                prompt_tokens=prompt[tag],
                distinct_tokens=distinct[tag],
                completion_tokens=completion[tag],
            )
            for tag, count in requests.items()
        ),
    )


def count_requests(setup: Setup) -> int:
    """How many requests :func:`plan` would find, without looking at their texts."""
    n_requests = 0

    def answer(request: GenerationRequest) -> Generation:
        nonlocal n_requests
        n_requests += 1
        return _made_up(request)

    for dialogue in setup.dialogues:
        _drive(setup.upper_bound().dialogue(dialogue), answer)
    return n_requests


def _pieces(request: GenerationRequest) -> list[str]:
    """The prompt cut into pieces of a token's usual length."""
    text = "\n".join(f"{message.role}\n{message.content}" for message in request.messages)
    return [
        text[start : start + CHARACTERS_A_TOKEN]
        for start in range(0, len(text), CHARACTERS_A_TOKEN)
    ]


def _drive(flow: Flow[object], answer: Callable[[GenerationRequest], Generation]) -> None:
    try:
        batch: Sequence[GenerationRequest] = next(flow)
        while True:
            batch = flow.send([answer(request) for request in batch])
    except StopIteration:
        return


def _made_up(request: GenerationRequest) -> Generation:
    if request.labels is not None:
        share = 1.0 / len(request.labels)
        mass = dict.fromkeys(request.labels, share)
        return Generation(labels=LabelReading(mass=mass, n_top=len(mass)))
    # Samples all differ: some methods and controls ask about every different answer.
    texts = tuple(_MADE_UP_ANSWER.format(place) for place in range(request.n))
    return Generation(texts=texts, finish_reasons=("stop",) * request.n)
