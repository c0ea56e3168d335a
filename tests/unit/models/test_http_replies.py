"""HTTP replies from bytes, whole or wrong."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib

import pytest

from turnsure.models.http_replies import HttpError, ReplyParser, ReplyTooLarge

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"


def read(data: bytes):
    reply = ReplyParser().feed(data)
    assert reply is not None
    return reply


def test_status_headers_and_body():
    reply = read(HEAD + b"Content-Length: 2\r\nRetry-After:  7 \r\nX: a\r\nx: b\r\n\r\nhi")
    assert (reply.status, reply.body, reply.stays_open) == (200, b"hi", True)
    assert reply.headers == {"content-length": "2", "retry-after": "7", "x": "a, b"}


@pytest.mark.parametrize(
    ("data", "body"),
    [
        (CHUNKED + b"0\r\n\r\n", b""),
        (CHUNKED + b"3\r\nabc\r\n00a;x=y\r\n0123456789\r\n0\r\n\r\n", b"abc0123456789"),
        (CHUNKED + b"1\r\na\r\n0\r\nTrailer: x\r\nOther: y\r\n\r\n", b"a"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"Content-Length: 1\r\n\r\na", b"a"),
        (HEAD + b"Content-Length: 1, 1\r\n\r\na", b"a"),
    ],
)
def test_bodies(data, body):
    assert read(data).body == body
    assert read(data).stays_open


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        (b"gzip", gzip.compress(b"text", mtime=0)),
        (b"deflate", zlib.compress(b"text")),
        (b"identity", b"text"),
    ],
)
def test_a_body_that_is_compressed_unasked_is_unpacked(coding, body):
    head = HEAD + b"Content-Encoding: %b\r\nContent-Length: %d\r\n\r\n" % (coding, len(body))
    assert read(head + body).body == b"text"


@pytest.mark.parametrize(
    ("first", "more", "stays"),
    [
        (b"HTTP/1.1 200 OK", b"Connection: close", False),
        (b"HTTP/1.1 200 OK", b"Connection: Keep-Alive", True),
        (b"HTTP/1.0 200 OK", b"X: y", False),
        (b"HTTP/1.0 200 OK", b"Connection: keep-alive", True),
    ],
)
def test_whether_the_connection_stays_open(first, more, stays):
    assert read(b"%b\r\n%b\r\nContent-Length: 0\r\n\r\n" % (first, more)).stays_open is stays


def test_two_statements_of_the_length_end_the_connection():
    reply = read(
        HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
    )
    assert (reply.body, reply.stays_open) == (b"a", False)


def packed(body: bytes) -> bytes:
    return HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"Content-Length: 101\r\n\r\n",
        HEAD + b"Content-Length: %b\r\n\r\n" % (b"9" * 5000),
        HEAD + b"\r\n" + b"x" * 101,
        CHUNKED + b"65\r\n",
        CHUNKED + b"64\r\n" + b"x" * 100 + b"\r\n1\r\n",
        packed(gzip.compress(b"x" * 101, mtime=0)),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_kept(data):
    with pytest.raises(ReplyTooLarge, match="larger than 100 bytes"):
        ReplyParser(100).feed(data)


@pytest.mark.parametrize(
    "data",
    [
        HEAD + b"Content-Length: 0100\r\n\r\n" + b"x" * 100,
        CHUNKED + b"32\r\n" + b"x" * 50 + b"\r\n32\r\n" + b"x" * 50 + b"\r\n0\r\n\r\n",
        packed(gzip.compress(b"x" * 100, mtime=0)),
    ],
)
def test_what_is_just_small_enough_is_taken(data):
    reply = ReplyParser(100).feed(data)
    assert reply is not None
    assert reply.body == b"x" * 100


def test_how_much_is_taken_where_nothing_else_is_said():
    for size, refused in ((2**28, False), (2**28 + 1, True)):
        head = HEAD + b"Content-Length: %d\r\n\r\n" % size
        if refused:
            with pytest.raises(ReplyTooLarge, match="larger than 256 MB"):
                ReplyParser().feed(head)
        else:
            assert ReplyParser().feed(head) is None


def test_a_body_in_pieces_is_not_copied_for_each():
    n, piece = 64, b"x" * 2**14
    parser = ReplyParser()
    parser.feed(HEAD + b"Content-Length: %d\r\n\r\n" % (n * len(piece)))
    tracemalloc.start()
    try:
        for _ in range(n - 1):
            assert parser.feed(piece) is None
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * n * len(piece)
    reply = parser.feed(piece)
    assert reply is not None
    assert reply.body == n * piece


def test_bytes_that_nobody_asked_for_end_the_connection():
    assert not read(HEAD + b"Content-Length: 1\r\n\r\nabc").stays_open


def test_one_reply_after_the_other():
    parser = ReplyParser()
    for text in (b"one", b"two"):
        reply = parser.feed(HEAD + b"Content-Length: 3\r\n\r\n" + text)
        assert reply is not None
        assert reply.body == text


def test_without_a_length_the_end_of_the_connection_ends_the_body():
    parser = ReplyParser()
    assert parser.feed(HEAD + b"\r\nsome") is None
    assert parser.feed(b" text") is None
    reply = parser.end()
    assert reply is not None
    assert (reply.body, reply.stays_open) == (b"some text", False)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "without a reply"),
        (b"HTTP/1.1 200 OK\r\nContent", "middle"),
        (HEAD + b"Content-Length: 5\r\n\r\nabc", "middle"),
        (CHUNKED + b"5\r\nab", "middle"),
        (CHUNKED + b"1\r\na\r\n", "middle"),
    ],
)
def test_a_cut_reply(data, reason):
    parser = ReplyParser()
    assert parser.feed(data) is None
    with pytest.raises(HttpError, match=reason):
        parser.end()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", "no HTTP reply"),
        (b"HTTP/2 200\r\n\r\n", "no HTTP reply"),
        (b"HTTP/1.1 abc\r\n\r\n", "no HTTP reply"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "no HTTP reply"),
        (b"HTTP/1.1 099 OK\r\n\r\n", "no HTTP reply"),
        (b"HTTP/1.1 200OK\r\n\r\n", "no HTTP reply"),
        (b"HTTP/1.1 101 Switching\r\n\r\n", "another protocol"),
        (HEAD + b"no colon\r\n\r\n", "header"),
        (HEAD + b" folded: x\r\n\r\n", "header"),
        (HEAD + b"Content-Length: -1\r\n\r\n", "length -1"),
        (HEAD + b"Content-Length: 1, 2\r\n\r\n", "length 1, 2"),
        (HEAD + b"Transfer-Encoding: gzip\r\n\r\n", "transfer coding gzip"),
        (CHUNKED + b"xyz\r\n", "no size"),
        (CHUNKED + b"-1\r\n", "no size"),
        (CHUNKED + b"\r\n", "no size"),
        (CHUNKED + b"1\r\nabc\r\n", "not as long"),
        (CHUNKED + b"1" * 70_000, "no size"),
        (HEAD + b"X: " + b"y" * 70_000, "does not end"),
        (HEAD + b"Content-Encoding: br\r\nContent-Length: 1\r\n\r\na", "compressed as br"),
        (packed(b"?"), "decompressed"),
    ],
)
def test_what_is_no_reply(data, reason):
    with pytest.raises(HttpError, match=reason):
        ReplyParser().feed(data)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (gzip.compress(b"one", mtime=0) + gzip.compress(b"two", mtime=0), "something follows"),
        (gzip.compress(b"one", mtime=0) + b"more", "something follows"),
        (zlib.compress(b"one") + b"more", "something follows"),
        (gzip.compress(b"one", mtime=0)[:-1], "end is missing"),
        (b"", "end is missing"),
    ],
)
def test_a_packed_body_is_taken_whole_or_not_at_all(body, reason):
    with pytest.raises(HttpError, match=reason):
        ReplyParser().feed(packed(body))
