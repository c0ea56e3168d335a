"""Placebo hints: turns that make a dialogue longer and tell nothing.

Confidence that rises after a placebo follows the length of the dialogue, not what is known.
Source: "Confidence Estimation for LLMs in Multi-turn Interactions", section 5.3 and appendix E;
the wording of the pools is this project's own.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import resources
from pathlib import Path

from turnsure.core.dialogue import Dialogue, Hint, Prefix
from turnsure.core.digest import digest, seed_from
from turnsure.core.errors import InputError
from turnsure.core.outcome import Failure
from turnsure.dialogues.english import accepted_names, names_any, plain
from turnsure.dialogues.placebo_files import read_pool, read_toml_pool

BUILT_IN = ("places", "things", "statements", "statements-things")
"""Names of the built-in pools; ``load_pool`` says what each fits."""

FIRST_TESTED = 2
"""Turn 1 has no state before it to compare with."""

_ASKED_PLACE = re.compile(
    r"""
    \b(?:name|guess|identify|find|determine|recogni[sz]e|tell|give|state|work\ out|which|what)\b
    (?:\s+(?:is|are|was|out|me|us|my|your|the|a|an|this|that|one|single|secret|hidden|correct|right
           |mystery|large|small|big|world|european|african|asian|american|unknown|described)\b){0,5}
    \s+(?:city|town|village|capital|country|nation|place)\b
    (?=\s*(?:$|[^\w\s'’])|\s+(?:or|and|that|which|where|whose|with|in|on|of|from|by|is|are|was
        |described|best|being|meant|this|these|the|it|they|i|you|for|fits?|matche?s|fitting)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceboPool:
    """Hints that tell nothing, to take placebos from.

    Attributes
    ----------
    name
        Of a built-in pool, or the name of the file.
    hints
        All question–answer pairs or all statements; no two read the same.
    """

    name: str
    hints: tuple[Hint, ...]

    def __post_init__(self) -> None:
        if not self.hints:
            raise InputError(
                "the pool holds no hint", field="hints", expected="one placebo hint or more"
            )
        place_of: dict[str, int] = {}
        for place, hint in enumerate(self.hints):
            if (hint.question is None) != (self.hints[0].question is None):
                raise InputError(
                    "pairs and statements stand in one pool",
                    field=f"hints[{place}]",
                    expected="all pairs, or all statements, as the first entry",
                )
            earlier = place_of.setdefault(_said(hint), place)
            if earlier != place:
                raise InputError(
                    f"this says the same as hints[{earlier}]",
                    field=f"hints[{place}]",
                    expected="each placebo once",
                )

    @property
    def definition(self) -> Mapping[str, str]:
        """The pool's part of a protocol."""
        texts = [[hint.question, hint.answer] for hint in self.hints]
        return {"name": self.name, "digest": digest(texts)}


def load_pool(name_or_path: str | Path) -> PlaceboPool:
    """Give a built-in pool, or read one from a file.

    ========================  ==================================================
    ``places``                pairs that hold of any city or country
    ``things``                yes–no pairs that hold of anything whatever
    ``statements``            clues that hold of any city or country
    ``statements-things``     clues that hold of anything whatever
    ========================  ==================================================

    Parameters
    ----------
    name_or_path
        A built-in name (as a text), or a ``.toml`` or ``.jsonl`` file.

    Raises
    ------
    InputError
        There is no such pool or file, or an entry of it is wrong.
    """
    if isinstance(name_or_path, str) and name_or_path in BUILT_IN:
        wording = resources.files("turnsure.dialogues").joinpath("placebo_wording")
        text = wording.joinpath(f"{name_or_path}.toml").read_text(encoding="utf-8")
        return PlaceboPool(name=name_or_path, hints=read_toml_pool(text))
    file = Path(name_or_path)
    if not file.suffix:
        near = difflib.get_close_matches(str(name_or_path), BUILT_IN, n=1)
        meant = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"there is no placebo pool {str(name_or_path)!r}{meant}",
            field="pool",
            expected=f"{', '.join(BUILT_IN)}, or a .toml or .jsonl file",
        )
    hints = read_pool(file)
    try:
        return PlaceboPool(name=file.name, hints=hints)
    except InputError as error:
        raise error.at(file=file) from None


def pool_for(dialogue: Dialogue) -> str:
    """Name the built-in pool that fits a dialogue.

    Statements when every hint is a plain clue, pairs as soon as one has a question.  The pool of
    places when the task asks for a city, town, village, capital, country, nation or place (the
    word follows "name", "which", "guess" and the like, and stands for itself: neither "country
    singer" nor "the animal of this country" counts); otherwise the pool that fits anything.
    """
    asks_for_place = _ASKED_PLACE.search(" ".join(dialogue.task.split())) is not None
    if all(hint.question is None for hint in dialogue.hints):
        return "statements" if asks_for_place else "statements-things"
    return "places" if asks_for_place else "things"


def placebo_hint(
    pool: PlaceboPool,
    dialogue: Dialogue,
    turn: int,
    *,
    seed: int,
    normalise: Callable[[str], str] = plain,
) -> Hint | Failure:
    """Draw the placebo of one turn: the same for the same seed, dialogue and turn.

    Left out are placebos that the dialogue itself says at any turn, and those that hold an
    accepted answer.  No two turns of a dialogue get the same one, so a pool must hold at least
    ``n_turns - 1`` of the others; the later turns of a longer dialogue have none.

    Parameters
    ----------
    pool
        Where it is taken from.
    dialogue
        Its id, hints and accepted answers decide.
    turn
        2..n_turns.
    seed
        Decides the order in which the pool is used.
    normalise
        The normal form in which placebo and accepted answer are compared.

    Returns
    -------
    Hint or Failure
        The failure is of kind ``"pool_exhausted"``.

    Raises
    ------
    InputError
        The dialogue has no such turn, or it is the first.
    """
    _check_turn(dialogue, turn)
    said = {_said(hint) for hint in dialogue.hints}
    names = accepted_names(dialogue.gold, normalise)
    usable = [
        hint
        for hint in pool.hints
        if _said(hint) not in said
        and not any(
            names_any(text, names, normalise) for text in (hint.question or "", hint.answer)
        )
    ]
    place = turn - FIRST_TESTED
    if place >= len(usable):
        return Failure(
            stage="control",
            kind="pool_exhausted",
            message=(
                f"{len(usable)} of the {len(pool.hints)} placebos in {pool.name!r} can be used in "
                f"this dialogue, which needs {dialogue.n_turns - 1}"
            ),
            dialogue=dialogue.id,
            turn=turn,
        )
    usable.sort(key=lambda hint: seed_from(seed, dialogue.id, hint.question or "", hint.answer))
    return usable[place]


def choose_turns(dialogue: Dialogue, *, which: str | float, seed: int) -> tuple[int, ...]:
    """Decide which turns are tested, by the seed and the dialogue's id alone.

    Turn 1 never is, since no state comes before it; a caller that reports counts says so.  The
    turns of a smaller fraction are among those of a larger one.

    Parameters
    ----------
    dialogue
        A dialogue of one hint has nothing to test.
    which
        ``"all"`` turns from the second on, ``"one"`` of them, or a fraction in (0, 1] of them,
        rounded up.
    seed
        Decides the order in which turns are taken.

    Returns
    -------
    tuple of int
        Turns 2..n_turns, rising.

    Raises
    ------
    InputError
        ``which`` is none of these.
    """
    turns = range(FIRST_TESTED, dialogue.n_turns + 1)
    n_chosen = min(_n_chosen(which, len(turns)), len(turns))
    drawn = sorted(turns, key=lambda turn: seed_from(seed, "turns", dialogue.id, turn))
    return tuple(sorted(drawn[:n_chosen]))


def _n_chosen(which: str | float, n_turns: int) -> int:
    if isinstance(which, str):
        if which in ("all", "one"):
            return n_turns if which == "all" else 1
    elif not isinstance(which, bool) and 0 < which <= 1:
        return math.ceil(Fraction(str(which)) * n_turns)  # as it is written: 0.07 of 100 is 7
    raise InputError(
        f"{which!r} says of no turn whether it is tested",
        field="which",
        expected="'all', 'one', or a fraction above 0 and at most 1",
    )


def placebo_prefix(dialogue: Dialogue, turn: int, hint: Hint) -> Prefix:
    """What may be seen at ``turn`` when ``hint`` is said there instead of the dialogue's own.

    Raises
    ------
    InputError
        The dialogue has no such turn, or it is the first.
    """
    _check_turn(dialogue, turn)
    prefix = dialogue.prefix(turn)
    return replace(prefix, hints=(*prefix.hints[:-1], hint))


def _check_turn(dialogue: Dialogue, turn: int) -> None:
    if not FIRST_TESTED <= turn <= dialogue.n_turns:
        raise InputError(
            f"turn {turn} of dialogue {dialogue.id!r} takes no placebo",
            field="turn",
            expected=f"{FIRST_TESTED} to {dialogue.n_turns}",
        )


def _said(hint: Hint) -> str:
    """What two hints have in common that say the same: the question, or the clue."""
    return plain(hint.answer if hint.question is None else hint.question)
