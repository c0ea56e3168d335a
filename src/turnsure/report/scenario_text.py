"""A scenario as a person reads it in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from turnsure.core.scenario import CheckSpec, Reveal, Scenario
from turnsure.report.suite_words import json_text, plain_words
from turnsure.report.text import count, kinds, printable


def scenario_sentence(scenario: Scenario) -> str:
    """What is in a scenario, on one line."""
    parts = [
        count(len(scenario.reveals), "reveal"),
        count(len(scenario.checks), "check"),
        *([count(len(scenario.rubric), "rubric item")] if scenario.rubric else []),
        *([count(len(scenario.tools), "tool")] if scenario.tools else []),
        count(scenario.runs, "run"),
    ]
    return f"{printable(scenario.id)} ({', '.join(parts)})"


def scenario_lines(scenario: Scenario) -> Iterator[str]:
    """A scenario turn by turn, then what is checked."""
    yield scenario_sentence(scenario)
    for name, text in (("who", scenario.persona), ("goal", scenario.goal)):
        if text:
            yield f"  {name}: {printable(text.strip())}"
    for reveal in scenario.reveals:
        place = "next" if reveal.turn is None else f"turn {reveal.turn}"
        yield f"  {place}: {printable(reveal.say.strip())}"
        yield from (f"    {line}" for line in _means(reveal))
    for topic, answer in scenario.answers.items():
        yield f"  asked about {printable(topic)}: {printable(answer)}"
    for check in scenario.checks:
        yield f"  check {_check(check)}"
    for item in scenario.rubric:
        yield f"  judge {printable(item.name)}: {printable(item.ask)}"
    for name in scenario.tools:
        yield f"  tool {printable(name)}"


def frozen_sentences(
    scenario: str, n_redacted: Mapping[str, int], left_out: Sequence[str], reproduction: str
) -> Iterator[str]:
    """What became of a conversation that was made a scenario."""
    yield f"{scenario}: {printable(reproduction)}"
    if any(n_redacted.values()):
        yield f"Stand-ins for personal data: {kinds(n_redacted)}."
    for one in left_out:
        yield f"Left out: {printable(one)}."


def _means(reveal: Reveal) -> Iterator[str]:
    for rule, value in reveal.sets.items():
        yield f"{printable(rule)} = {json_text(value)}"
    for rule in reveal.withdraws:
        yield f"no {printable(rule)} any more"
    for item in reveal.rejects:
        yield f"turns down {printable(item)}"


def _check(check: CheckSpec) -> str:
    failure = plain_words(check.failure)
    if check.expression is None:
        return f"{printable(check.name)}: {plain_words(check.kind)} [{failure}]"
    where = {
        "item": "every item",
        "turn": "every turn",
        "tool_call": "every call",
        "end": "the end",
    }
    words = printable(check.expression)
    return f"{printable(check.name)}: {words}, at {where[check.scope]} [{failure}]"
