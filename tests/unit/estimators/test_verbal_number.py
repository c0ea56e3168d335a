"""Where a confidence is looked for; tests/golden says what a number is read as."""

import pytest

from turnsure.core.outcome import Failure
from turnsure.estimators.verbal_number import MAX_WORDS, read_confidence


@pytest.mark.parametrize(
    "text",
    [
        r"\boxed{85}",
        r"\boxed{85\%}",
        r"\boxed{85",
        r"$\boxed{\text{85}}$",
        r"\boxed{\frac{85}{100}}",
        r"\boxed{\boxed{85}}",
        "boxed{85}",
        "### Confidence: \\boxed{85}",
        "### Confidence:\n\\boxed{85}",
        "### Confidence:\n\n85",
        "## Confidence\n85",
        "**Confidence: 85**",
        "Confidence = 85",
        "Confidence (0-100): 85",
        "Confidence [0-100]: 85",
        "Confidence score: 85/100",
        "My confidence in this answer is 85",
        "Confidence that it is France: 85",
        "I have 85% confidence.",
        # the announced box wins over the others, the last one over earlier ones
        "Answer: \\boxed{42}\nConfidence: \\boxed{85}",
        "Confidence: \\boxed{85}\nAnswer: \\boxed{42}",
        "Confidence: \\boxed{60} … Confidence: \\boxed{85}",
        "Confidence: \\boxed{85} … Confidence: \\boxed{a number from 0 to 100}",
        "Confidence: \\boxed{85}. My confidence rests on 3 clues.",
        "### Analysis: \\boxed{It gives me confidence: 3 of 4 fit}\n### Confidence: \\boxed{85}",
        "### Analysis: \\boxed{3 of 4 fit, so\n### Confidence: \\boxed{85}",
        # a label wins over a box that nothing announces
        "\\boxed{42}\nConfidence: 85",
        "Answer: \\boxed{42}\nConfidence: 85",
        "Confidence: 85, Answer: \\boxed{42}",
        "Confidence: 60\n\nFinal confidence: 85",
        "Confidence: 85. The capital is one of 3.",
        "Confidence: 85, since it is not Spain",
        "Confidence: 85 because the clues fit",
        # a label without a number leaves the box that nothing announces
        "\\boxed{85}\nThis confidence is based on 3 clues.",
    ],
)
def test_found(text):
    assert read_confidence(text).value == 0.85


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # a number announced as the answer is no confidence
        (r"Answer: \boxed{42}", "unparsable"),
        ("Answer: 42", "unparsable"),
        ("The answer is 42.", "unparsable"),
        ("42 is the answer.", "unparsable"),
        ("Answer: 42. Confidence: sure", "unparsable"),
        ("Answer: \\boxed{42}\nConfidence: high", "unparsable"),
        # nor is one that counts something
        ("Confidence: 3 clues fit", "unparsable"),
        (r"\boxed{Paris}", "unparsable"),
        (r"\boxed{Paris, 85}", "unparsable"),
        # the announced place decides
        ("Confidence: \\boxed{>95}\n85", "bound"),
        ("Confidence: \\boxed{0-100}\n85", "placeholder"),
        ("Confidence: 85, or 60", "ambiguous"),
        (r"Confidence: \boxed{}", "placeholder"),
        (r"\boxed{}", "placeholder"),
    ],
)
def test_not_found(text, kind):
    failure = read_confidence(text)
    assert isinstance(failure, Failure)
    assert (failure.stage, failure.kind, failure.raw) == ("confidence", kind, text)
    assert failure.message


def test_only_a_short_reply_is_read_without_box_or_label():
    short = "I think " * ((MAX_WORDS - 1) // 2) + "85"
    assert read_confidence(short).value == 0.85
    assert read_confidence("I think " * MAX_WORDS + "85").kind == "unparsable"


# Replies of a small model to "How confident are you, on a scale of 0 to 100, …", as they came.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This is 99.9% confident.", 0.999),
        ("1. Clue: It is in Europe.\n2. Step: It is in Europe.\n3. Confidence: 2.", 0.02),
        ("15", 0.15),
        ("011 units.", "unparsable"),
        ("Indonesia", "unparsable"),
        (
            "16.85%\n\nI'm 50% confident that this sentence is correct.\n\nIt's always in Europe."
            "\n\nThis sentence can be verified by a human expert, who is not needed for it.",
            "unparsable",
        ),
    ],
)
def test_replies_of_a_small_model(text, expected):
    result = read_confidence(text)
    assert (result.kind if isinstance(result, Failure) else result.value) == expected
