from __future__ import annotations

from dataclasses import replace

from tests.support.synthetic import STYLES, Style, report_data, synthetic
from turnsure.core.confidence import Confidence
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.outcome import Failure, Outcome
from turnsure.core.turns import TurnRow, TurnsTable
from turnsure.report.page import render_html
from turnsure.report.transcripts import transcripts

DIALOGUE = Dialogue(
    id="d",
    task="Which?",
    hints=(Hint(question="Q1?", answer="A1"), Hint(answer="A2")),
    gold=("Peru", "Republic of Peru"),
    meta={"category": "x"},
)


def row(turn: int, **changes) -> TurnRow:
    plain = TurnRow(
        dialogue="d",
        turn=turn,
        n_turns=2,
        condition="plain",
        target="answer",
        method="p_true",
        answer="Chile",
        confidence=Confidence(value=0.5, method="p_true", scale="probability", path="logprobs"),
        outcome=Outcome(correct=False, grader="match", rule="exact"),
        reply="I say Chile.",
    )
    return replace(plain, **changes)


def view(*rows: TurnRow, dialogues=(DIALOGUE,)):
    data = report_data([], STYLES)
    return transcripts(replace(data, dialogues=dialogues, table=TurnsTable.of(rows)))


def test_a_turn_joins_hint_answer_grade_and_scores():
    right = Outcome(correct=True, grader="match", rule="article", matched="Peru")
    gold = Outcome(correct=True, grader="gold")
    shown = view(
        row(1),
        row(2, answer="Peru", outcome=right),
        row(2, target="gold", answer="Peru", outcome=gold, reply=None, method="p_true"),
    )
    [dialogue] = shown.dialogues
    assert (dialogue.id, dialogue.task, dialogue.gold) == ("d", "Which?", DIALOGUE.gold)
    assert dialogue.last == "right"
    first, second = dialogue.turns
    assert (first.question, first.hint, first.answer) == ("Q1?", "A1", "Chile")
    assert (second.question, second.hint, second.answer) == (None, "A2", "Peru")
    assert (first.grade, second.grade) == ("wrong", "right")
    assert (second.rule, second.grading) == ("article", "grader: match; matched: Peru")
    assert shown.columns == (("p_true", "answer"), ("p_true", "gold"))
    assert [cell.text for cell in second.scores] == ["50", "50"]
    assert [cell.text for cell in first.scores] == ["50", "—"]
    assert first.scores[1].note == "not asked"
    assert first.texts == (("reply", "I say Chile."),)


def test_failures_are_dashes_with_their_kind():
    failure = Failure(stage="confidence", kind="unparsable", message="No number.", raw="Hm.")
    [dialogue] = view(row(1, confidence=failure)).dialogues
    [cell] = dialogue.turns[0].scores
    assert (cell.text, cell.bar, cell.note) == ("—", 0.0, "unparsable: No number.")
    assert ("p_true, own answer", "unparsable: No number.\nHm.") in dialogue.turns[0].texts


def test_a_failed_answer_is_told_once_for_all_methods():
    failure = Failure(stage="answer", kind="timeout", message="No answer in time.")
    ungraded = Outcome(correct=None, grader="match", reason="no answer")
    lost = {"confidence": failure, "answer": None, "reply": None, "outcome": ungraded}
    [dialogue] = view(row(1, **lost), row(1, method="cot_verb", **lost)).dialogues
    turn = dialogue.turns[0]
    assert turn.texts == (("answer", "timeout: No answer in time."),)
    assert (turn.answer, turn.grade, turn.rule) == (None, "ungraded", "no answer")
    assert turn.grading == "grader: match; reason: no answer"


def test_doubtful_probes_are_marked_with_the_reason():
    low = Confidence(
        value=0.913,
        method="p_true",
        scale="probability",
        path="logprobs",
        label_mass=0.25,
        truncated=True,
    )
    [dialogue] = view(row(1, confidence=low)).dialogues
    [cell] = dialogue.turns[0].scores
    assert cell.doubtful
    assert cell.text == "91.3"
    assert cell.note == (
        "the labels got 25 % of the probability; a label was outside the listed top tokens"
    )


def test_dialogues_without_rows_and_rows_without_a_dialogue_are_kept():
    shown = view(row(1), dialogues=(replace(DIALOGUE, id="unasked"),))
    unasked, unknown = shown.dialogues
    assert (unasked.id, unasked.last, len(unasked.turns)) == ("unasked", "missing", 2)
    assert (unknown.id, unknown.task, unknown.turns[0].hint) == ("d", None, None)
    assert unknown.turns[0].answer == "Chile"
    assert unasked.anchor != unknown.anchor


def test_a_row_beyond_the_known_hints_is_not_lost():
    short = replace(DIALOGUE, hints=DIALOGUE.hints[:1])
    [dialogue] = view(row(2), dialogues=(short,)).dialogues
    assert [turn.answer for turn in dialogue.turns] == [None, "Chile"]
    assert dialogue.turns[1].hint is None


def test_conditions_are_told_apart():
    shown = view(row(1), row(1, condition="placebo", answer="Peru"))
    assert [one.condition for one in shown.dialogues] == ["plain", "placebo"]
    assert [one.turns[0].answer for one in shown.dialogues] == ["Chile", "Peru"]


def test_without_gold_rows_there_is_one_column_a_method():
    shown = transcripts(synthetic(3, {"a": Style(gold=False), "b": Style(gold=False)}))
    assert shown.columns == (("a", "answer"), ("b", "answer"))


def test_of_very_many_dialogues_some_are_shown_and_the_rest_is_counted(monkeypatch):
    monkeypatch.setattr("turnsure.report.transcripts.MOST_DIALOGUES", 3)
    many = [replace(DIALOGUE, id=f"d{number}") for number in range(10)]
    shown = view(*(row(1, dialogue=one.id) for one in many), dialogues=tuple(many))
    assert [one.id for one in shown.dialogues] == ["d0", "d3", "d6"]
    assert shown.n_left_out == 7
    page = render_html(
        replace(
            report_data([], STYLES),
            dialogues=tuple(many),
            table=TurnsTable.of(row(1, dialogue=one.id) for one in many),
        )
    )
    assert "Shown are 3 dialogues, evenly spaced through the data; 7 more are in" in page


def test_all_of_a_few_dialogues_are_shown():
    shown = view(row(1))
    assert (len(shown.dialogues), shown.n_left_out) == (1, 0)
