"""The output of a program is complete even if it arrives in one packet with the head of the response."""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer

import pytest

from airlock.engine.calls import open_client, output_of


class Answer(BaseHTTPRequestHandler):
    """Answers as an engine does: an id, and then all output at once."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.endswith("/start"):
            frames = [(1, b"first, "), (1, b"second")]
            body = b"".join(struct.pack(">BxxxI", kind, len(text)) + text for kind, text in frames)
            kind = "application/vnd.docker.raw-stream"
        else:
            body, kind = json.dumps({"Id": "1"}).encode(), "application/json"
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n"
        self.connection.sendall(head.encode() + body)
        self.close_connection = True

    def address_string(self) -> str:
        return "a socket"

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def address(short_folder: Path) -> Iterator[str]:
    path = short_folder / "answers"
    with ThreadingUnixStreamServer(str(path), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"unix://{path}"
        server.shutdown()
        thread.join()
    path.unlink()


def test_nothing_is_lost_of_what_comes_with_the_head_of_the_response(address: str) -> None:
    with closing(open_client(address)) as client:
        for _ in range(20):
            assert output_of(client, "holder", ["/look"]) == b"first, second"
