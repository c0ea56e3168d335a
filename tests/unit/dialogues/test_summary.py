"""Single-turn summaries: joined hints, the request, and what is read from a reply."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.summary import (
    SUMMARY_TEMPLATE,
    joined_statements,
    read_summary,
    statement_of,
    summary_prefix,
    summary_request_text,
)

HINTS = (
    Hint(answer="It lies in Asia"),
    Hint(question="Is it large", answer="no"),
    Hint(question="What is its capital?", answer="Dili."),
)


@pytest.mark.parametrize(
    ("clue", "expected"),
    [
        ("It is cold", "It is cold."),
        ("It is cold.", "It is cold."),
        ("It is cold!", "It is cold!"),
        ("Is it cold?", "Is it cold?"),
        ('It is "cold."', 'It is "cold."'),
        ("It is “cold”", "It is “cold”."),
        ("It is cold (at night.)", "It is cold (at night.)"),
        ("It is cold …", "It is cold …"),
        ("It is cold; ", "It is cold."),
        ("  It\n is  cold ", "It is cold."),
        ("寒い。", "寒い。"),
    ],
)
def test_a_clue_stands_as_it_is_with_a_closing_mark(clue, expected):
    assert statement_of(Hint(answer=clue)) == expected


@pytest.mark.parametrize(
    ("question", "answer", "expected"),
    [
        ("Is it alive?", "No", "Is it alive? No."),
        ("Is it alive", "no", "Is it alive? no."),
        ("Name its maker.", "iRobot", "Name its maker. iRobot."),
        ("How many?", "1,000.", "How many? 1,000."),
    ],
)
def test_a_pair_keeps_question_and_answer(question, answer, expected):
    assert statement_of(Hint(question=question, answer=answer)) == expected


def test_hints_are_joined_in_their_order():
    assert (
        joined_statements(HINTS) == "It lies in Asia. Is it large? no. What is its capital? Dili."
    )


@pytest.mark.parametrize("function", [joined_statements, summary_request_text])
def test_no_hints(function):
    with pytest.raises(InputError, match="nothing to summarise"):
        function(())


class TestPrefix:
    one = Dialogue(id="d", task="Name it.", hints=HINTS, gold=("East Timor",), closing="Now.")

    def test_one_plain_clue_in_place_of_the_hints(self):
        before = self.one.prefix(2)
        after = summary_prefix(before, "It is small and in Asia.")
        assert after.hints == (Hint(answer="It is small and in Asia."),)
        assert (after.dialogue, after.task, after.closing) == ("d", "Name it.", "Now.")
        assert after.turn == 2

    def test_a_blank_summary(self):
        with pytest.raises(InputError, match="says nothing"):
            summary_prefix(self.one.prefix(1), " ")


class TestRequest:
    def test_a_line_a_hint(self):
        text = summary_request_text(HINTS)
        assert (
            "\n\n- It lies in Asia.\n- Is it large? no.\n- What is its capital? Dili.\n\n" in text
        )
        assert "{hints}" not in text
        assert text.startswith(SUMMARY_TEMPLATE.partition("{hints}")[0])

    def test_another_template(self):
        assert summary_request_text(HINTS[:1], "Shorten {x}:\n{hints}") == (
            "Shorten {x}:\n- It lies in Asia."
        )

    def test_a_slot_within_a_hint_is_text(self):
        assert summary_request_text((Hint(answer="{hints}"),), "{hints}") == "- {hints}."

    def test_a_template_without_the_slot(self):
        with pytest.raises(InputError, match=r"has no \{hints\}"):
            summary_request_text(HINTS, "Shorten this.")


class TestReading:
    @pytest.mark.parametrize(
        "reply",
        [
            "It is a bird.",
            "  It is\na bird.\n",
            '"It is a bird."',
            "“It is a bird.”",
            "**It is a bird.**",
            "Summary: It is a bird.",
            "**Summary:** It is a bird.",
            "**Summary**: It is a bird.",
            "### Summary\nIt is a bird.",
            "## Concise summary:\n\nIt is a bird.",
            "Summary of the hints: It is a bird.",
            'Here is a concise summary:\n\n"It is a bird."',
            "Here's the text: It is a bird.",
            "Sure! Here is the rewritten text:\nIt is a bird.",
            "Certainly: It is a bird.",
            "```\nIt is a bird.\n```",
            "```text\nSummary: It is a bird.\n```",
            "- It is a bird.",
        ],
    )
    def test_what_is_around_it_goes(self, reply):
        assert read_summary(reply) == "It is a bird."

    @pytest.mark.parametrize(
        "reply",
        [
            "This is a city: it lies in Asia.",
            "The answer lies in Asia: a city.",
            'It is called "the Rock" or "the Stone"',
            "Surely it is a bird.",
            "Okapis are like it.",
            "It costs $5 and $6.",
            "He won - and lost - twice.",
        ],
    )
    def test_what_belongs_to_it_stays(self, reply):
        assert read_summary(reply) == reply

    def test_several_lines_become_a_paragraph(self):
        assert read_summary("- It is a bird.\n- It flies.") == "It is a bird. It flies."

    @pytest.mark.parametrize("reply", ["", " \n", '""', "```\n```", "Summary:", "…", "**"])
    def test_nothing_is_a_failure_that_keeps_the_reply(self, reply):
        failure = read_summary(reply)
        assert isinstance(failure, Failure)
        assert (failure.stage, failure.kind, failure.raw) == ("control", "empty", reply)
