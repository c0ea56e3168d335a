import pytest

from turnsure.core.boxed import find_boxes, innermost, unwrap


@pytest.mark.parametrize(
    ("text", "contents"),
    [
        ("no box at all", []),
        (r"use \boxed or boxed text", []),
        (r"\boxed Paris", []),
        (r"\boxed{Paris}", ["Paris"]),
        (r"\boxed {Paris}", ["Paris"]),
        (r"$\boxed{Paris}$", ["Paris"]),
        (r"\fbox{Paris}", ["Paris"]),
        (r"\framebox{Paris}", ["Paris"]),
        ("boxed{Paris}", ["Paris"]),
        (r"\\boxed{Paris}", ["Paris"]),
        ("\boxed{Paris}", ["Paris"]),  # a backspace: "\b" read as an escape
        (r"unboxed{Paris}", []),
        (r"\boxed{\text{Paris}}", [r"\text{Paris}"]),
        (r"\boxed{{Paris}}", ["{Paris}"]),
        (r"\boxed{\{1, 2\}}", [r"\{1, 2\}"]),
        (r"\boxed{}", [""]),
        (r"\boxed{Rome} and \boxed{Paris}", ["Rome", "Paris"]),
        (r"\boxed{a \boxed{b} c}", [r"a \boxed{b} c", "b"]),
        ("\\boxed{Paris\nmore", ["Paris"]),
        ("\\boxed{\\text{Paris}\nmore", [r"\text{Paris}"]),
        ("\\boxed{Rome\n\\boxed{Paris}", ["Rome", "Paris"]),
        ("} \\boxed{Paris}", ["Paris"]),
    ],
)
def test_contents(text, contents):
    assert [box.content for box in find_boxes(text)] == contents


def test_positions_cover_command_and_braces():
    text = r"so \boxed{Paris}."
    [box] = find_boxes(text)
    assert text[box.start : box.end] == r"\boxed{Paris}"
    assert box.closed
    assert box.depth == 0


def test_an_unclosed_box_ends_with_its_line():
    text = "\\boxed{Paris\nRome"
    [box] = find_boxes(text)
    assert not box.closed
    assert text[box.start : box.end] == r"\boxed{Paris"


def test_nested_boxes_know_their_depth_and_the_innermost_hold_no_other():
    boxes = find_boxes(r"\boxed{a \boxed{b} \boxed{c}} \boxed{d}")
    assert [box.depth for box in boxes] == [0, 1, 1, 0]
    assert [box.content for box in innermost(boxes)] == ["b", "c", "d"]


def test_a_box_on_the_line_after_an_unclosed_one_is_not_inside_it():
    boxes = find_boxes("\\boxed{Rome\n\\boxed{Paris}")
    assert [box.depth for box in boxes] == [0, 0]
    assert [box.closed for box in boxes] == [False, True]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Paris", "Paris"),
        (r"\text{Paris}", "Paris"),
        (r"\textbf{\mathrm{Paris}}", "Paris"),
        (r"$\text{Paris}$", "Paris"),
        (r"\(Paris\)", "Paris"),
        ("**Paris**", "Paris"),
        ("***Paris***", "Paris"),
        ("`Paris`", "Paris"),
        ("_Paris_", "Paris"),
        ("“Paris”", "Paris"),
        ("„Paris“", "Paris"),
        ("«Paris»", "Paris"),
        ("{{Paris}}", "Paris"),
        ("{a} and {b}", "{a} and {b}"),
        ("{a{b}", "{a{b}"),
        ('"a" and "b"', '"a" and "b"'),
        ("*a* and *b*", "*a* and *b*"),
        ("A*", "A*"),
        ("$5", "$5"),
        ("O'Keeffe", "O'Keeffe"),
        (r"85\%", "85%"),
        (r"\frac{1}{2}", "1/2"),
        (r"\dfrac{85}{100}", "85/100"),
        ("1{,}000", "1,000"),
        (r"16\ \text{km}", "16 km"),
        ("{}", ""),
        ("", ""),
    ],
)
def test_unwrap(text, inside):
    assert unwrap(text) == inside
