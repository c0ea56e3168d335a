"""Public data beside the project: counts equal those in the SOURCE.md of each set.

Of three sets only the derived dialogues are at hand; these are put back into the public schema, so
that the reader has to find in it what the derivation found.
"""

from __future__ import annotations

import csv
import json

import pytest

from turnsure import registry
from turnsure.dialogues.jsonl import read_dialogues
from turnsure.dialogues.readers.log import ReadLog

pytestmark = pytest.mark.shared


def read(name, path):
    log = ReadLog(strict=True)
    return list(registry.load("readers", name)(path, log=log)), log.report()


def test_mtbench101(shared_data):
    dialogues, report = read("mtbench101", shared_data / "mtbench101" / "mtbench101.jsonl")
    assert (report.n_records, report.n_dialogues) == (1388, 1388)
    assert {one.n_turns for one in dialogues} == {2, 3, 4, 5, 6, 7}
    assert len({one.meta["ability"] for one in dialogues}) == 13
    assert {one.meta["progressive"] for one in dialogues} == {"no"}


def test_tau_bench(shared_data):
    dialogues, report = read("chat_messages", shared_data / "tau_bench" / "gpt-4o-airline.json")
    assert (report.n_records, report.n_dialogues) == (200, 200)
    rewards = [one.meta["reward"] for one in dialogues]
    assert (rewards.count("1.0"), rewards.count("0.0")) == (84, 116)
    left_out = {one.reason: one.n for one in report.left_out}
    # Every message of a user is a turn or was counted.
    turns = [one.n_turns for one in dialogues]
    assert sum(turns) + left_out["user message after the end"] == 1490
    assert max(turns) <= 30
    assert {one.id for one in dialogues} == {f"{task}-{n}" for task in range(50) for n in range(4)}


def test_games(shared_data, tmp_path):
    derived = read_dialogues(shared_data / "20q_vibelang" / "dialogues.jsonl")
    for one in derived:
        won = one.meta["won"] == "true"
        rounds = [(hint.question, hint.answer, False) for hint in one.hints]
        if won:
            rounds.append((f"Is it {one.gold[0]}?", "yes", True))
        game = {
            "runId": one.id,
            "secret": {"category": one.meta["category"], "secret": one.gold[0]},
            "guesser": {"name": one.meta["guesser"]},
            "won": won,
            "rounds": [
                {
                    "roundNumber": number,
                    "questions": question,
                    "answererResults": {"answerCorrect": answer, "finalSecretCorrect": names},
                }
                for number, (question, answer, names) in enumerate(rounds)
            ],
        }
        (tmp_path / f"{one.id.replace(':', '')}.json").write_text(json.dumps(game))
    dialogues, report = read("twenty_questions", tmp_path)
    assert (report.n_records, report.n_dialogues) == (376, 376)
    assert report.left_out[0].n == 342
    assert report.n_turns + 342 == 4730
    assert len({one.gold for one in dialogues}) == 27
    assert [one.hints for one in dialogues] == [one.hints for one in derived]


def test_sharded(shared_data, tmp_path):
    derived = (shared_data / "sharded_gsm8k_jliang" / "dialogues.jsonl").read_text("utf-8")
    records = []
    for one in map(json.loads, derived.splitlines()):
        shards = [
            {"shard_id": number, "shard": hint["answer"]}
            for number, hint in enumerate(one["hints"], start=1)
        ]
        answer = f"Some steps.\n#### {one['gold'][0]}"
        records.append({"task_id": one["id"], "task": "math", "question": one["meta"]["full"],
                        "answer": answer, "shards": shards})  # fmt: skip
    file = tmp_path / "sharded.json"
    file.write_text(json.dumps(records + records[:270]))
    dialogues, report = read("sharded", file)
    assert (report.n_records, report.n_dialogues) == (698, 428)
    assert {(one.reason, one.n) for one in report.left_out} == {("blank shard", 7)}
    assert report.n_turns + 7 == 2095
    assert len({one.id for one in dialogues}) == 428


def test_quizbowl_packet(shared_data, tmp_path):
    derived = read_dialogues(shared_data / "qb_expo" / "dialogues.jsonl")
    file = tmp_path / "expo.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out)
        table.writerow(("id", "answer", "sent", "text"))
        for one in derived:
            table.writerows(
                (one.id, one.gold[0], place, hint.answer) for place, hint in enumerate(one.hints)
            )
    dialogues, report = read("quizbowl_packet", file)
    assert (report.n_records, report.n_dialogues, report.n_turns) == (79, 79, 378)
    changed = {one.gold: new.gold for one, new in zip(derived, dialogues, strict=True)
               if new.gold != one.gold}  # fmt: skip
    # The one answer of these with a remark; "A and B" may be one name, so it stays whole.
    assert changed == {
        ("Benz (accept Daimler-Benz and Mercedes-Benz)",): (
            "Benz",
            "Daimler-Benz and Mercedes-Benz",
        )
    }
