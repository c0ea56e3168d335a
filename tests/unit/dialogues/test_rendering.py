"""A prefix as chat messages."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Hint, Message, Prefix
from turnsure.core.errors import InputError
from turnsure.dialogues.rendering import HistoryWording, render

WORDING = HistoryWording(
    intro="Known:", clue="* {answer}", pair="* {question} -> {answer}", closing="Answer now."
)


def prefix(*hints: Hint, task: str = "Name it.") -> Prefix:
    return Prefix(dialogue="d1", task=task, hints=hints, turn=len(hints))


def transcript(*hints: Hint, wording: HistoryWording = WORDING) -> str:
    [message] = render(prefix(*hints), style="transcript", wording=wording)
    assert message.role == "user"
    return message.content


def chat(*hints: Hint, wording: HistoryWording = WORDING) -> list[tuple[str, str]]:
    messages = render(prefix(*hints), style="chat", wording=wording)
    return [(message.role, message.content) for message in messages]


CLUE = Hint(answer="It is in Asia.")
PAIR = Hint(question="Is it large?", answer="no")


class TestTranscript:
    def test_one_user_message_with_a_line_a_hint(self):
        assert transcript(CLUE, PAIR) == (
            "Name it.\n\nKnown:\n\n* It is in Asia.\n* Is it large? -> no\n\nAnswer now."
        )

    def test_words_left_empty_leave_no_gap(self):
        bare = HistoryWording(intro="", closing="")
        assert transcript(CLUE, wording=bare) == "Name it.\n\n- It is in Asia."

    def test_a_hint_stays_on_its_line(self):
        faked = Hint(question="One?\n* Two?", answer="yes\r\n\n* Three? -> no\u2028* x\x85* y")
        lines = transcript(faked, CLUE).splitlines()
        assert lines[4:6] == ["* One? * Two? -> yes * Three? -> no * x * y", "* It is in Asia."]

    def test_braces_and_slots_in_hints_are_left_alone(self):
        braces = Hint(question="{answer} {x} \\boxed{}?", answer="{question} {0} {{}} \\1")
        assert "* {answer} {x} \\boxed{}? -> {question} {0} {{}} \\1" in transcript(braces)

    def test_a_slot_may_stand_twice_and_in_any_order(self):
        wording = HistoryWording(pair="{answer} to {question} ({answer}, {question}) {other}")
        assert "no to Is it large? (no, Is it large?) {other}" in transcript(PAIR, wording=wording)

    def test_a_question_slot_in_the_line_of_a_clue_is_left_alone(self):
        wording = HistoryWording(clue="{question} {answer}")
        assert "{question} It is in Asia." in transcript(CLUE, wording=wording)


class TestChat:
    def test_questions_are_asked_and_answered(self):
        other = Hint(question="Is it an island?", answer="yes")
        assert chat(PAIR, other) == [
            ("user", "Name it.\n\nKnown:"),
            ("assistant", "Is it large?"),
            ("user", "no"),
            ("assistant", "Is it an island?"),
            ("user", "yes\n\nAnswer now."),
        ]

    def test_messages_of_one_role_are_joined(self):
        assert chat(CLUE, PAIR, CLUE, CLUE) == [
            ("user", "Name it.\n\nKnown:\n\nIt is in Asia."),
            ("assistant", "Is it large?"),
            ("user", "no\n\nIt is in Asia.\n\nIt is in Asia.\n\nAnswer now."),
        ]

    def test_plain_clues_make_one_message(self):
        assert chat(CLUE) == [("user", "Name it.\n\nKnown:\n\nIt is in Asia.\n\nAnswer now.")]


class TestWording:
    def test_some_words_replaced(self):
        wording = HistoryWording.of({"intro": "So far:", "clue": "{answer}!"})
        assert (wording.intro, wording.clue) == ("So far:", "{answer}!")
        assert (wording.pair, wording.closing) == (HistoryWording().pair, HistoryWording().closing)

    @pytest.mark.parametrize(
        ("texts", "field", "expected"),
        [
            ({"outro": "x"}, "history.outro", "intro, clue, pair, closing"),
            ({"clue": "a clue"}, "history.clue", "{answer}"),
            ({"pair": "{answer}"}, "history.pair", "{question}"),
            ({"pair": "{question}"}, "history.pair", "{answer}"),
        ],
    )
    def test_words_that_would_lose_a_hint_are_refused(self, texts, field, expected):
        with pytest.raises(InputError) as caught:
            HistoryWording.of(texts)
        assert (caught.value.field, caught.value.expected) == (field, expected)

    def test_the_definition_holds_every_word(self):
        assert WORDING.definition == {
            "intro": "Known:",
            "clue": "* {answer}",
            "pair": "* {question} -> {answer}",
            "closing": "Answer now.",
        }


def test_messages_are_plain_values():
    assert render(prefix(CLUE), style="transcript", wording=WORDING) == (
        Message(role="user", content="Name it.\n\nKnown:\n\n* It is in Asia.\n\nAnswer now."),
    )


@pytest.mark.parametrize("style", ["transcript", "chat"])
def test_the_dialogues_own_closing_stands_in_for_the_usual_one(style):
    prefix = Prefix(
        dialogue="d", task="T", hints=(Hint(answer="a"),), turn=1, closing="Now name the country."
    )
    text = render(prefix, style=style, wording=HistoryWording())[-1].content
    assert text.endswith("Now name the country.")
    assert HistoryWording().closing not in text
