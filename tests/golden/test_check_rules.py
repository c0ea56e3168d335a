"""The renter's conversation and its four findings.

Both are those of the program ``check_rules.py`` in the article "Multi-Turn Evaluation: Testing
Whole LLM Conversations", whose printed output is compared line by line.
"""

from __future__ import annotations

from turnsure.scenarios.cards import read_cards
from turnsure.scenarios.checking import check_transcript, finding_lines
from turnsure.scenarios.examples import CHECK_RULES, renters_chat
from turnsure.scenarios.verdicts import verdict_of


def test_the_same_four_lines():
    [scenario] = read_cards(CHECK_RULES)
    findings = check_transcript(scenario, renters_chat())
    assert list(finding_lines(findings)) == [
        "Turn 3: W2 is over budget",
        "Turn 3: W3 does not allow pets",
        "Turn 4: W2 is over budget",
        "Turn 4: W3 does not allow pets",
    ]
    assert [(one.rule, one.failure) for one in findings[:2]] == [
        ("max_rent", "forgotten_constraint"),
        ("pets", "forgotten_constraint"),
    ]
    verdict = verdict_of(scenario, renters_chat(), findings)
    assert (verdict.verdict, verdict.first_failing_turn) == ("fail", 3)
