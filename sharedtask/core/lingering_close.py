"""A response that is sent before the request's body was read still reaches the client.

A server that closes a connection with unread bytes in it resets the connection, and the reset discards what
the client has not received yet: a page that says "too large" arrives without its text, or the proxy reports
that the site is away. So once the response is sent, the rest of the body is read and discarded, up to a
limit and for as long as it keeps coming. nginx calls this a lingering close.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

MAX_BYTES = 128 * 1024 * 1024
"""More than the proxy lets through, so that everything from there gets a response."""
SECONDS = 2.0
"""How long the next bytes may take. A client that sends nothing more for so long has its response."""
CHUNK = 64 * 1024

Application = Callable[..., Iterable[bytes]]


def lingering(application: Application) -> Application:
    """A WSGI application that reads what is left of the body after its response."""

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        response = application(environ, start_response)
        # Without a body the server gets the response itself, and can send a file by the kernel's own means.
        return LingeringResponse(response, environ) if has_body(environ) else response

    return answer


def has_body(environ: dict[str, Any]) -> bool:
    return environ.get("CONTENT_LENGTH", "") not in ("", "0") or "HTTP_TRANSFER_ENCODING" in environ


class LingeringResponse:
    """The server calls `close` once everything is sent, and closes the connection afterwards."""

    def __init__(self, response: Iterable[bytes], environ: dict[str, Any]) -> None:
        self._response = response
        self._environ = environ

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._response)

    def close(self) -> None:
        try:
            if hasattr(self._response, "close"):
                self._response.close()
        finally:
            discard_body(self._environ)


def discard_body(environ: dict[str, Any]) -> None:
    """Gunicorn gives its socket to the application, and a body that ends where Content-Length says.

    Other servers are left alone: what they do with an unread body is not known here.
    """
    socket = environ.get("gunicorn.socket")
    if socket is None:
        return
    # The client may be gone, or too slow to wait for: it has its response in either case.
    with contextlib.suppress(OSError, EOFError):
        before = socket.gettimeout()
        socket.settimeout(SECONDS)
        remaining = MAX_BYTES
        while remaining > 0 and (chunk := environ["wsgi.input"].read(CHUNK)):
            remaining -= len(chunk)
        socket.settimeout(before)
