"""The result as a table in Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from contest.rounds import Result

_HEAD = (
    "contestant",
    "requests",
    "prompt tokens sent",
    "evaluated",
    "evaluated / distinct",
    "decoded",
    "wall",
    "CPU",
    "wall s",
)


def table(results: Sequence[Result]) -> str:
    """One row a contestant; wall and CPU time are multiples of the first one's."""
    rows = [_HEAD, tuple("---" if not place else "---:" for place in range(len(_HEAD)))]
    first = results[0]
    for one in results:
        counts = one.counts
        rows.append(
            (
                one.name,
                _whole(counts.n_requests),
                _whole(counts.prompt_tokens),
                _whole(counts.evaluated_tokens),
                _ratio(counts.evaluated_tokens, counts.distinct_tokens, places=3),
                _whole(counts.decoded_tokens),
                f"{_ratio(one.wall, first.wall)} ×",
                f"{_ratio(one.cpu, first.cpu)} ×",
                f"{one.wall:,.1f}",
            )
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _whole(value: int | None) -> str:
    return "not told" if value is None else f"{value:,}"


def _ratio(value: float | None, to: float | None, *, places: int = 2) -> str:
    return f"{value / to:,.{places}f}" if value is not None and to else "not told"
