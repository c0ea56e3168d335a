"""What a stated confidence is read as.

The values follow by hand from the scale that the model is given, 0 to 100: a number of percent is
divided by a hundred, a range gives its midpoint, and whatever has two readings has none.
"""

import pytest

from turnsure.core.outcome import Failure
from turnsure.estimators.verbal_number import read_confidence

READ = [
    # integers
    ("85", 0.85, "integer"),
    ("85.", 0.85, "integer"),
    ("+85", 0.85, "integer"),
    ("0", 0.0, "integer"),
    ("1", 0.01, "integer"),
    ("100", 1.0, "integer"),
    ("29", 0.29, "integer"),
    ("**85**", 0.85, "integer"),
    ("$85$", 0.85, "integer"),
    ("８５", 0.85, "integer"),
    ("٨٥", 0.85, "integer"),
    ("I would say 85", 0.85, "integer"),
    ("85 85%", 0.85, "integer"),
    ("on a scale of 0 to 100, my confidence is 85", 0.85, "integer"),
    ("Your confidence score from 0-100: 85", 0.85, "integer"),
    # decimals and fractions
    ("85.5", 0.855, "decimal"),
    ("85,5", 0.855, "decimal"),
    ("1.5", 0.015, "decimal"),
    ("0.0", 0.0, "decimal"),
    ("100.0", 1.0, "decimal"),
    ("0.8", 0.8, "fraction"),
    ("0.95", 0.95, "fraction"),
    (".85", 0.85, "fraction"),
    ("0,85", 0.85, "fraction"),
    ("0.5", 0.5, "fraction"),
    ("0.85 on a scale from 0 to 1", 0.85, "fraction"),
    # percent
    ("95%", 0.95, "percent"),
    ("85 %", 0.85, "percent"),
    ("85 percent", 0.85, "percent"),
    ("85 per cent", 0.85, "percent"),
    ("85％", 0.85, "percent"),
    ("٨٥٪", 0.85, "percent"),
    ("0.5%", 0.005, "percent"),
    ("1.0%", 0.01, "percent"),
    ("16.85%", 0.1685, "percent"),
    ("I'm 85% confident that the answer is France.", 0.85, "percent"),
    ("This is 99.9% confident.", 0.999, "percent"),
    ("High confidence (85%)", 0.85, "percent"),
    # ratios
    ("8/10", 0.8, "ratio"),
    ("8.5/10", 0.85, "ratio"),
    ("4/5", 0.8, "ratio"),
    ("85/100", 0.85, "ratio"),
    ("8 out of 10", 0.8, "ratio"),
    ("85 out of 100", 0.85, "ratio"),
    ("eight out of ten", 0.8, "ratio"),
    ("on a scale of 1 to 10, 8/10", 0.8, "ratio"),
    # ranges
    ("80-90", 0.85, "range"),
    ("80–90%", 0.85, "range"),
    ("80%-90%", 0.85, "range"),
    ("80~90", 0.85, "range"),
    ("80 to 90", 0.85, "range"),
    ("between 80 and 90", 0.85, "range"),
    ("between 0.8 and 0.9", 0.85, "range"),
    ("around 80-90", 0.85, "range"),
    ("I am 80–90% sure", 0.85, "range"),
    ("eighty to ninety", 0.85, "range"),
    ("fifty-fifty", 0.5, "range"),
    ("0-10%", 0.05, "range"),
    # words
    ("zero", 0.0, "words"),
    ("one", 0.01, "words"),
    ("ninety five", 0.95, "words"),
    ("eighty-five percent", 0.85, "words"),
    ("a hundred percent", 1.0, "words"),
    ("one hundred", 1.0, "words"),
    # approximations
    ("~90", 0.9, "approximate"),
    ("≈ 90%", 0.9, "approximate"),
    ("about 90", 0.9, "approximate"),
    ("approx. 85", 0.85, "approximate"),
    ("90 or so", 0.9, "approximate"),
]

FAILED = [
    ("", "empty"),
    (" \n", "empty"),
    # echoes of the instruction
    ("0-100", "placeholder"),
    ("[0-100]", "placeholder"),
    ("0–100%", "placeholder"),
    ("1-100", "placeholder"),
    ("0-10", "placeholder"),
    ("between 0 and 100", "placeholder"),
    ("zero to one hundred", "placeholder"),
    ("a number from 0 to 100", "placeholder"),
    ("Your confidence score from 0-100.", "placeholder"),
    ("a number between 0 (no idea at all) and 100 (no doubt at all)", "placeholder"),
    ("number", "placeholder"),
    ("...", "placeholder"),
    # bounds
    (">95", "bound"),
    ("≥ 95", "bound"),
    ("at least 90", "bound"),
    ("more than 90%", "bound"),
    ("no more than 90", "bound"),
    ("less than 10", "bound"),
    ("below 10", "bound"),
    ("up to 80", "bound"),
    ("90+", "bound"),
    ("90% or more", "bound"),
    # off the scale
    ("150", "out_of_range"),
    ("-5", "out_of_range"),
    ("−5", "out_of_range"),
    ("120%", "out_of_range"),
    ("80-120", "out_of_range"),
    ("1,000", "out_of_range"),
    ("11/10", "out_of_range"),
    ("two hundred", "out_of_range"),
    # more than one reading
    ("1.0", "ambiguous"),
    ("80 or 90", "ambiguous"),
    ("80, 90", "ambiguous"),
    ("90-80", "ambiguous"),
    ("0.8-90", "ambiguous"),
    ("1.0-2", "ambiguous"),
    ("0.9-1.0", "ambiguous"),
    ("50/50", "ambiguous"),
    ("3/4", "ambiguous"),
    ("8 on a scale of 10", "ambiguous"),
    ("1 on a scale from 0 to 1", "ambiguous"),
    ("100% sure it is wrong", "ambiguous"),
    ("I am not 85% sure", "ambiguous"),
    # nothing that is clearly a confidence
    ("high", "unparsable"),
    ("very confident", "unparsable"),
    ("N/A", "unparsable"),
    ("NaN", "unparsable"),
    ("inf", "unparsable"),
    ("1e2", "unparsable"),
    ("011", "unparsable"),
    ("08/10", "unparsable"),
    ("½", "unparsable"),
    ("85½", "unparsable"),
    ("8²", "unparsable"),
    ("85±5", "unparsable"),
    ("85€", "unparsable"),
    ("zero point eight", "unparsable"),
    ("this is the one", "unparsable"),
    ("I think there are 3 reasons", "unparsable"),
    ("1. Clue: It is in Europe.", "unparsable"),
    ("9" * 5000, "unparsable"),
    ("0." + "3" * 5000, "unparsable"),
]

FRAMES = [
    "{}",
    "\\boxed{{{}}}",
    "### Confidence: \\boxed{{{}}}",
    "Answer: \\boxed{{42}}\nConfidence: \\boxed{{{}}}",
    "The clues fit, 3 of 4.\n\n**Confidence:** {}",
]


@pytest.mark.parametrize(("text", "value", "rule"), READ)
def test_readings(text, value, rule):
    reading = read_confidence(text)
    assert (reading.value, reading.rule) == (value, rule)


@pytest.mark.parametrize(("text", "kind"), FAILED)
def test_failures(text, kind):
    failure = read_confidence(text)
    assert isinstance(failure, Failure)
    assert (failure.stage, failure.kind, failure.raw) == ("confidence", kind, text)


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("content", "value"),
    [("85", 0.85), ("0.85", 0.85), ("85%", 0.85), ("8/10", 0.8), ("80-90", 0.85), ("~90", 0.9)],
)
def test_the_same_wherever_it_stands(frame, content, value):
    assert read_confidence(frame.format(content)).value == value


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("content", "kind"),
    [("0-100", "placeholder"), (">95", "bound"), ("1.0", "ambiguous"), ("150", "out_of_range")],
)
def test_the_same_failure_wherever_it_stands(frame, content, kind):
    assert read_confidence(frame.format(content)).kind == kind


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("### Confidence: \\boxed{8} out of 10", 0.8),
        ("### Confidence: \\boxed{8}/10", 0.8),
        ("Confidence: \\boxed{0.8}%", 0.008),
        ("\\boxed{85} %", 0.85),
        ("\\boxed{85}\nout of 10 tries", 0.85),
    ],
)
def test_a_unit_behind_the_box_counts(text, value):
    reading = read_confidence(text)
    assert not isinstance(reading, Failure)
    assert reading.value == pytest.approx(value)
