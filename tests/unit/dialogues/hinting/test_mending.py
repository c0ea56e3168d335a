"""Questions that call the secret by its name."""

from __future__ import annotations

import pytest

from turnsure.core.dialogue import Hint
from turnsure.dialogues.hinting.mending import say_it


@pytest.mark.parametrize(
    ("names", "question", "mended"),
    [
        (["Peru"], "What continent is Peru on?", "What continent is it on?"),
        (["Peru"], "What is Peru's capital?", "What is its capital?"),
        (["Peru"], "What is PERU’s capital?", "What is its capital?"),
        (["Peru"], "Peru has which neighbours?", "It has which neighbours?"),
        (["lion"], "Does the lion roar?", "Does it roar?"),
        (["Republic of Peru", "Peru"], "Is the Republic of  Peru large?", "Is it large?"),
        (["Peru", "Republic of Peru"], "Is the Republic of Peru large?", "Is it large?"),
        (["C++ (language)"], "Is C++ (language) old?", "Is it old?"),
    ],
)
def test_the_name_becomes_it(names, question, mended):
    assert say_it(Hint(question=question, answer="x"), names) == Hint(question=mended, answer="x")


@pytest.mark.parametrize(
    "hint",
    [
        Hint(question="Is the Peruvian flag red?", answer="Yes"),
        Hint(question="What is it?", answer="Peru"),
        Hint(question="Do Perus exist?", answer="No"),
        Hint(answer="Peru is on the Pacific."),
    ],
)
def test_everything_else_is_left_to_the_guards(hint):
    assert say_it(hint, ["Peru"]) is hint
