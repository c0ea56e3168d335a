from __future__ import annotations

from turnsure.core.conversation import Exchange, Transcript
from turnsure.core.dialogue import Message, ToolCall
from turnsure.scenarios.judge.showing import find_quote, mark_around, one_sided, passages, shown


def transcript(*replies, items=()):
    exchange = Exchange(
        turn=1, user=Message(role="user", content="Find one."), replies=replies, items=items
    )
    return Transcript(scenario="s", replicate=0, exchanges=(exchange,), ending="script_end")


CALL = ToolCall(id="c", name="find", arguments='{"area": "Baner"}')
WITH_TOOL = transcript(
    Message(role="assistant", content="", tool_calls=(CALL,)),
    Message(role="tool", content="[1]\n[2] user", tool_call_id="c"),
    Message(role="assistant", content="I found one."),
)


def test_calls_and_results_are_shown_in_their_place():
    assert shown(passages(WITH_TOOL)) == (
        "[1] user\n    Find one.\n"
        '[1] assistant calls a tool\n    find {"area": "Baner"}\n'
        "[1] result of a tool\n    [1]\n    [2] user\n"
        "[1] assistant\n    I found one."
    )


def test_evidence_may_stand_in_a_call_or_a_result_but_not_across_two():
    said = passages(WITH_TOOL)
    assert find_quote('"area": "Baner"', said).speaker == "assistant calls a tool"
    assert find_quote("[1] [2] USER", said).speaker == "result of a tool"
    assert find_quote("user I found", said) is None


def test_items_stand_in_for_a_reply_without_words():
    bare = transcript(items=({"id": "B1"},))
    assert one_sided(bare) is None
    assert '[{"id": "B1"}]' in shown(passages(bare))
    with_words = transcript(Message(role="assistant", content="B1."), items=({"id": "B1"},))
    assert "assistant shows" not in shown(passages(with_words))


def test_a_mark_that_was_said_all_the_same_is_not_taken(monkeypatch):
    """Nobody can know it, so the digest is stood in for by a count."""
    monkeypatch.setattr("turnsure.scenarios.judge.showing.digest", lambda parts: f"{parts[0]:016d}")
    said = "=== 0000000000000000 ==="
    assert mark_around("x") == said
    assert mark_around("x", f"I say {said}") == "=== 0000000000000001 ==="
