"""Requests over HTTP: through the proxy that the environment names, within time-outs, repeated if wanted.

In: method, address, headers and body. Out: a `Response`, whatever its status; redirects are not followed.
The standard library suffices, and is imported twice as fast as urllib3 (benchmarks/check.py).
"""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

Body = bytes | Iterable[bytes] | None
NETWORK_ERRORS = (OSError, http.client.HTTPException)
CONNECT_SECONDS = 15
READ_SECONDS = 75
"""Longer than the longest long poll of the site."""
PAUSES = (0.5, 1, 2, 4)
"""Before the second attempt and the following ones."""
UNAVAILABLE = (502, 503, 504)
TOO_MANY_REQUESTS = 429
MAX_PAUSE = 60
"""Nobody waits for longer without being told."""


class Readable(Protocol):
    def read(self, size: int | None = None, /) -> bytes: ...


@dataclass(frozen=True)
class Response:
    status: int
    headers: Mapping[str, str] | http.client.HTTPMessage
    body: Readable

    @cached_property
    def data(self) -> bytes:
        return self.body.read()

    def json(self) -> Any:
        return json.loads(self.data)

    def stream(self, size: int) -> Iterator[bytes]:
        left = int(self.headers.get("Content-Length", 0))
        while chunk := self.body.read(size):
            left -= len(chunk)
            yield chunk
        if left > 0:
            raise http.client.IncompleteRead(b"", left)


class Transport:
    def __init__(self) -> None:
        self._opener = urllib.request.OpenerDirector()
        for handler in (urllib.request.ProxyHandler(), PlainHandler(), SecureHandler()):
            self._opener.add_handler(handler)

    def send(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: Body = None,
        repeat: bool = False,
        stream: bool = False,
    ) -> Response:
        """`repeat` overcomes a restart of the site; the request must do no harm when it arrives twice."""
        for pause in PAUSES if repeat else ():
            try:
                response = self._send_once(method, url, headers, body, stream=stream)
            except NETWORK_ERRORS as error:
                if isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError):
                    raise
                time.sleep(pause)
                continue
            seconds = pause_before_repeating(response, pause)
            if seconds is None:
                return response
            time.sleep(seconds)
        return self._send_once(method, url, headers, body, stream=stream)

    def _send_once(
        self, method: str, url: str, headers: Mapping[str, str], body: Body, *, stream: bool
    ) -> Response:
        # A new object each time, because the opener writes the proxy into it.
        request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)
        if body is not None and not request.has_header("Content-type"):
            request.add_header("Content-Type", "application/octet-stream")
        raw = self._opener.open(request, timeout=CONNECT_SECONDS)
        assert isinstance(raw, http.client.HTTPResponse)
        response = Response(raw.status, raw.headers, raw)
        if not stream:
            # An interruption belongs to this attempt.
            _ = response.data
        return response


def pause_before_repeating(response: Response, pause: float) -> float | None:
    """None if the response is to be taken as it is."""
    asked = response.headers.get("Retry-After", "")
    seconds = int(asked) if asked.isdecimal() else 0
    if seconds > MAX_PAUSE:
        return None
    if response.status in UNAVAILABLE or (response.status == TOO_MANY_REQUESTS and seconds):
        return max(pause, seconds)
    return None


class Patient(http.client.HTTPConnection):
    """A site answers later than it connects."""

    def connect(self) -> None:
        super().connect()
        self.sock.settimeout(READ_SECONDS)


class PatientAndSecure(Patient, http.client.HTTPSConnection):
    pass


class PlainHandler(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(Patient, request)


class SecureHandler(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(PatientAndSecure, request)
