"""Each format: how records become dialogues, and which do not, for which reason."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from turnsure import registry
from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.readers.convert import OTHER_OF_SAME_ID, REPEATED
from turnsure.dialogues.readers.log import MALFORMED, ReadLog, ReadReport

TEXT = "Clue one here. Clue two (*) there. Name it."
QANTA = {
    "qid": 7,
    "text": TEXT,
    "tokenizations": [[0, 14], [15, 34], [35, 43]],
    "answer": "Ruby [accept Corundum; prompt on gem]",
    "page": "Ruby_(gem)",
    "fold": "buzzdev",
    "category": "Science",
    "year": 2016,
    "gameplay": True,
    "tournament": None,
}
GAME = {
    "runId": "r1",
    "secret": {"category": "creature", "secret": "Otter"},
    "guesser": {"name": "g", "config": {"id": 1}},
    "won": True,
    "totalQuestions": 3,
    "rounds": [
        {"roundNumber": 1, "questions": "Is it wet? ", "answererResults": {"answerCorrect": "yes"}},
        {
            "roundNumber": 0,
            "questions": "Is it a bird?",
            "answererResults": {"answerCorrect": "no", "finalSecretCorrect": False},
        },
        {
            "roundNumber": 2,
            "questions": "Is it an otter?",
            "answererResults": {"answerCorrect": "yes", "finalSecretCorrect": True},
        },
    ],
}  # fmt: skip
ROW = {
    "subject": "candle",
    "question": "Does it burn?",
    "answer": "yes",
    "majority": True,
    "is_bad": False,
    "high_quality": True,
    "subject_split_index": 1,
}
SHARDED = {
    "task_id": "sharded-GSM8K/1",
    "task": "math",
    "question": "Ann has 2 pens and buys 3. How many?",
    "answer": "2 + 3 = 5\n#### 5",
    "shards": [
        {"shard_id": 2, "shard": "Ann has 2 pens."},
        {"shard_id": 1, "shard": "How many pens are there?"},
        {"shard_id": 3, "shard": "She buys 3."},
    ],
}
BENCH = {
    "task": "GR",
    "id": 4,
    "history": [{"user": "Hello", "bot": "Hi."}, {"user": "Who?", "bot": "Me."}],
}
CHAT = {
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": [{"type": "text", "text": "Who?"}]},
        {"role": "assistant", "content": "Me."},
    ]
}


class Reading:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def json(self, name: str, *records: Any, ending: str = ".jsonl", **settings: Any):
        file = self.folder / f"set{ending}"
        if ending == ".jsonl":
            text = "".join(json.dumps(one) + "\n" for one in records)
        else:
            text = json.dumps(records[0])
        file.write_text(text, encoding="utf-8")
        return self.file(name, file, **settings)

    def csv(self, name: str, *rows: Any, **settings: Any):
        out = io.StringIO()
        csv.writer(out).writerows(rows)
        file = self.folder / "set.csv"
        file.write_text(out.getvalue(), encoding="utf-8")
        return self.file(name, file, **settings)

    def file(
        self, name: str, file: Path, *, strict: bool = False, **settings: Any
    ) -> tuple[list[Dialogue], ReadReport]:
        log = ReadLog(strict=strict)
        dialogues = list(registry.load("readers", name)(file, log=log, **settings))
        report = log.report()
        assert report.n_dialogues == len(dialogues)
        assert report.n_records == len(dialogues) + report.n_dropped
        assert report.n_turns == sum(one.n_turns for one in dialogues)
        return dialogues, report


@pytest.fixture
def read(tmp_path):
    return Reading(tmp_path)


def counts(tallies: Any) -> dict[str, int]:
    return {one.reason: one.n for one in tallies}


def clues(dialogue: Dialogue) -> list[str]:
    return [hint.answer for hint in dialogue.hints]


class TestQanta:
    @pytest.mark.parametrize("ending", [".json", ".jsonl"])
    def test_spans_are_clues(self, read, ending):
        given = {"questions": [QANTA]} if ending == ".json" else QANTA
        [one], report = read.json("qanta", given, ending=ending)
        assert one.id == "qanta-7"
        assert clues(one) == ["Clue one here.", "Clue two there.", "Name it."]
        assert all(hint.question is None for hint in one.hints)
        assert one.gold == ("Ruby", "Corundum", "Ruby (gem)")
        assert one.meta == {
            "fold": "buzzdev",
            "category": "Science",
            "year": "2016",
            "prompt_on": "gem",
            "progressive": "yes",
        }
        assert report.left_out == ()

    def test_the_export_with_a_raw_answer_and_cut_questions(self, read):
        export = {**QANTA, "full_question": TEXT, "text": "Clue", "raw_answer": "Ruby [or Rubin]"}
        [one], _ = read.json("qanta", {**export, "answer": "Ruby_(gem)"})
        assert (one.n_turns, one.gold) == (3, ("Ruby", "Rubin", "Ruby (gem)"))

    def test_words_outside_of_the_spans_stay(self, read):
        [one], _ = read.json("qanta", {**QANTA, "tokenizations": [[5, 14], [25, 34]]})
        assert clues(one) == ["Clue one here.", "Clue two there. Name it."]

    def test_spans_count_characters_and_not_bytes(self, read):
        text = "Ä😀. Über."
        [one], _ = read.json("qanta", {**QANTA, "text": text, "tokenizations": [[0, 3], [4, 9]]})
        assert clues(one) == ["Ä😀.", "Über."]

    def test_a_page_without_an_answer_line_is_the_gold(self, read):
        [one], _ = read.json("qanta", {**QANTA, "answer": None, "page": "U2_[album]"})
        assert one.gold == ("U2 [album]",)

    def test_a_span_of_blanks_is_no_turn(self, read):
        spaced = {**QANTA, "text": "One.   Two.", "tokenizations": [[0, 4], [4, 6], [6, 11]]}
        [one], report = read.json("qanta", spaced)
        assert clues(one) == ["One.", "Two."]
        assert counts(report.left_out) == {"blank clue": 1}

    @pytest.mark.parametrize(
        ("changes", "field"),
        [
            ({"qid": None}, "qid"),
            ({"qid": [1]}, "qid"),
            ({"text": 3}, "text"),
            ({"text": " "}, "text"),
            ({"answer": " ", "page": None}, "answer"),
            ({"answer": "[prompt on x]"}, "answer"),
            ({"tokenizations": None}, "tokenizations"),
            ({"tokenizations": []}, "tokenizations"),
            ({"tokenizations": {}}, "tokenizations"),
            ({"tokenizations": [[0, 14], [15]]}, "tokenizations[1]"),
            ({"tokenizations": [[0, 14], [13, 20]]}, "tokenizations[1]"),
            ({"tokenizations": [[0, 44]]}, "tokenizations[0]"),
            ({"tokenizations": [[4, 4]]}, "tokenizations[0]"),
            ({"tokenizations": [[-1, 4]]}, "tokenizations[0]"),
            ({"tokenizations": [[False, 4]]}, "tokenizations[0]"),
            ({"tokenizations": [["0", "4"]]}, "tokenizations[0]"),
            ({"page": 5}, "page"),
            ({"category": {}}, "category"),
            ({"text": "\ud800"}, "text"),
        ],
    )
    def test_a_malformed_question_is_counted_and_named(self, read, changes, field):
        good = {**QANTA, "qid": 8}
        [one], report = read.json("qanta", {"questions": [good, {**QANTA, **changes}]},
                                  ending=".json")  # fmt: skip
        assert one.id == "qanta-8"
        assert counts(report.dropped) == {MALFORMED: 1}
        assert f"set.json, field 'questions[1].{field}'" in report.dropped[0].first
        assert "(expected " in report.dropped[0].first
        with pytest.raises(InputError) as caught:
            read.json("qanta", good, {**QANTA, **changes}, strict=True)
        assert (caught.value.line, caught.value.field) == (2, field)


class TestGrace:
    HEAD = ("tossup_index", "category", "question", "answer", "question_buzzpoints", "position")

    def test_sentences_are_clues(self, read):
        [one], _ = read.csv("grace", self.HEAD, ("exh-4", "Art", TEXT, "Ruby [or Rubin]", "", ""))
        assert one.id == "grace-exh-4"
        assert clues(one) == ["Clue one here.", "Clue two there.", "Name it."]
        assert one.gold == ("Ruby", "Rubin")
        assert one.meta == {"category": "Art", "boundaries": "sentences", "progressive": "yes"}

    def test_marks_between_clues_win(self, read):
        row = ("1", "Art", "Clue one. Still one. ||| Clue two.|||  ", "Ruby", "", "")
        [one], report = read.csv("grace", self.HEAD, row)
        assert clues(one) == ["Clue one. Still one.", "Clue two."]
        assert one.meta["boundaries"] == "clues"
        assert counts(report.left_out) == {"blank clue": 1}

    def test_names_of_columns_in_any_case_and_order(self, read):
        [one], _ = read.csv("grace", ("Answer", " QUESTION", "Tossup_Index"), ("Ruby", TEXT, "2"))
        assert (one.id, one.n_turns) == ("grace-2", 3)

    def test_what_is_dropped(self, read):
        rows = [("1", "Art", TEXT, "Ruby", "", ""), ("1", "Art", TEXT, "Ruby", "", ""),
                ("1", "Art", TEXT, "Opal", "", ""), ("2", "Art", TEXT, " ", "", ""),
                ("3", "Art", "(*)", "Opal", "", ""), ("4", "Art")]  # fmt: skip
        _, report = read.csv("grace", self.HEAD, *rows)
        assert counts(report.dropped) == {
            REPEATED: 1, OTHER_OF_SAME_ID: 1, MALFORMED: 2, "no clue says anything": 1,
        }  # fmt: skip

    def test_a_missing_column(self, read):
        with pytest.raises(InputError, match="there is no column 'tossup_index'") as caught:
            read.csv("grace", ("id", "question", "answer"), ("1", TEXT, "Ruby"))
        assert (caught.value.line, caught.value.field) == (1, "tossup_index")


class TestQuizbowlPacket:
    HEAD = ("id", "answer", "sent", "text")

    def test_rows_of_a_question_in_the_order_of_sent(self, read):
        dialogues, report = read.csv(
            "quizbowl_packet", self.HEAD, (5, "Ming_Dynasty", 1, "two (*)\nlines"),
            (6, "Ruby", 0, "a"), (5, "Ming_Dynasty", 0, "first"), (5, "Ming_Dynasty", 2, " "),
        )  # fmt: skip
        assert [one.id for one in dialogues] == ["set-5", "set-6"]
        assert clues(dialogues[0]) == ["first", "two lines"]
        assert dialogues[0].gold == ("Ming Dynasty",)
        assert dialogues[0].meta == {"packet": "set", "progressive": "yes"}
        assert counts(report.left_out) == {"blank clue": 1}

    def test_without_sent_rows_count_in_their_order(self, read):
        head = ("id", "answer", "text")
        dialogues, _ = read.csv(
            "quizbowl_packet", head, (1, "A", "z. Z."), (1, "A", "a"), (2, "B", TEXT)
        )
        assert [clues(one) for one in dialogues] == [
            ["z. Z.", "a"],
            ["Clue one here.", "Clue two there.", "Name it."],
        ]

    def test_whole_questions_in_json(self, read):
        question = {"qid": 46, "answer": "Brownian_motion", "question": TEXT, "fold": "dev"}
        [one], _ = read.json("quizbowl_packet", {"questions": [question]}, ending=".json")
        assert (one.id, one.n_turns, one.gold) == ("set-46", 3, ("Brownian motion",))
        assert one.meta == {"packet": "set", "fold": "dev", "progressive": "yes"}

    @pytest.mark.parametrize(
        ("row", "field", "line"),
        [
            ((5, "B", 1, "x"), "answer", 4),
            ((5, "A", 0, "x"), "sent", 4),
            ((5, "A", "one", "x"), "sent", 4),
            ((5, "A", "", "x"), "sent", 4),
            ((5, "", 1, "x"), "answer", 4),
        ],
    )
    def test_a_question_with_a_bad_row_is_dropped_whole(self, read, row, field, line):
        [one], report = read.csv(
            "quizbowl_packet", self.HEAD, (6, "B", 0, "x"), (5, "A", 0, "x"), row
        )
        assert one.id == "set-6"
        assert counts(report.dropped) == {MALFORMED: 1}
        assert f"set.csv, line {line}, field {field!r}" in report.dropped[0].first

    @pytest.mark.parametrize("row", [(5, "A", 1), ("", "A", 1, "x"), (5, "A", 1, "x", "y")])
    def test_a_broken_row_ends_it(self, read, row):
        with pytest.raises(InputError) as caught:
            read.csv("quizbowl_packet", self.HEAD, (5, "A", 0, "x"), row)
        assert caught.value.line == 3


class TestGames:
    def test_rounds_are_turns_but_for_the_one_that_names_the_secret(self, read):
        [one], report = read.json("twenty_questions", GAME, ending=".json")
        assert one.id == "20q-r1"
        assert one.hints == (
            Hint(question="Is it a bird?", answer="no"),
            Hint(question="Is it wet?", answer="yes"),
        )
        assert one.gold == ("Otter",)
        assert "which creature" in one.task
        assert one.meta == {
            "won": "true", "guesser": "g", "category": "creature", "progressive": "yes",
        }  # fmt: skip
        assert counts(report.left_out) == {"round that names the secret": 1}

    def test_a_folder_holds_a_file_a_game(self, read, tmp_path):
        folder = tmp_path / "results"
        folder.mkdir()
        for name in ("b", "a"):
            (folder / f"{name}.json").write_text(json.dumps({**GAME, "runId": name}))
        (folder / "broken.json").write_text("{")
        (folder / "notes.txt").write_text("no game")
        dialogues, report = read.file("twenty_questions", folder)
        assert [one.id for one in dialogues] == ["20q-a", "20q-b"]
        assert counts(report.dropped) == {MALFORMED: 1}
        assert "broken.json, line 1" in report.dropped[0].first

    def test_a_folder_without_games(self, read, tmp_path):
        with pytest.raises(InputError, match="holds no game"):
            read.file("twenty_questions", tmp_path)

    def test_what_is_dropped(self, read):
        only_last = {**GAME, "runId": "r2", "rounds": GAME["rounds"][2:]}
        blank = {**GAME, "runId": "r3", "rounds": [{**GAME["rounds"][0], "questions": " "}]}
        without = {name: value for name, value in GAME.items() if name != "secret"}
        _, report = read.json("twenty_questions", GAME, only_last, blank, without, [GAME])
        assert counts(report.dropped) == {
            "no round but those that name the secret": 1, MALFORMED: 3,
        }  # fmt: skip
        assert "line 3, field 'rounds[0].questions'" in report.dropped[1].first


class TestAllenAI:
    def test_questions_about_a_subject_are_one_dialogue(self, read):
        dialogues, report = read.json(
            "allenai_20q",
            ROW,
            {**ROW, "subject": "boat", "majority": False},
            {**ROW, "question": "Is it wax?", "answer": None},
            {**ROW, "question": "does it  burn?"},
            {**ROW, "question": "Is it a candle?", "high_quality": False},
            {**ROW, "question": "Is it odd?", "is_bad": True},
            {**ROW, "question": "Is it lit?", "majority": "yes"},
            {**ROW, "subject": "sea", "is_bad": True},
            7,
        )
        assert [one.id for one in dialogues] == ["allenai-20q-candle", "allenai-20q-boat"]
        assert dialogues[0].hints == (
            Hint(question="Does it burn?", answer="yes"),
            Hint(question="Is it wax?", answer="yes"),
        )
        assert dialogues[0].gold == ("candle",)
        assert dialogues[0].meta == {
            "order": "file", "subject_split_index": "1", "progressive": "yes",
        }  # fmt: skip
        assert dialogues[1].hints == (Hint(question="Does it burn?", answer="no"),)
        assert counts(report.dropped) == {"no question of good quality": 1}
        assert counts(report.left_out) == {
            "malformed row": 2,
            "question that was asked before": 1,
            "question of low quality": 1,
            "question without a sound answer": 1,
        }

    def test_strict_ends_at_a_malformed_row(self, read):
        with pytest.raises(InputError) as caught:
            read.json("allenai_20q", ROW, {**ROW, "majority": None}, strict=True)
        assert (caught.value.line, caught.value.field) == (2, "majority")


class TestSharded:
    def test_shards_in_their_order(self, read):
        [one], _ = read.json("sharded", [SHARDED], ending=".json")
        assert one.id == "sharded-GSM8K/1"
        assert clues(one) == ["How many pens are there?", "Ann has 2 pens.", "She buys 3."]
        assert one.gold == ("5",)
        assert one.meta == {"kind": "math", "full": SHARDED["question"], "progressive": "yes"}

    def test_what_is_dropped_and_left_out(self, read):
        blank = {**SHARDED, "shards": [*SHARDED["shards"], {"shard_id": 4, "shard": ""}]}
        _, report = read.json(
            "sharded",
            blank,
            SHARDED,
            {**SHARDED, "answer": "#### 6"},
            {**SHARDED, "task": "code"},
            {**SHARDED, "task_id": "b", "answer": "one\ntwo"},
            {**SHARDED, "task_id": "c", "shards": [{"shard_id": 1, "shard": " "}]},
            {**SHARDED, "task_id": "d", "shards": [{"shard_id": 1, "shard": "x"}] * 2},
            {**SHARDED, "task_id": "e", "shards": [{"shard_id": "first", "shard": "x"}]},
        )
        assert counts(report.dropped) == {
            REPEATED: 1,
            OTHER_OF_SAME_ID: 1,
            "no short answer in tasks of the kind 'code'": 1,
            "no final answer after ####": 1,
            "no shard says anything": 1,
            MALFORMED: 2,
        }
        assert counts(report.left_out) == {"blank shard": 1}

    def test_a_number_as_answer(self, read):
        [one], _ = read.json("sharded", {**SHARDED, "answer": 16})
        assert one.gold == ("16",)


def test_mtbench101_is_marked_as_not_progressive(read):
    [one], _ = read.json("mtbench101", BENCH)
    assert one.id == "mtbench101-GR-4"
    assert one.hints == (Hint(answer="Hello"), Hint(question="Hi.", answer="Who?"))
    assert one.gold == ("Me.",)
    assert one.meta["progressive"] == "no"
    assert one.meta["ability"] == "GR"
    assert "reference" in one.meta["gold"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"history": None}, "history"),
        ({"history": ["x"]}, "history[0]"),
        ({"history": [{"user": "x"}]}, "history[0].bot"),
        ({"history": [{"user": "", "bot": "x"}]}, "history[0].user"),
        ({"id": None}, "id"),
    ],
)
def test_malformed_conversations_of_mtbench101(read, changes, field):
    _, report = read.json("mtbench101", {**BENCH, "id": 1}, {**BENCH, **changes})
    assert f"line 2, field {field!r}" in report.dropped[0].first


def test_an_empty_conversation_of_mtbench101(read):
    _, report = read.json("mtbench101", BENCH, {**BENCH, "id": 1, "history": []})
    assert counts(report.dropped) == {"an empty conversation": 1}


class TestChatMessages:
    def messages(self, *pairs: tuple[str, Any], **more: Any) -> dict[str, Any]:
        said = [{"role": role, "content": content} for role, content in pairs]
        return {"messages": said, **more}

    def test_the_last_reply_is_the_reference(self, read):
        [one], report = read.json("chat_messages", CHAT)
        assert one.id == "set-1"
        assert one.task == "Be brief."
        assert one.hints == (Hint(answer="Hello"), Hint(question="Hi.", answer="Who?"))
        assert one.gold == ("Me.",)
        assert one.meta["progressive"] == "unknown"
        assert report.left_out == ()

    def test_a_given_answer_wins_and_the_last_question_is_shown(self, read):
        given = {**CHAT, "id": 3, "gold": ["I", "Me"], "metadata": {"lang": "en", "n": 2, "x": []}}
        [one], report = read.json("chat_messages", given)
        assert one.id == "3"
        assert (one.n_turns, one.gold) == (2, ("I", "Me"))
        assert one.meta == {"lang": "en", "n": "2", "progressive": "unknown"}
        assert counts(report.left_out) == {"assistant message after the end": 1}

    def test_tools_are_left_out_and_replies_in_a_row_joined(self, read):
        call = {"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]}
        tool = {"role": "tool", "content": "42", "tool_call_id": "c"}
        traj = [*CHAT["messages"][1:3], call, tool, {"role": "assistant", "content": "More?"},
                *CHAT["messages"][3:], {"role": "user", "content": "###STOP###"}]  # fmt: skip
        [one], report = read.json(
            "chat_messages", [{"task_id": 0, "trial": 1, "reward": 0.5, "traj": traj}],
            ending=".json", task="Help.",
        )  # fmt: skip
        assert one.id == "0-1"
        assert one.task == "Help."
        assert one.hints == (Hint(answer="Hello"), Hint(question="Hi.\nMore?", answer="Who?"))
        assert one.gold == ("Me.",)
        assert one.meta["reward"] == "0.5"
        assert counts(report.left_out) == {
            "tool call": 1, "tool result": 1, "user message after the end": 1,
        }  # fmt: skip

    def test_what_is_dropped(self, read):
        image = [{"type": "image_url", "image_url": {"url": "x"}}]
        _, report = read.json(
            "chat_messages",
            CHAT,
            self.messages(("user", image), ("assistant", "a cat")),
            self.messages(("user", "Hello")),
            self.messages(("assistant", "Hello")),
            self.messages(("assistant", "Hello"), gold="x"),
            self.messages(("bot", "Hello")),
            self.messages(("user", 3)),
            self.messages(("user", "Hello"), gold=[]),
            {"messages": {}},
            {},
        )
        assert counts(report.dropped) == {
            "holds something else than text, such as an image": 1,
            "no reply, and no accepted answer is given": 1,
            "no message of the user before the last reply": 1,
            "no user message": 1,
            MALFORMED: 5,
        }

    def test_a_blank_message_is_left_out(self, read):
        talk = self.messages(("user", "a"), ("assistant", ""), ("user", "b"), ("assistant", "c"))
        [one], report = read.json("chat_messages", talk)
        assert one.hints == (Hint(answer="a"), Hint(answer="b"))
        assert counts(report.left_out) == {"blank assistant message": 1}


SAMPLES = {
    "qanta": QANTA,
    "twenty_questions": GAME,
    "allenai_20q": ROW,
    "sharded": SHARDED,
    "mtbench101": BENCH,
    "chat_messages": CHAT,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_task_can_be_given(read, name):
    sample = {**SAMPLES[name], "messages": CHAT["messages"][1:]}
    [one], _ = read.json(name, sample, task="Say it.")
    assert one.task == "Say it."
    [own], _ = read.json(name, sample)
    assert own.task not in ("", "Say it.")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_field_of_any_wrong_kind_is_malformed_and_never_a_crash(read, name):
    for field in SAMPLES[name]:
        for wrong in (None, 3, 1.5, True, "", "x", [], [[]], [{}], {}, {"a": 1}):
            changed = {**SAMPLES[name], field: wrong}
            _, report = read.json(name, {**SAMPLES[name], "other": 1}, changed)
            assert report.n_dialogues >= 1  # the sound record beside it is read all the same


def test_every_reader_is_tested_here():
    assert {*SAMPLES, "grace", "quizbowl_packet"} == set(registry.READERS)
