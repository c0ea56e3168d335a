import pytest

from turnsure.core.outcome import Failure
from turnsure.grading.extract import (
    MAX_STATEMENT_WORDS,
    MAX_WORDS,
    PLACEHOLDERS,
    Extracted,
    extract_answer,
)


def read(text, **options):
    result = extract_answer(text, **options)
    if isinstance(result, Failure):
        assert result.stage == "answer"
        assert result.raw == text
        assert result.message
        return result.kind
    return (result.answer, result.rule)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\boxed{Paris}", ("Paris", "boxed")),
        (r"So it is $\boxed{\text{Paris}}$.", ("Paris", "boxed")),
        (r"$$\boxed{\textbf{Paris}.}$$", ("Paris", "boxed")),
        (r"\boxed{**Paris**}", ("Paris", "boxed")),
        (r'\boxed{"Paris."}', ("Paris", "boxed")),
        (r"\boxed{{Paris}}", ("Paris", "boxed")),
        ("\\boxed{\n  New\n  York\n}", ("New York", "boxed")),
        (r"\boxed{Washington D.C.}", ("Washington D.C.", "boxed")),
        (r"\boxed{Martin Luther King Jr.}", ("Martin Luther King Jr.", "boxed")),
        (r"\boxed{85\%}", ("85%", "boxed")),
        (r"\boxed{1{,}000}", ("1,000", "boxed")),
        (r"\boxed{🐬}", ("🐬", "boxed")),
        (r"答えは\boxed{東京}。", ("東京", "boxed")),
        (r"\boxed{The answer is France.}", ("France", "boxed")),
        (r"\boxed{France} … so \boxed{france}", ("france", "boxed")),
        (r"\boxed{France}, no: \boxed{Spain}", ("Spain", "boxed_last")),
        (r"\boxed{Answer: \boxed{Paris}}", ("Paris", "boxed_nested")),
        (r"\boxed{\boxed{Paris}}", ("Paris", "boxed_nested")),
        ("It is \\boxed{Paris\nsince …", ("Paris", "boxed_unclosed")),
        (r"It is $\boxed{Paris$", ("Paris", "boxed_unclosed")),
        (r"\boxed{Rome} or rather \boxed{Paris", ("Paris", "boxed_unclosed")),
        (r"\boxed{France or Spain}", ("France or Spain", "boxed")),
    ],
)
def test_boxes(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize("text", ["", "   ", "\n\t\n"])
def test_an_empty_reply(text):
    assert read(text) == "empty"


@pytest.mark.parametrize("echo", [*PLACEHOLDERS, "Your Answer", "[your answer]", "<answer>"])
def test_an_echoed_instruction_is_no_answer(echo):
    assert read(rf"\boxed{{{echo}}}") == "placeholder"


@pytest.mark.parametrize("blank", ["", " ", "...", "…", "___", "-"])
def test_a_blank_box_is_no_answer(blank):
    assert read(rf"\boxed{{{blank}}}") == "placeholder"


def test_a_real_answer_beside_an_echo_counts():
    assert read(r"\boxed{your answer}: \boxed{France}") == ("France", "boxed")
    assert read(r"\boxed{France} as in \boxed{your answer}") == ("France", "boxed")


def test_the_caller_names_further_echoes():
    assert read(r"\boxed{the country}") == ("the country", "boxed")
    assert read(r"\boxed{The Country.}", placeholders=["the country"]) == "placeholder"
    assert read("Answer: the country", placeholders=["the country"]) == "placeholder"


@pytest.mark.parametrize(
    "text",
    [
        "Answer: \\boxed{France}\nConfidence: \\boxed{85}",
        "### Answer: \\boxed{France}\n### Confidence:\n\\boxed{85}",
        "\\boxed{France}, confidence score (0-100): \\boxed{85}",
        "Confidence: \\boxed{85}\nAnswer: \\boxed{France}",
    ],
)
def test_a_box_with_a_confidence_holds_no_answer(text):
    assert read(text) == ("France", "boxed")


def test_a_reply_that_only_states_a_confidence_has_no_answer():
    assert read(r"Confidence: \boxed{85}") == "no_answer"
    assert read("### Confidence:\n\\boxed{85}") == "no_answer"


def test_the_word_confidence_in_prose_does_not_hide_the_answer():
    assert read(r"I say with confidence that it is \boxed{Paris}") == ("Paris", "boxed")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("France", "France"),
        ("France.", "France"),
        ("**France**", "France"),
        ('"Argentina"', "Argentina"),
        ("1. France", "France"),
        ("- France", "France"),
        ("Moby-Dick - a novel", "Moby-Dick - a novel"),
        ("France (confidence: 85)", "France"),
        ("The correct answer is France.", "France"),
        ("Answer: **France**", "France"),
        ("**Answer:** France", "France"),
        ("**Answer: France**", "France"),
        ("It is France", "France"),
        ("The answer is: [France](https://example.org/fr)", "France"),
        ("It's France.", "France"),
        ("I think it is France.", "France"),
        ("My guess is: France", "France"),
        ("My best guess would be France.", "France"),
        ("The country is France.", "France"),
        ("France is the answer.", "France"),
        ("1. The answer is:  3", "3"),
        ("The answer is:\n\n**France**\n\nIts capital is Paris.", "France"),
        ("## Final Answer\nFrance", "France"),
        ("First Spain came up. The answer is Spain. No: the answer is France.", "France"),
        ("The answer is France, because its capital is Paris.", "France"),
        ("The answer is France, which has Paris as its capital.", "France"),
        ("The answer is St. Lucia. It is an island.", "St. Lucia"),
        ("The answer is J. K. Rowling.", "J. K. Rowling"),
        ("Answer: Washington D.C.", "Washington D.C."),
        ("Answer: France, Confidence: 85", "France"),
        ("France\nConfidence: 85%", "France"),
        ("The answer is France or Spain.", "France or Spain"),
        (r"\boxed Paris", "Paris"),
        ("Life Is Beautiful", "Life Is Beautiful"),
        ("The Confidence Game", "The Confidence Game"),
        ("The answer is For Whom the Bell Tolls.", "For Whom the Bell Tolls"),
        ("The King and I", "The King and I"),
        ("A*", "A*"),
        ("東京。", "東京"),
        ("Yes", "Yes"),
        ("16 seashells", "16 seashells"),
    ],
)
def test_safe_replies_without_a_box(text, answer):
    assert extract_answer(text) == Extracted(answer=answer, rule="unboxed")


@pytest.mark.parametrize(
    "text",
    [
        "I don't know.",
        "I'm not sure.",
        r"\boxed{I don't know}",
        "Is it France?",
        "France\nSpain",
        "First, look at the clues.\n\nThere are many in Western Europe.",
        " ".join(["word"] * (MAX_STATEMENT_WORDS + 1)),
    ],
)
def test_what_would_have_to_be_guessed_is_no_answer(text):
    assert read(text) == "no_answer"


@pytest.mark.parametrize(
    "text",
    [
        "The answer is not France.",
        "Not France.",
        "The answer isn't France.",
        "The answer is France. On reflection, the answer is not France.",
        "The answer is correct.",
        "France or Spain",
        "It is in Europe.",
        "Spain is a european country.",
        "Sure, I can help with that.",
        "France. Its capital is Paris.",
        "The answer is Europe, but it's not alone.",
        "This puzzle asks for a country. Many clues point to Western Europe.",
        " ".join(["word"] * (MAX_WORDS + 1)),
        "The answer is " + " ".join(["word"] * (MAX_WORDS + 1)),
    ],
)
def test_a_line_that_states_something_is_taken_as_a_whole(text):
    assert read(text) == (text.rstrip("."), "statement")


def test_the_longest_unboxed_answer():
    longest = " ".join(["word"] * MAX_WORDS)
    assert read(longest) == (longest, "unboxed")


# Replies of a small model to "Which country is it? …", as they came.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The answer is: Europe", ("Europe", "unboxed")),
        ("Spain.", ("Spain", "unboxed")),
        (
            "Czech. There is a person from the Czech Republic who speaks French. "
            "That person speaks French.",
            (
                "Czech. There is a person from the Czech Republic who speaks French. "
                "That person speaks French",
                "statement",
            ),
        ),
        (
            "To solve this puzzle, we need to break it down step by step. First, we need to find "
            'the answer to the question "Which country is it?" by using the given clues.\n\n'
            "The answer is Paris.\n\nSo, the answer is Paris.",
            ("Paris", "unboxed"),
        ),
        (
            "This is a classic example of a puzzle that requires a bit of creative thinking. "
            "The answer is indeed Europe, but it's not the only possible answer. The puzzle "
            "requires a bit of lateral thinking to find the correct answer.\n\nSo it goes.",
            "no_answer",
        ),
    ],
)
def test_replies_of_a_small_model(text, expected):
    assert read(text) == expected


@pytest.mark.parametrize("text", ["{" * 15_000 + "}" * 15_000, "\\boxed{" * 200_000, "x" * 10**6])
def test_a_reply_without_measure_is_not_read(text):
    failure = extract_answer(text)
    assert isinstance(failure, Failure)
    assert failure.kind == "too_long"
    assert failure.raw is not None
    assert len(failure.raw) < len(text)
