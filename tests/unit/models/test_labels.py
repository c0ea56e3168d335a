import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnsure.core.errors import MalformedResponse
from turnsure.models.labels import N_OUTSIDE, read_labels

AB = ("A", "B")


def listed(**shares: float) -> list[tuple[str, float]]:
    return [(token, math.log(share)) for token, share in shares.items()]


@pytest.mark.parametrize(
    "token",
    [
        "A", " A", "\nA", "\tA", "▁A", "ĠA", "**A**", "**A", "A**", "*A*", '"A"', "'A'", "“A”",
        "‘A’", "«A»", "`A`", "(A)", "[A]", "{A}", "<A>", "A.", "A)", "A:", "(A).", " **A**:",
        "▁(A", "A\".",
    ],
)  # fmt: skip
def test_variants_of_a_label(token: str) -> None:
    reading = read_labels(AB, [(token, math.log(0.5)), ("B", math.log(0.25))])
    assert reading.mass["A"] == pytest.approx(0.5)
    assert reading.outside == {}


@pytest.mark.parametrize(
    "token", ["a", "AB", "A B", "An", "A country", "AA", "А", "Answer", "-A", "1A", "A!", "**", ""]
)
def test_what_is_no_variant(token: str) -> None:
    reading = read_labels(AB, [(token, math.log(0.5)), ("A", math.log(0.25)), ("B", math.log(0.1))])
    assert reading.mass["A"] == pytest.approx(0.25)
    assert reading.outside == {token: pytest.approx(0.5)}


def test_variants_are_summed_and_not_renormalised() -> None:
    # By hand: A = 0.4 + 0.1 + 0.02, B = 0.2; the whole is 0.72.
    reading = read_labels(AB, listed(**{"A": 0.4, "B": 0.2, " A": 0.1, "**A**": 0.02}))
    assert reading.mass == {"A": pytest.approx(0.52), "B": pytest.approx(0.2)}
    assert reading.total == pytest.approx(0.72)
    assert reading.probability("A") == pytest.approx(0.52 / 0.72)
    assert (reading.truncated, reading.n_top) == ((), 4)


def test_a_missing_label_is_bounded_by_the_smallest_listed_and_named() -> None:
    reading = read_labels(AB, listed(A=0.7, The=0.2, I=0.01))
    assert reading.mass["B"] == pytest.approx(0.01)
    assert reading.truncated == ("B",)


def test_no_label_at_all_is_still_a_reading() -> None:
    reading = read_labels(AB, listed(The=0.7, I=0.1))
    assert reading.mass == {"A": pytest.approx(0.1), "B": pytest.approx(0.1)}
    assert reading.truncated == AB


def test_the_order_of_the_list_does_not_matter() -> None:
    top = listed(A=0.5, The=0.3, B=0.1, I=0.05)
    assert read_labels(AB, top) == read_labels(AB, top[::-1])


def test_outside_keeps_the_most_probable_and_adds_up_equal_texts() -> None:
    others = [(f"t{k}", math.log(0.01 * (k + 1))) for k in range(8)]
    halves = [("�", math.log(0.2)), ("�", math.log(0.1))]  # two halves of characters
    reading = read_labels(AB, [("A", math.log(0.3)), *others, *halves])
    assert list(reading.outside) == ["�", "t7", "t6", "t5", "t4"]
    assert len(reading.outside) == N_OUTSIDE
    assert reading.outside["�"] == pytest.approx(0.3)


def test_a_token_that_fits_two_labels_belongs_to_the_longer() -> None:
    reading = read_labels(("A", "(A)"), listed(**{"(A)": 0.5, "A": 0.25}))
    assert reading.mass == {"A": pytest.approx(0.25), "(A)": pytest.approx(0.5)}


def test_labels_may_hold_what_means_something_in_a_pattern() -> None:
    reading = read_labels(("A+", "A."), listed(**{" A+": 0.5, "A.": 0.25, "AA": 0.1}))
    assert reading.mass == {"A+": pytest.approx(0.5), "A.": pytest.approx(0.25)}


def test_a_probability_of_nothing_counts_as_listed() -> None:
    # vLLM fills its lists with -9999, others with minus infinity.
    reading = read_labels(AB, [("A", 0.0), ("B", -9999.0), ("C", -math.inf)])
    assert reading.mass == {"A": 1.0, "B": 0.0}
    assert reading.truncated == ()


def test_rounding_above_zero_is_tolerated() -> None:
    assert read_labels(AB, [("A", 1e-6), ("B", -20.0)]).mass["A"] == 1.0


@pytest.mark.parametrize("logprob", [math.nan, math.inf, 0.1, 2e-6])
def test_impossible_logprobs_are_malformed(logprob: float) -> None:
    with pytest.raises(MalformedResponse, match="'B' has the log-probability"):
        read_labels(AB, [("A", -0.1), ("B", logprob)])


def test_an_empty_list_is_malformed() -> None:
    with pytest.raises(MalformedResponse, match="empty"):
        read_labels(AB, [])


@given(
    st.lists(
        st.tuples(st.sampled_from(["A", " A", "B", "**B**", "The", "a"]), st.floats(-30, 0)),
        min_size=1,
        max_size=20,
    )
)
def test_masses_lie_in_range_and_absent_labels_are_bounded(top: list[tuple[str, float]]) -> None:
    reading = read_labels(AB, top)
    smallest = min(math.exp(logprob) for _, logprob in top)
    assert set(reading.mass) == set(AB)
    assert all(mass >= smallest - 1e-12 for mass in reading.mass.values())
    for label in reading.truncated:
        assert not any(label in token for token, _ in top)
        assert reading.mass[label] == pytest.approx(smallest)
    read = sum(mass for label, mass in reading.mass.items() if label not in reading.truncated)
    whole = sum(math.exp(logprob) for _, logprob in top)
    assert read + sum(reading.outside.values()) == pytest.approx(whole)
