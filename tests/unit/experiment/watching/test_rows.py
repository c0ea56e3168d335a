import pytest

from turnsure.core.errors import InputError
from turnsure.experiment.score_columns import ScoreOptions
from turnsure.experiment.watching.rows import read_watched


def read(tmp_path, text, method="p_true", options=None, slices=None, **others):
    path = tmp_path / "new.csv"
    path.write_text(text)
    return read_watched(path, method, options or ScoreOptions(), slices, **others)


def test_labels_and_ids_may_be_missing(tmp_path):
    rows = read(tmp_path, "score\n0.5\n0.25\nNA\n1\n")
    assert rows.score.tolist() == [0.5, 0.25, 1.0]
    assert rows.correct.tolist() == [-1, -1, -1]
    assert rows.group.tolist() == [0, 1, 2]
    assert rows.ids is None
    assert (rows.n_given, rows.n_no_score) == (4, 1)
    assert rows.place(2) == "line 5"
    assert rows.notes == ("No column says the dialogue: each row is one of its own.",)


def test_some_labels_may_be_missing(tmp_path):
    rows = read(tmp_path, "id,score,correct\na,0.5,1\nb,0.25,\nc,0.1,0\n")
    assert rows.correct.tolist() == [1, -1, 0]
    assert rows.ids == ("a", "b", "c")


def test_ids_go_with_the_dialogues_that_have_a_score(tmp_path):
    rows = read(tmp_path, "id,turn,score\nb,1,0.5\na,1,NA\nc,1,0.2\nb,2,0.1\n")
    assert [rows.ids[one] for one in rows.group] == ["b", "c", "b"]
    assert rows.n_turns.tolist() == [2, 1, 2]


def test_other_methods_are_left_out(tmp_path):
    text = "id,method,score\na,p_true,0.5\na,other,0.9\nb,p_true,0.4\n"
    rows = read(tmp_path, text)
    assert (rows.method, rows.score.tolist()) == ("p_true", [0.5, 0.4])
    with pytest.raises(InputError, match="here are p_true, other"):
        read(tmp_path, text, "third", any_method=True)


def test_a_single_method_under_another_name_counts_for_a_gate_without_protocol(tmp_path):
    text = "id,method,score\na,mine,0.5\n"
    assert read(tmp_path, text, "score", any_method=True).method == "mine"
    with pytest.raises(InputError, match="there is no 'score' here"):
        read(tmp_path, text, "score")


def test_the_column_of_the_gates_method_is_taken(tmp_path):
    text = "id,p_true_confidence,other_confidence\na,0.5,0.9\n"
    assert read(tmp_path, text, "p_true_confidence").score.tolist() == [0.5]
    with pytest.raises(InputError) as caught:
        read(tmp_path, text, "p_true")
    assert caught.value.field == "score"


@pytest.mark.parametrize(
    ("text", "line", "field"),
    [
        ("id,score\na,0.5\nb,1.5\n", 3, "score"),
        ("id,score\na,0.5\nb,high\n", 3, "score"),
        ("id,score,correct\na,0.5,1\nb,0.1,maybe\n", 3, "correct"),
        ("id,score\na,0.5\na,0.1\n", 3, "id"),
        ("id,turn,score\na,1,0.5\na,1,0.1\n", 3, "turn"),
        ("id,score\na,\nb,NA\n", None, "score"),
        ("id,correct\na,1\n", None, "confidence"),
        ("id,model,score\na,x,0.5\nb,y,0.5\n", None, "model"),
    ],
)
def test_what_cannot_be_used_is_refused_where_it_stands(tmp_path, text, line, field):
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert (caught.value.line, caught.value.field) == (line, field)
    assert caught.value.file.endswith("new.csv")


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(InputError):
        read(tmp_path, "id,score\n")


def test_slices_are_columns_of_few_words_or_those_that_are_named(tmp_path):
    text = "id,score,language,note\n" + "".join(f"i{k},0.5,{'en' if k % 2 else 'de'},w{k}\n"
                                                for k in range(40))  # fmt: skip
    assert set(read(tmp_path, text).slices) == {"language"}
    assert set(read(tmp_path, text, slices=("note",)).slices) == {"note"}
    assert read(tmp_path, text, slices=()).slices == {}
    with pytest.raises(InputError, match="there is no column 'where'"):
        read(tmp_path, text, slices=("where",))


def test_percent(tmp_path):
    rows = read(tmp_path, "id,score\na,50%\nb,7\n", options=ScoreOptions(percent=True))
    assert rows.score.tolist() == [0.5, 0.07]


def test_long_files_come_in_pieces(tmp_path):
    n = 70_000
    rows = read(tmp_path, "score\n" + "0.5\n" * n)
    assert (rows.n_given, int(rows.group.max())) == (n, n - 1)
    assert rows.place(n - 1) == f"line {n + 1:,}"
