"""A refusal that is sent before the body was read arrives whole, though the body is still being sent."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sharedtask.core import lingering_close
from tests.conftest import StartProcess

MEGABYTE = 1024 * 1024


def send_slowly(address: str, *, length: int) -> bytes:
    """The response to a body that goes on for a while after the server has answered."""
    url = urlsplit(address)
    headers = f"Host: {url.netloc}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n"
    with socket.create_connection((str(url.hostname), int(url.port or 80)), timeout=60) as connection:
        connection.sendall(b"POST /sign-in/ HTTP/1.1\r\n" + headers.encode() + b"x" * 1000)
        connection.recv(1, socket.MSG_PEEK)
        # The server has answered, and without lingering it closes within this time.
        time.sleep(0.5)
        for _ in range((length - 1000) // 1000):
            connection.sendall(b"x" * 1000)
        received = b""
        while piece := connection.recv(65536):
            received += piece
    return received


@pytest.mark.slow
def test_a_refusal_arrives_whole(server: StartProcess, embedded: dict[str, str]) -> None:
    running = server(embedded)
    received = send_slowly(running.url, length=3 * MEGABYTE)
    assert received.startswith(b"HTTP/1.1 413 ")
    assert b"</html>" in received


class Body:
    def __init__(self, length: int) -> None:
        self.remaining = length

    def read(self, size: int) -> bytes:
        size = min(size, self.remaining)
        self.remaining -= size
        return b"x" * size


class Connection:
    timeout: float | None = None

    def gettimeout(self) -> float | None:
        return self.timeout

    def settimeout(self, seconds: float | None) -> None:
        self.timeout = seconds


@pytest.mark.parametrize(
    ("length", "left"), [(0, 0), (100_000, 0), (lingering_close.MAX_BYTES + MEGABYTE, MEGABYTE)]
)
def test_a_bounded_part_of_the_body_is_discarded(length: int, left: int) -> None:
    body, connection = Body(length), Connection()
    lingering_close.discard_body({"gunicorn.socket": connection, "wsgi.input": body})
    assert (body.remaining, connection.timeout) == (left, None)


def test_a_response_without_a_body_is_given_to_the_server_as_it_is(tmp_path: Path) -> None:
    response = [b"page"]
    application = lingering_close.lingering(lambda environ, start: response)
    assert application({"CONTENT_LENGTH": ""}, None) is response
    assert application({"CONTENT_LENGTH": "5"}, None) is not response
