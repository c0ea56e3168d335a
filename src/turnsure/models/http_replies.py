"""HTTP/1.1 replies, from bytes as they come (RFC 9112).  Pure: nothing is sent or received here.

Only what answers a GET or POST is read: one reply at a time, whole.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import NamedTuple

_MOST_HEAD = 65_536
"""Bytes of status line and headers, and of a chunk's size line: more is no reply."""

_MOST_BODY = 256 * 2**20
"""Bytes of a body, and of what it is unpacked to."""

_MOST_DIGITS = 15
_NO_BODY = frozenset({204, 304})
_SWITCHING = 101
_FIRST_FINAL = 200
_STATUS = re.compile("[1-9][0-9]{2}")
_GZIP_OR_ZLIB = 47
"""The window size by which zlib is told to find out which of the two it is."""


class HttpError(ValueError):
    """What the server sent is no HTTP reply, or ends in the middle of one."""


class ReplyTooLarge(HttpError):
    """The server sends more than anyone would want to keep."""

    def __init__(self, most: int) -> None:
        size = f"{most / 2**20:g} MB" if most >= 2**20 else f"{most} bytes"
        super().__init__(f"the reply is larger than {size}")


class RawReply(NamedTuple):
    """A whole reply.

    Attributes
    ----------
    status
        Such as 200.
    headers
        Names in lower case; what comes several times is joined with commas.
    body
        The bytes, decompressed.
    stays_open
        Whether another request may follow on the connection.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    stays_open: bool


class _Head(NamedTuple):
    status: int
    headers: dict[str, str]
    stays_open: bool


class ReplyParser:
    """Collects bytes until a reply is whole, then starts anew.

    Parameters
    ----------
    most
        Bytes that a body may have, as it is sent and unpacked.
    """

    __slots__ = ("_buffer", "_head", "_length", "_most", "_unchunked")

    def __init__(self, most: int = _MOST_BODY) -> None:
        self._most = most
        self._start()

    def _start(self) -> None:
        self._buffer = bytearray()
        self._head: _Head | None = None
        self._length: int | None = None
        self._unchunked: bytearray | None = None

    def feed(self, data: bytes) -> RawReply | None:
        """Take bytes; the reply, once it is whole.

        Raises
        ------
        HttpError
            This is no reply.
        """
        self._buffer += data
        while self._head is None:
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > _MOST_HEAD:
                    raise HttpError("the head of the reply does not end")
                return None
            head = _head(self._buffer[:end].decode("latin-1"))
            del self._buffer[: end + 4]
            if head.status >= _FIRST_FINAL:
                self._begin_body(head)
            elif head.status == _SWITCHING:
                raise HttpError("the server wants to speak another protocol")
        if self._unchunked is not None:
            return self._chunked(self._head, self._unchunked)
        if self._length is None:
            self._check_size(len(self._buffer))
            return None
        if len(self._buffer) < self._length:
            return None
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        return self._finished(self._head, body)

    def end(self) -> RawReply | None:
        """The server closed the connection; the reply, where that is what ends it.

        Raises
        ------
        HttpError
            It was cut.
        """
        if self._head is None and not self._buffer:
            raise HttpError("the server closed the connection without a reply")
        if self._head is None or self._ends_itself():
            raise HttpError("the server closed the connection in the middle of its reply")
        return self._finished(self._head, bytes(self._buffer))

    def _begin_body(self, head: _Head) -> None:
        self._head = head
        coding, length = head.headers.get("transfer-encoding"), head.headers.get("content-length")
        if head.status in _NO_BODY:
            self._length = 0
        elif coding is not None:
            if coding.lower() != "chunked":
                raise HttpError(f"the reply has the transfer coding {coding}")
            self._unchunked = bytearray()
            if length is not None:  # someone on the way may have gone by that (RFC 9112, 6.3)
                self._head = head._replace(stays_open=False)
        elif length is not None:
            self._length = _count(length)
            self._check_size(self._length)

    def _check_size(self, size: int) -> None:
        if size > self._most:
            raise ReplyTooLarge(self._most)

    def _chunked(self, head: _Head, body: bytearray) -> RawReply | None:
        """Take off whole chunks; what is behind the last one are trailers up to a blank line."""
        while True:
            end = self._buffer.find(b"\r\n")
            if end < 0:
                if len(self._buffer) > _MOST_HEAD:
                    raise HttpError("a chunk of the reply has no size")
                return None
            line = self._buffer[:end].partition(b";")[0].strip()
            if not line or line.strip(b"0123456789abcdefABCDEF"):
                raise HttpError("a chunk of the reply has no size")
            size = int(line, 16)
            if not size:
                return self._after_chunks(head, body, end)
            self._check_size(len(body) + size)
            begin, stop = end + 2, end + 2 + size
            if len(self._buffer) < stop + 2:
                return None
            if not self._buffer.startswith(b"\r\n", stop):
                raise HttpError("a chunk of the reply is not as long as it says")
            body += self._buffer[begin:stop]
            del self._buffer[: stop + 2]

    def _after_chunks(self, head: _Head, body: bytearray, end: int) -> RawReply | None:
        blank = self._buffer.find(b"\r\n\r\n", end)
        if blank < 0:
            if len(self._buffer) > _MOST_HEAD:
                raise HttpError("the trailers of the reply do not end")
            return None
        del self._buffer[: blank + 4]
        return self._finished(head, bytes(body))

    def _finished(self, head: _Head, body: bytes) -> RawReply:
        # A server that says more than it was asked for cannot be asked again here.
        stays_open = head.stays_open and not self._buffer and self._ends_itself()
        coding = head.headers.get("content-encoding")
        self._start()
        plain = body if coding is None else _decoded(coding.lower(), body, self._most)
        return RawReply(head.status, head.headers, plain, stays_open)

    def _ends_itself(self) -> bool:
        return self._length is not None or self._unchunked is not None


def _head(text: str) -> _Head:
    first, *lines = text.split("\r\n")
    version, _, rest = first.partition(" ")
    code = rest.partition(" ")[0]
    if version not in ("HTTP/1.1", "HTTP/1.0") or not _STATUS.fullmatch(code):
        raise HttpError("this is no HTTP reply")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            raise HttpError("a header of the reply cannot be read")
        name, value = name.lower(), value.strip()
        known = headers.get(name)
        headers[name] = value if known is None else f"{known}, {value}"
    wish = headers.get("connection", "").lower()
    stays_open = "close" not in wish if version == "HTTP/1.1" else "keep-alive" in wish
    return _Head(int(code), headers, stays_open)


def _count(text: str) -> int:
    """A Content-Length; the same one may come several times."""
    said = {one.strip() for one in text.split(",")}
    [length, *others] = said
    if others or not (length.isascii() and length.isdigit()):
        raise HttpError(f"the reply has the length {text[:40]}")
    # No length has more digits, and Python reads only so many.
    return int(length.lstrip("0")[: _MOST_DIGITS + 1] or "0")


def _decoded(coding: str, body: bytes, most: int) -> bytes:
    """A body that was compressed although that was not asked for."""
    if coding in ("", "identity"):
        return body
    if coding not in ("gzip", "x-gzip", "deflate"):
        raise HttpError(f"the reply is compressed as {coding}")
    unpacker = zlib.decompressobj(_GZIP_OR_ZLIB)
    try:
        plain = unpacker.decompress(body, most + 1)
    except zlib.error:
        raise HttpError("the reply cannot be decompressed") from None
    if len(plain) > most:
        raise ReplyTooLarge(most)
    if not unpacker.eof:
        raise HttpError("the reply cannot be decompressed: its end is missing")
    if unpacker.unused_data:
        raise HttpError("the reply cannot be decompressed: something follows its end")
    return plain
