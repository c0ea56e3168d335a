import pytest

from turnsure import choose
from turnsure.calibration import LabelledScores, RiskTarget
from turnsure.core.errors import InputError


def rows(**columns):
    given = {
        "score": [0.5, 0.6, None, 0.4, 0.9],
        "correct": [1, 0, 1, 0, 1],
        "dialogue": ["a", "a", "a", "b", "c"],
        "turn": [1, 2, 3, 1, 3],
        "n_turns": [3, 3, 3, 1, 4],
    } | columns
    return LabelledScores.of(given.pop("score"), given.pop("correct"), **given)


def test_dialogues_end_at_the_last_turn():
    cut = rows().up_to(2)
    assert cut.score.tolist() == [0.5, 0.6, 0.4]
    assert cut.turn.tolist() == [1, 2, 1]
    assert cut.n_turns.tolist() == [2, 2, 1]
    assert list(cut.groups) == ["a", "b"]
    assert cut.n_missing == rows().n_missing == 1


def test_without_a_last_turn_or_without_turns_all_rows_stay():
    assert rows().up_to(None).score.tolist() == rows().score.tolist()
    assert len(rows(turn=None, n_turns=None).up_to(1)) == 4


def test_a_last_turn_before_all_rows_is_an_error():
    late = LabelledScores.of([0.1, 0.2], [0, 1], dialogue=["a", "a"], turn=[2, 3], n_turns=[3, 3])
    with pytest.raises(InputError, match="all 2 rows are of later turns than 1"):
        late.up_to(1)


def test_what_is_missing_is_among_the_assumptions():
    target = RiskTarget(error=0.5, confidence=0.5)
    by_dialogue = choose(rows(), target=target, resamples=0)
    assert any(one.startswith("1 turn without score") for one in by_dialogue.assumptions)
    by_row = choose(rows(turn=None, n_turns=None), target=target, resamples=0)
    assert any(one.startswith("1 row without score") for one in by_row.assumptions)
    complete = choose(rows(score=[0.5] * 5), target=target, resamples=0)
    assert not any("without score" in one for one in complete.assumptions)
