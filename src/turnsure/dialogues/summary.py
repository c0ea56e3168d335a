"""Single-turn summaries: the hints of a prefix told at once, in one plain clue.

Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 5.4; the wording of
the request is this project's own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from turnsure.core.boxed import unwrap
from turnsure.core.dialogue import Hint, Prefix
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure

SUMMARY_TEMPLATE = """\
The notes below were gathered about a single unknown subject.

{hints}

Rewrite them as plain running text of one or two sentences, without questions and answers. Every \
fact in the notes must still be there, including what the subject is not, and every name and \
number as it stands. Add no fact of your own, and do not say or guess what the subject is.

Reply with the text alone."""
"""The summariser's prompt; ``{hints}`` takes the hints, one a line."""

_SLOT = "{hints}"
_ENDED = re.compile(r"[.!?…。！？](?:[\"'”’»)\]]*)$")
_DANGLING = re.compile(r"[\s,;:]+$")
_FENCE = re.compile(r"^\s*(?:```|~~~)[\w-]*\s*$", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*•]|#{1,6})\s+", re.MULTILINE)
_OPENER = r"(?:(?:sure(?:\ thing)?|certainly|of\ course|okay|ok)\s*[,.!:]\s+)"
_SUMMARY = (
    r"(?:summar(?:y|ies)|text|sentences?|statements?|version|rewrit(?:e|ing|ten)|paragraph|notes)"
)
_LEAD_IN = re.compile(
    rf"""
    \s*(?:{_OPENER}
      |(?:\#{{1,6}}\s*)?[*_]{{0,2}}(?:\w+\ )?summary(?:\ of\ [^.:\n"]{{1,40}})?[*_]{{0,2}}
       \s*[:\n][*_]{{0,2}}
      |(?:here|this|below|the\ following)(?:['’]s|\ is|\ are)\ [^.:\n"]{{0,60}}\b{_SUMMARY}\b
       [^.:\n"]{{0,60}}:
    )\s*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What a model puts before the text: "Sure!", "Summary:", "Here is the text:"."""


def statement_of(hint: Hint) -> str:
    """One hint as it reads in a paragraph.

    A clue stands as it is, with a full stop when it has no closing mark; a pair becomes
    "Question? Answer.", which loses nothing and cannot go wrong as a change of grammar could.
    """
    if hint.question is None:
        return _ended(hint.answer, ".")
    return f"{_ended(hint.question, '?')} {_ended(hint.answer, '.')}"


def joined_statements(hints: Sequence[Hint]) -> str:
    """Make a summary without a model: all hints as they stand, in one paragraph.

    Raises
    ------
    InputError
        There are no hints.
    """
    _refuse_none(hints)
    return " ".join(statement_of(hint) for hint in hints)


def summary_prefix(prefix: Prefix, summary: str) -> Prefix:
    """The prefix with the summary, a plain clue, in place of its hints.

    Task, closing and turn stay: ``turn`` says how many hints the summary stands for.

    Raises
    ------
    InputError
        The summary is blank.
    """
    return replace(prefix, hints=(Hint(answer=summary),))


def summary_request_text(hints: Sequence[Hint], template: str = SUMMARY_TEMPLATE) -> str:
    """Word the request for a summary.

    The task is not in it: a summariser that does not know what is asked is less tempted to answer.

    Raises
    ------
    InputError
        There are no hints, or the template has no ``{hints}``.
    """
    _refuse_none(hints)
    if _SLOT not in template:
        raise InputError(f"the text has no {_SLOT}", field="template", expected=_SLOT)
    return template.replace(_SLOT, "\n".join(f"- {statement_of(hint)}" for hint in hints))


def read_summary(text: str) -> str | Failure:
    """Find the summary in a model's reply: without fences, lead-ins, list marks and quotes.

    Returns
    -------
    str or Failure
        One paragraph; the failure is of kind ``"empty"``.
    """
    read, before = text, None
    while read != before:
        before = read
        read = _FENCE.sub("", read).strip()
        lead_in = _LEAD_IN.match(read)
        read = unwrap(read[lead_in.end() :] if lead_in else read)
    paragraph = " ".join(_ITEM.sub("", read).split())
    if not any(letter.isalnum() for letter in paragraph):
        return Failure(
            stage="control", kind="empty", message="the reply holds no summary", raw=text
        )
    return paragraph


def _refuse_none(hints: Sequence[Hint]) -> None:
    if not hints:
        raise InputError("there is nothing to summarise", field="hints", expected="one or more")


def _ended(text: str, mark: str) -> str:
    """``text`` on one line with a closing mark."""
    line = " ".join(text.split())
    return line if _ENDED.search(line) else f"{_DANGLING.sub('', line)}{mark}"
