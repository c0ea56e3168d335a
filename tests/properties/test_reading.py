"""Reading answers and confidences: laws that hold for any text."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from turnsure.core.boxed import find_boxes, innermost, unwrap
from turnsure.core.outcome import Failure
from turnsure.estimators.verbal_number import read_confidence
from turnsure.grading.extract import Extracted, extract_answer
from turnsure.grading.match import MatchGrader
from turnsure.grading.normalise import normal

GRADER = MatchGrader()

ANY_TEXT = st.text(max_size=60)
PIECES = st.sampled_from(
    [
        *("\\boxed{", "boxed{", "}", "{", "\\}", "\\text{", "$", "**", "\n", " ", ".", ",", "-"),
        *("/", "%", "(", ")", "_", "'", '"', "answer", "Answer:", "the answer is", "Confidence"),
        *(":", "85", "0.85", "1.0", "0-100", "10", "1/2", "½", "٨", "eighty", "five", "one"),
        *("to", "between", "and", "out of", "at least", "~", ">", "France", "Paris, France"),
        *(
            "or",
            "not",
            "the",
            "USA",
            "É",
            "ß",
            "İ",
            "ı",
            "東",
            "\ud800",
            "\x00",
            "\u0301",
            "\u200b",
        ),
    ]
)
HARD_TEXT = st.one_of(ANY_TEXT, st.lists(PIECES, max_size=14).map("".join))
NAMES = st.text(alphabet=st.sampled_from("abcdeéöñABCDEÉÖÑßıİжЖ東1290 -.,'&()/%_"), max_size=20)


@given(HARD_TEXT)
def test_boxes_lie_within_the_text_in_order(text):
    boxes = find_boxes(text)
    assert [box.start for box in boxes] == sorted({box.start for box in boxes})
    for box in boxes:
        assert 0 <= box.start < box.end <= len(text)
        assert box.content in text[box.start : box.end]
    assert bool(innermost(boxes)) == bool(boxes)


@given(HARD_TEXT)
def test_unwrapping_twice_changes_no_more_than_once_for_plain_texts(text):
    assume(not set(text) & set("\\{}"))
    assert unwrap(unwrap(text)) == unwrap(text)


@given(HARD_TEXT)
def test_an_answer_is_never_blank_and_a_failure_keeps_the_text(text):
    result = extract_answer(text)
    if isinstance(result, Extracted):
        assert result.answer == result.answer.strip() != ""
    else:
        assert (result.stage, result.raw) == ("answer", text)


@given(st.text(alphabet="abcdefghij ", min_size=1, max_size=30))
def test_a_boxed_name_is_read_as_it_is(name):
    assume(name.strip())
    assert extract_answer(rf"So: \boxed{{{name}}}").answer == " ".join(name.split())


@given(HARD_TEXT)
def test_every_text_is_its_own_right_answer(text):
    assume(text.strip())
    assert GRADER.grade(text, [text]).correct


@given(HARD_TEXT, HARD_TEXT)
def test_sameness_is_symmetric_and_reflexive(left, right):
    assert GRADER.same(left, right) == GRADER.same(right, left)
    assert GRADER.same(left, left)


@given(HARD_TEXT, HARD_TEXT)
def test_what_is_graded_wrong_gives_a_rule_for_it(answer, accepted):
    assume(accepted.strip())
    outcome = GRADER.grade(answer, [accepted])
    assert (
        outcome.correct == (outcome.matched is not None) == (outcome.rule not in RULES_OF_REFUSAL)
    )


RULES_OF_REFUSAL = {"none", "several"}


@given(NAMES)
def test_case_and_white_space_do_not_matter(name):
    assume(normal(name))
    for other in (name.upper(), name.lower(), f"  {name}\t", name.replace(" ", "  ")):
        assert GRADER.grade(other, [name]).correct


@given(HARD_TEXT)
def test_the_normal_form_is_trimmed_and_in_small_letters(text):
    form = normal(text)
    assert form == " ".join(form.split())
    assert form == form.casefold()


@given(st.integers(-(10**9), 10**9))
def test_separators_do_not_change_a_number(number):
    for written in (f"{number:,}", f"{number}.0", f"{number:,}.00", f"${number}", f"{number} cats"):
        assert GRADER.grade(written, [str(number)]).correct


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_different_numbers_never_match(left, right):
    assume(left != right)
    assert not GRADER.same(f"{left:,}", str(right))
    assert not GRADER.same(f"{left}.5", str(right))


@given(HARD_TEXT)
def test_a_confidence_is_between_0_and_1_or_a_failure(text):
    result = read_confidence(text)
    if isinstance(result, Failure):
        assert (result.stage, result.raw) == ("confidence", text)
    else:
        assert 0.0 <= result.value <= 1.0
        assert any(letter.isdigit() or letter.isalpha() for letter in text)


@pytest.mark.parametrize("k", range(101))
def test_whole_percentages_agree_in_every_spelling(k):
    expected = float(Fraction(k, 100))
    for text in (f"{k}", f"{k}%", f"{k} percent", f"{k}/100", f"\\boxed{{{k}}}", f"{k:.1f}%"):
        assert read_confidence(text).value == expected


@given(st.integers(0, 100), st.integers(0, 100))
def test_two_different_numbers_are_never_reduced_to_one(left, right):
    assume(left != right)
    assert isinstance(read_confidence(f"{left} or {right}"), Failure)


@given(st.integers(2, 99), st.integers(2, 99))
def test_a_range_is_read_as_its_midpoint(left, right):
    low, high = sorted((left, right))
    assert read_confidence(f"{low}-{high}%").value == float(Fraction(low + high, 200))
