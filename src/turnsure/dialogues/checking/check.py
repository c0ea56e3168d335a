"""All checks together: from dialogues to what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.answers import find_bad_answers
from turnsure.dialogues.checking.candidates import find_candidate_faults
from turnsure.dialogues.checking.characters import find_odd_characters
from turnsure.dialogues.checking.duplicates import find_duplicates
from turnsure.dialogues.checking.finding import Check, Finding, Rules
from turnsure.dialogues.checking.naming import find_naming
from turnsure.dialogues.checking.reading import CheckedFile
from turnsure.dialogues.checking.repeats import find_empty_hints, find_repeats
from turnsure.dialogues.checking.shape import find_odd_lengths

CHECKS: tuple[Check, ...] = (
    find_naming,
    find_repeats,
    find_empty_hints,
    find_bad_answers,
    find_candidate_faults,
    find_odd_lengths,
    find_odd_characters,
)
"""Every check that looks at one dialogue."""

_USUAL = Rules()


def check_dialogue(dialogue: Dialogue, rules: Rules = _USUAL) -> tuple[Finding, ...]:
    """Give what is wrong with one dialogue, by turn; findings about no turn come first."""
    found = [finding for check in CHECKS for finding in check(dialogue, rules)]
    return tuple(sorted(found, key=lambda finding: finding.turn or 0))


def check_files(files: Sequence[CheckedFile], rules: Rules = _USUAL) -> tuple[Finding, ...]:
    """Give what is wrong with the dialogues of some files, and with the files together.

    Returns
    -------
    tuple of Finding
        By file in the order given, then by line; each has its place.
    """
    found = [finding for file in files for finding in file.findings]
    found += [
        replace(finding, place=placed.place)
        for file in files
        for placed in file.dialogues
        for finding in check_dialogue(placed.dialogue, rules)
    ]
    found += find_duplicates([file.dialogues for file in files], rules)
    order = {file.name: n for n, file in enumerate(files)}

    def position(finding: Finding) -> tuple[int, int]:
        return (-1, 0) if (place := finding.place) is None else (order[place.file], place.line)

    return tuple(sorted(found, key=position))
