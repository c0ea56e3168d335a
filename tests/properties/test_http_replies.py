"""However a reply is cut into pieces, the same comes out."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from turnsure.models.http_replies import HttpError, ReplyParser


@st.composite
def replies(draw):
    """A body and the bytes of a reply that holds it."""
    parts = draw(st.lists(st.binary(max_size=12), max_size=5))
    body = b"".join(parts)
    head = b"HTTP/1.1 200 OK\r\nServer: x\r\n"
    if draw(st.booleans()):
        return body, head + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts if part)
    trailers = draw(st.sampled_from([b"", b"A: b\r\n"]))
    return (
        body,
        head + b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n" + trailers + b"\r\n",
    )


@given(st.lists(replies(), min_size=1, max_size=3), st.data())
def test_any_pieces_give_the_same_replies(given_replies, data):
    parser = ReplyParser()
    for body, raw in given_replies:
        cuts = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
        places = [0, *cuts, len(raw)]
        pieces = [raw[a:b] for a, b in itertools.pairwise(places)]
        seen = [parser.feed(piece) for piece in pieces if piece]
        assert all(one is None for one in seen[:-1])
        assert seen[-1] is not None
        assert seen[-1].body == body
        assert seen[-1].stays_open


@given(st.binary(max_size=200))
def test_junk_is_refused_or_waited_for_but_never_a_crash(junk):
    parser = ReplyParser()
    for data in (junk, b"HTTP/1.1 200 OK\r\n" + junk):
        try:
            parser.feed(data)
            parser.end()
        except HttpError:
            parser = ReplyParser()
