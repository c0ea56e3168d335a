"""The ledger against a plain replay into a dict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversations import plain_scenario, run_of, turn
from turnsure.core.scenario import Reveal
from turnsure.scenarios.ledger import ledger_at

NAMES = st.sampled_from(["a", "b", "c"])
PARTS = st.tuples(
    st.dictionaries(NAMES, st.integers(0, 3) | st.booleans() | st.lists(st.integers(0, 1))),
    st.lists(NAMES, max_size=2),
    st.lists(st.sampled_from(["X", "Y"]), max_size=2),
)


@given(st.lists(PARTS, min_size=1, max_size=8))
def test_any_reveals_end_where_a_replay_ends(parts):
    reveals = [
        Reveal(id=str(place), say="x", sets=sets, withdraws=tuple(gone), rejects=tuple(refused))
        for place, (sets, gone, refused) in enumerate(parts)
    ]
    scenario = plain_scenario(*reveals)
    chat = run_of(scenario, *([turn()] * len(reveals)))
    rules: dict[str, object] = {}
    refused_so_far: set[str] = set()
    for number, (sets, gone, refused) in enumerate(parts, start=1):
        before = dict(rules)
        for name in gone:
            rules.pop(name, None)
        rules |= sets
        refused_so_far |= set(refused)
        seen = ledger_at(scenario, chat, number)
        assert repr(sorted(seen.rules.items())) == repr(sorted(rules.items()))
        assert set(seen.rejected) == refused_so_far
        assert set(seen.since) == set(rules)
        assert all(1 <= since <= number for since in seen.since.values())
        assert not set(seen.withdrawn) & set(rules)
        changed = {one.rule for one in seen.replaced if one.since == number}
        kept = set(before) & set(sets) - set(gone)
        assert changed == {name for name in kept if repr(before[name]) != repr(sets[name])}
