"""Rows of CSV read many at a time are those read one by one, with the lines where they begin."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from turnsure.core.errors import InputError
from turnsure.store.csv_rows import csv_blocks

FIELDS = ("1", "", '"a,b"', '"two\nlines"', '"a\r\nb\n"', '"say ""so"""', '"open', 'x"y')
lines = st.lists(st.lists(st.sampled_from(FIELDS), max_size=3).map(",".join), max_size=12)


def one_by_one(text):
    """Rows with their lines, and the line of an error if there is one."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header, rows, begins = None, [], 1
    try:
        for record in reader:
            line, begins = begins, reader.line_num + 1
            if record and header is None:
                header = record
            elif record and len(record) != len(header):
                return rows, line
            elif record:
                rows.append((line, record))
    except csv.Error:
        return rows, begins
    return rows, None


@settings(deadline=None, max_examples=200)
@given(lines, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([None, 1, 2, 5]))
@example(["1,2", "", '3,"x\ny"', "4"], "\n", 2)
@example(["1,2", '3,"x\ny"', '4,"open'], "\r\n", None)
def test_many_at_a_time(body, end, n_rows):
    text = end.join(["p,q", *body, ""])
    rows, wrong = one_by_one(text)
    blocks = csv_blocks(Path("s.csv"), io.StringIO(text, newline=""), n_rows)
    if wrong is not None:
        with pytest.raises(InputError) as caught:
            list(blocks)
        assert caught.value.line == wrong
        return
    found = []
    for block in blocks:
        assert n_rows is None or block.n <= n_rows
        found += zip(block.lines, zip(*block.columns.values(), strict=True), strict=True)
    assert [(line, list(record)) for line, record in found] == rows
