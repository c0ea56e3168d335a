"""Whether dialogues are there twice, in one file or across files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from turnsure.core.dialogue import Dialogue
from turnsure.dialogues.checking.finding import Finding, Kind, Placed, Rules
from turnsure.dialogues.english import plain
from turnsure.dialogues.english_lists import NO, YES
from turnsure.dialogues.splits import entity_of

Member = tuple[int, int]
"""A dialogue as the place of its file and its place in it."""

_FIELDS: dict[Kind, str] = {"id_twice": "id", "hints_twice": "hints", "entity_twice": "gold[0]"}


def find_duplicates(files: Sequence[Sequence[Placed]], rules: Rules) -> Iterator[Finding]:
    """Find dialogues with the same id, the same hints or the same first answer.

    Two dialogues give one finding, of the first of these that they share.  Within a file it
    stands at the later of the two; across files at the one of the file that was named first,
    since that is the one to be mended.  An answer is told once a file, not once a dialogue.

    Parameters
    ----------
    files
        The dialogues of each file.
    rules
        How answers are compared.
    """
    search = _Search(files=files)
    yield from search.pairs("id_twice", lambda dialogue: dialogue.id)
    yield from search.pairs("hints_twice", _hints)
    yield from search.entities(lambda dialogue: entity_of(dialogue, rules.normalise))


def _names_entity(answer: str) -> bool:
    """Whether an answer is something that dialogues can be about: no number, yes or no."""
    return any(letter.isalpha() for letter in answer) and plain(answer) not in YES | NO


def _hints(dialogue: Dialogue) -> Hashable:
    return tuple((plain(hint.question or ""), plain(hint.answer)) for hint in dialogue.hints)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """The files, and the pairs that have been told."""

    files: Sequence[Sequence[Placed]]
    told: set[tuple[Member, Member]] = field(default_factory=set[tuple[Member, Member]])

    def pairs(self, kind: Kind, key: Callable[[Dialogue], Hashable]) -> Iterator[Finding]:
        """Each dialogue that has a partner, with one partner in its file and one in another."""
        for by_file in self._groups(key):
            for n, members in enumerate(by_file):
                others = [group[0] for group in by_file[n + 1 : n + 2]]
                for member in members:
                    for partner in {members[0]: None, **dict.fromkeys(others)}:
                        if partner != member and (member, partner) not in self.told:
                            self.told.add((member, partner))
                            yield self._finding(kind, member, self._shared(member, partner))

    def entities(self, key: Callable[[Dialogue], Hashable]) -> Iterator[Finding]:
        """The second dialogue of a file with an answer, and the first that another file has too."""
        copies = {member for member, partner in self.told if member[0] == partner[0]}
        for by_file in self._groups(key):
            if not _names_entity(self._answer(by_file[0][0])):
                continue
            for n, members in enumerate(by_file):
                own = [member for member in members if member not in copies]
                if len(own) > 1:
                    words = f"{self._answer(own[0])!r} is the answer of {len(own)} dialogues here"
                    yield self._finding("entity_twice", own[1], words)
                for partner in (group[0] for group in by_file[n + 1 : n + 2]):
                    if own and (own[0], partner) not in self.told:
                        where = self._where(own[0], partner)
                        words = f"{self._answer(own[0])!r} is the answer in {where} too"
                        yield self._finding("entity_twice", own[0], words)

    def _groups(self, key: Callable[[Dialogue], Hashable]) -> Iterator[list[list[Member]]]:
        """The dialogues that share a key, file by file, where there are two or more."""
        groups: defaultdict[Hashable, defaultdict[int, list[Member]]]
        groups = defaultdict(lambda: defaultdict(list))
        for f, dialogues in enumerate(self.files):
            for d, placed in enumerate(dialogues):
                groups[key(placed.dialogue)][f].append((f, d))
        for group in groups.values():
            if sum(map(len, group.values())) > 1:
                yield [group[f] for f in sorted(group)]

    def _finding(self, kind: Kind, member: Member, evidence: str) -> Finding:
        placed = self._placed(member)
        return Finding(
            kind=kind,
            evidence=evidence,
            dialogue=placed.dialogue.id,
            field=_FIELDS[kind],
            place=placed.place,
        )

    def _shared(self, member: Member, partner: Member) -> str:
        here, there = self._answer(member), self._answer(partner)
        differ = "" if here == there else f", though the answers are {here!r} and {there!r}"
        return f"as in {self._where(member, partner)}{differ}"

    def _where(self, member: Member, partner: Member) -> str:
        place = self._placed(partner).place
        return f"line {place.line}" + ("" if member[0] == partner[0] else f" of {place.file}")

    def _answer(self, member: Member) -> str:
        return self._placed(member).dialogue.gold[0]

    def _placed(self, member: Member) -> Placed:
        f, d = member
        return self.files[f][d]
