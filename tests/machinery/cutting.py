"""A proxy that cuts connections: after given numbers of bytes, it passes nothing on any more.

It counts the bytes that clients send. The server notices the end of a connection before the client does, so
that a client which asks at once learns what has really been received.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from urllib.parse import urlsplit

CHUNK = 64 * 1024


class CuttingProxy:
    def __init__(self, upstream: str, cuts: Sequence[int], *, away_after: int = 0) -> None:
        self._upstream = address_of(upstream)
        self._away_after = away_after
        self._remaining = sorted(cuts)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self.sent_bytes = 0
        """By clients, headers included."""
        self.cuts = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def continue_at(self, upstream: str) -> None:
        """After `away_after` cuts nobody is let through until then, as while a server restarts."""
        self._upstream, self._away_after = address_of(upstream), 0

    @property
    def is_away(self) -> bool:
        return 0 < self._away_after <= self.cuts

    def accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.is_away:
                client.close()
                continue
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client: socket.socket) -> None:
        was_cut = threading.Event()
        # At the end of a test the server stops first, and a browser may still connect.
        with (
            closing(client),
            suppress(ConnectionError),
            closing(socket.create_connection(self._upstream)) as server,
        ):
            answers = threading.Thread(target=pass_answers, args=(server, client, was_cut), daemon=True)
            answers.start()
            if self.pass_requests(client, server):
                was_cut.set()
            with suppress(OSError):
                server.shutdown(socket.SHUT_WR)
            # After a cut, the server has stored what it got once it closes the connection.
            answers.join(60)

    def pass_requests(self, client: socket.socket, server: socket.socket) -> bool:
        """True when the connection is to be cut."""
        with suppress(OSError):
            while chunk := client.recv(CHUNK):
                keep = self.count(len(chunk))
                server.sendall(chunk[:keep])
                if keep < len(chunk):
                    return True
        return False

    def count(self, size: int) -> int:
        """How many of so many bytes are passed on."""
        with self._lock:
            if self._remaining and self.sent_bytes + size > self._remaining[0]:
                size = self._remaining.pop(0) - self.sent_bytes
                self.cuts += 1
            self.sent_bytes += size
            return size

    def close(self) -> None:
        self._listener.close()


def address_of(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    assert parts.hostname is not None and parts.port is not None
    return parts.hostname, parts.port


def pass_answers(server: socket.socket, client: socket.socket, was_cut: threading.Event) -> None:
    with suppress(OSError):
        while chunk := server.recv(CHUNK):
            if not was_cut.is_set():
                client.sendall(chunk)
        # A client must not use a connection again that the server has closed.
        if not was_cut.is_set():
            client.shutdown(socket.SHUT_RDWR)


@contextmanager
def cutting(upstream: str, cuts: Sequence[int], *, away_after: int = 0) -> Iterator[CuttingProxy]:
    proxy = CuttingProxy(upstream, cuts, away_after=away_after)
    threading.Thread(target=proxy.accept, daemon=True).start()
    try:
        yield proxy
    finally:
        proxy.close()
