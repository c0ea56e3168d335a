"""Scripted models whose confidence is known to follow one thing and nothing else."""

from __future__ import annotations

import hashlib
import json
import re

from turnsure.core.generation import GenerationRequest

N_TURNS = 5
N_CANDIDATES = 40
_PROPOSED = re.compile(r"(?:Proposed Answer|Somebody answers): (.*)")
_SECRET = re.compile(r"FACT \d of (\w+)")
NOISE = 0.02


def write_world(path, n_dialogues):
    """Dialogues of a closed world in which every hint is marked as information."""
    names = [f"{'ab' * (1 + k % 6)}{k:02d}" for k in range(N_CANDIDATES)]
    with path.open("w", encoding="utf-8") as out:
        for k, name in enumerate(names[:n_dialogues]):
            hints = [
                {"question": None, "answer": f"FACT {turn} of {name[::-1]}"}
                for turn in range(1, N_TURNS + 1)
            ]
            remaining = [
                [(k + step) % N_CANDIDATES for step in range(N_TURNS - turn + 1)]
                for turn in range(1, N_TURNS + 1)
            ]
            body = {
                "id": f"d{k}",
                "task": "Name it.",
                "gold": [name],
                "hints": hints,
                "candidates": names,
                "remaining": remaining,
            }
            out.write(json.dumps(body) + "\n")
    return path


def n_facts(prompt):
    return prompt.count("FACT")


def n_lines(prompt):
    return sum(line.startswith("- ") for line in prompt.splitlines())


def noise(text):
    """In (-NOISE, NOISE), the same for the same prompt."""
    share = int(hashlib.sha256(text.encode()).hexdigest()[:8], 16) / 0xFFFF_FFFF
    return NOISE * (2.0 * share - 1.0)


def by_information(prompt, answer):
    return 0.1 + 0.15 * n_facts(prompt)


def by_information_and_truth(prompt, answer):
    """Surer with every fact, but only of the answer that the facts are about."""
    secret = _SECRET.search(prompt)
    return 0.1 + 0.15 * n_facts(prompt) * (secret is not None and answer == secret[1][::-1])


def by_turns(prompt, answer):
    return 0.1 + 0.15 * n_lines(prompt)


def by_length(prompt, answer):
    return 0.1 + 0.04 * len(answer)


def by_nothing(prompt, answer):
    return 0.5


def by_reason(prompt, answer):
    """What the facts justify: 1 / n for each of the n candidates that fit them, else nothing.

    :func:`write_world` leaves ``N_TURNS - turn + 1`` candidates, from the secret one onwards.
    """
    secret = _SECRET.search(prompt)
    n_left = N_TURNS - n_facts(prompt) + 1
    if secret is None or not answer[-2:].isdigit():
        return 0.0
    step = (int(answer[-2:]) - int(secret[1][::-1][-2:])) % N_CANDIDATES
    return 1.0 / n_left if step < n_left else 0.0


def model(follows):
    """A script that answers longer at every line, right from the third fact on."""

    def reply(request: GenerationRequest):
        prompt = request.messages[-1].content
        if request.labels is not None:
            found = _PROPOSED.search(prompt)
            assert found is not None
            value = min(0.97, max(0.03, follows(prompt, found[1]) + noise(prompt)))
            yes, no = request.labels
            return {yes: 0.9 * value, no: 0.9 * (1.0 - value)}
        secret = _SECRET.search(prompt)
        right = secret is not None and n_facts(prompt) >= 3
        answer = secret[1][::-1] if right else f"no{'o' * (2 * n_lines(prompt))}"
        return f"\\boxed{{{answer}}}"

    return reply
