"""How far simulated users kept to their cards, and a sample for a person to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from turnsure.core.conversation import Slip, Transcript
from turnsure.core.digest import seed_from
from turnsure.core.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """What the guards saw.

    Attributes
    ----------
    n_runs, n_invalid
        Conversations, and those of them whose user could not be kept to its card.
    n_messages
        Messages that were taken.
    n_retries
        Wordings that were not taken.
    n_mended
        Messages that were taken after one or more were not.
    n_notes
        Exchanges with a note, such as a script that does not answer what it was asked.
    refused
        Wordings that were not taken, by guard, most first.
    invalid
        Invalid runs, by the guard that refused the last try, most first.
    released
        For each scenario and reveal, at which turns it was made known, and in how many runs.
    """

    n_runs: int
    n_invalid: int
    n_messages: int
    n_retries: int
    n_mended: int
    n_notes: int
    refused: Mapping[str, int]
    invalid: Mapping[str, int]
    released: Mapping[tuple[str, str], Mapping[int, int]]


def fidelity(transcripts: Iterable[Transcript]) -> Fidelity:
    """Count what the guards saw in these conversations."""
    all_runs = list(transcripts)
    exchanges = [exchange for one in all_runs for exchange in one.exchanges]
    broken = [one for one in all_runs if one.ending == "user_invalid"]
    slips: list[Slip] = [slip for one in exchanges for slip in one.slips]
    slips += [slip for one in broken for slip in one.slips]
    released: dict[tuple[str, str], Counter[int]] = {}
    for run in all_runs:
        for exchange in run.exchanges:
            for reveal in exchange.reveals:
                released.setdefault((run.scenario, reveal), Counter())[exchange.turn] += 1
    return Fidelity(
        n_runs=len(all_runs),
        n_invalid=len(broken),
        n_messages=len(exchanges),
        n_retries=len(slips),
        n_mended=sum(bool(one.slips) for one in exchanges),
        n_notes=sum(one.note is not None for one in exchanges),
        refused=dict(Counter(slip.guard for slip in slips).most_common()),
        invalid=dict(Counter(one.slips[-1].guard for one in broken if one.slips).most_common()),
        released={name: dict(sorted(turns.items())) for name, turns in released.items()},
    )


def sample_to_read(
    transcripts: Sequence[Transcript], n: int, *, seed: int
) -> tuple[Transcript, ...]:
    """A sample for a person to read: the same one for the same seed, in the order of the runs.

    Invalid runs are left out, since the guards have read them.

    Raises
    ------
    InputError
        ``n`` is below 1.
    """
    if n < 1:
        raise InputError(f"it is {n}", field="n", expected="1 or more")
    places = [
        place
        for place, one in enumerate(transcripts)
        if one.exchanges and one.ending != "user_invalid"
    ]
    drawn = sorted(places, key=lambda place: seed_from(seed, place))[:n]
    return tuple(transcripts[place] for place in sorted(drawn))
