"""The body of a request, chunk by chunk, as it arrives.

In: a request. Out: chunks; `Interrupted` if the body ends before its time, because the client has gone or has
sent nothing for a while. Clients that do not know the length in advance send a body in chunks of HTTP, which
Django does not read: gunicorn decodes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.http import HttpRequest
from django.http.request import UnreadablePostError

from sharedtask.core.body_limit import content_length

CHUNK = 64 * 1024
SILENCE_SECONDS = 30.0
"""A thread of the server waits for the next bytes for so long. The client can resume later."""


class Interrupted(Exception):
    """The connection was lost, or the client has stopped sending."""


def body_chunks(request: HttpRequest) -> Iterator[bytes]:
    expected = content_length(request)
    received = 0
    with silence_limit(request.META.get("gunicorn.socket")):
        while expected is None or received < expected:
            chunk = read_chunk(request, CHUNK if expected is None else min(CHUNK, expected - received))
            if not chunk and expected is None:
                return
            if not chunk:
                raise Interrupted
            received += len(chunk)
            yield chunk


def read_chunk(request: HttpRequest, size: int) -> bytes:
    try:
        if content_length(request) is None:
            chunk: bytes = request.META["wsgi.input"].read(size)
            return chunk
        return request.read(size)
    except (UnreadablePostError, OSError) as error:
        raise Interrupted from error


@contextmanager
def silence_limit(socket: Any) -> Iterator[None]:
    """Gunicorn gives its socket to the application; other servers have limits of their own."""
    if socket is None:
        yield
        return
    before = socket.gettimeout()
    socket.settimeout(SILENCE_SECONDS)
    try:
        yield
    finally:
        socket.settimeout(before)
