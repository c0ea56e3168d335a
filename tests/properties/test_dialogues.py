"""Reading and rendering dialogues: laws that hold for any of them."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from turnsure.core.dialogue import Dialogue, Hint
from turnsure.core.errors import InputError
from turnsure.dialogues.jsonl import dialogue_line, read_dialogues, write_dialogues
from turnsure.dialogues.rendering import HistoryWording, render

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)
PIECES = st.sampled_from(["\n", "User:", "- ", "{answer}", "{question}", "{", "}", "\\boxed{x}"])
HINT_TEXT = st.lists(st.one_of(TEXT, PIECES), min_size=1, max_size=4).map("".join).filter(str.strip)
HINTS = st.builds(Hint, question=st.none() | HINT_TEXT, answer=HINT_TEXT)
DIALOGUES = st.builds(
    Dialogue,
    id=TEXT,
    task=TEXT,
    hints=st.lists(HINTS, min_size=2, max_size=6).map(tuple),
    gold=st.lists(TEXT, min_size=1, max_size=3).map(tuple),
    meta=st.dictionaries(TEXT, TEXT, max_size=2),
)
STYLES = pytest.mark.parametrize("style", ["transcript", "chat"])
WORDING = HistoryWording(closing="Now, what is the answer?")


def rendered(dialogue: Dialogue, turn: int, style) -> list[tuple[str, str]]:
    messages = render(dialogue.prefix(turn), style=style, wording=WORDING)
    return [(message.role, message.content) for message in messages]


def flat(messages: list[tuple[str, str]]) -> str:
    """The messages as one text, as a chat template lays them out."""
    return "".join(f"<{role}>{content}" for role, content in messages)


@STYLES
@given(dialogue=DIALOGUES, data=st.data())
def test_a_turn_begins_with_the_turn_before(style, dialogue, data):
    turn = data.draw(st.integers(1, dialogue.n_turns - 1))
    now, later = rendered(dialogue, turn, style), rendered(dialogue, turn + 1, style)
    assert flat(now).endswith(WORDING.closing)
    shared = flat(now).removesuffix(WORDING.closing).rstrip("\n")
    assert flat(later).startswith(shared)


@STYLES
@given(dialogue=DIALOGUES, others=st.lists(HINTS, max_size=3), gold=TEXT, data=st.data())
def test_what_comes_after_the_turn_changes_nothing(style, dialogue, others, gold, data):
    turn = data.draw(st.integers(1, dialogue.n_turns))
    changed = dataclasses.replace(
        dialogue, hints=(*dialogue.hints[:turn], *others), gold=(gold,), meta={"a": gold}
    )
    assert rendered(changed, turn, style) == rendered(dialogue, turn, style)


@STYLES
@given(dialogue=DIALOGUES)
def test_roles_alternate_from_user_to_user(style, dialogue):
    roles = [role for role, _ in rendered(dialogue, dialogue.n_turns, style)]
    assert roles == (["user", "assistant"] * len(roles))[: len(roles)]
    assert roles[-1] == "user"


@given(dialogue=DIALOGUES)
def test_a_transcript_has_one_line_a_hint(dialogue):
    [(_, content)] = rendered(dialogue, dialogue.n_turns, "transcript")
    head = f"{dialogue.task}\n\n{WORDING.intro}\n\n"
    lines = content.removeprefix(head).removesuffix(f"\n\n{WORDING.closing}").splitlines()
    assert len(lines) == dialogue.n_turns
    assert all(line.startswith("- ") for line in lines)


@given(dialogues=st.lists(DIALOGUES, min_size=1, max_size=4, unique_by=lambda one: one.id))
def test_what_is_written_is_read_again(tmp_path_factory, dialogues):
    file = tmp_path_factory.mktemp("written") / "d.jsonl"
    write_dialogues(file, dialogues)
    assert read_dialogues(file) == dialogues


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


def read_or_error(file: Path) -> list[Dialogue] | InputError:
    try:
        return read_dialogues(file)
    except InputError as error:
        return error


@given(field=st.sampled_from(["id", "task", "gold", "hints", "meta", "format", "x"]), value=JSON)
def test_any_value_anywhere_is_read_or_refused_with_its_line(tmp_path_factory, field, value):
    good = {"id": "a", "gold": ["x"], "hints": [{"answer": "y"}]}
    file = tmp_path_factory.mktemp("odd") / "d.jsonl"
    file.write_text(json.dumps({**good, field: value}) + "\n", encoding="utf-8")
    read = read_or_error(file)
    if isinstance(read, InputError):
        assert (read.file, read.line) == (str(file), 1)
        assert read.expected
        assert str(read).encode("utf-8")
    else:
        [dialogue] = read
        assert json.loads(dialogue_line(dialogue))["id"] == dialogue.id


@given(raw=st.binary(min_size=1, max_size=40))
def test_any_bytes_are_refused_with_their_line(tmp_path_factory, raw):
    assume(raw.replace(b"\xef\xbb\xbf", b"").strip())
    file = tmp_path_factory.mktemp("bytes") / "d.jsonl"
    file.write_bytes(raw)
    with pytest.raises(InputError) as caught:
        read_dialogues(file)
    assert caught.value.line is not None
