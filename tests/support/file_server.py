"""Files on loopback, for tests of downloads."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer(ThreadingHTTPServer):
    """``files`` are served by path; ``paths`` are those that were asked for.

    A number in place of bytes is answered as a status; ``cut`` are paths whose reply ends early.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files: dict[str, bytes | int] = {}
        self.cut: set[str] = set()
        self.paths: list[str] = []

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{path}"


class _Handler(BaseHTTPRequestHandler):
    server: FileServer

    def do_GET(self) -> None:
        self.server.paths.append(self.path)
        held = self.server.files.get(self.path, 404)
        if isinstance(held, int):
            self.send_error(held)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(held)))
        self.end_headers()
        self.wfile.write(held[: len(held) // 2] if self.path in self.server.cut else held)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@contextmanager
def serving() -> Generator[FileServer]:
    """A running server, with an address of its own."""
    with FileServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
