import pytest

from tests.support.conversations import call, card, flat, run_of, turn
from turnsure.core.dialogue import Message
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.readers.conversation import TASK
from turnsure.experiment.conversations.contexts import CLOSING, prefix_at, reply_at

LOOKED = (
    call("search", area="Baner"),
    Message(role="tool", content='[{"id": "A"}]', tool_call_id="c"),
)


def conversation():
    scenario = card("  - {name: fine, scope: turn, expression: 'true'}")
    return run_of(
        scenario,
        turn(flat(), text="A fits.", before=LOOKED, user="At most 25."),
        turn(flat("B"), text="B fits.", user="I have a dog."),
        turn(flat("C"), text="C fits.", before=LOOKED, user="Make it 28."),
    )


def everything(prefix):
    hints = [part for one in prefix.hints for part in (one.question, one.answer)]
    return "\n".join(filter(None, [prefix.task, *hints, prefix.closing]))


def test_a_prefix_holds_what_was_said_before_the_reply_and_no_more():
    run = conversation()
    first, second, third = (prefix_at(run, turn) for turn in (1, 2, 3))
    assert first.task == TASK
    assert [one.answer for one in first.hints] == ["At most 25."]
    assert [one.answer for one in third.hints] == ["At most 25.", "I have a dog.", "Make it 28."]
    assert "A fits." not in everything(first)
    assert "A fits." in (second.hints[1].question or "")
    assert "C fits." not in everything(third)
    assert "dog" not in everything(first)
    assert (first.turn, third.turn) == (1, 3)


def test_no_tool_call_is_dropped():
    run = conversation()
    for place in (1, 3):
        closing = prefix_at(run, place).closing or ""
        assert '[calls search({"area": "Baner"})]' in closing
        assert '[result: [{"id": "A"}]]' in closing
        assert closing.endswith(CLOSING)
    second = prefix_at(run, 2)
    assert second.closing == CLOSING
    assert "[calls search(" in (second.hints[1].question or "")


def test_a_turn_without_words_has_no_reply_to_judge():
    scenario = card("  - {name: fine, scope: turn, expression: 'true'}")
    run = run_of(scenario, turn(text=" "), turn(text="Yes."))
    assert isinstance(reply_at(run, 1), Failure)
    assert reply_at(run, 2) == "Yes."
    assert [one.question for one in prefix_at(run, 2).hints] == [None, None]
    mute = run_of(scenario, turn(), turn(user=" "), turn())
    assert isinstance(reply_at(mute, 1), str)
    assert [reply_at(mute, place).kind for place in (2, 3)] == ["no_message"] * 2


@pytest.mark.parametrize("place", [0, 4])
def test_a_turn_that_is_not_there_is_refused(place):
    with pytest.raises(InputError, match="1 to 3"):
        prefix_at(conversation(), place)
