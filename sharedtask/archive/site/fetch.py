"""Request a page of the site as an anonymous visitor, in this process and without a network.

In: a path of this site. Out: `FetchedPage`. The request passes through the complete handler stack like one
from outside, so that an archive cannot contain anything that a visitor may not see.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes, urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.core.signals import request_finished
from django.db import close_old_connections
from django.http import HttpResponse, StreamingHttpResponse


@dataclass(frozen=True, kw_only=True)
class FetchedPage:
    status: int
    kind: str
    """The media type, without parameters."""
    content: Iterator[bytes]
    """Can be read once."""

    @property
    def is_page(self) -> bool:
        return self.kind == "text/html"

    def read(self) -> bytes:
        return b"".join(self.content)


class SiteClient:
    def __init__(self) -> None:
        self.handler = WSGIHandler()
        self.site = urlsplit(settings.SITE_URL)

    def get(self, address: str) -> FetchedPage:
        path, _, query = address.partition("?")
        request = WSGIRequest(self.environment(path, query))
        response = self.handler.get_response(request)
        assert isinstance(response, HttpResponse | StreamingHttpResponse)
        return FetchedPage(
            status=response.status_code,
            kind=response.headers.get("Content-Type", "").partition(";")[0],
            content=chunks_of(response),
        )

    def environment(self, path: str, query: str) -> dict[str, object]:
        secure = self.site.scheme == "https"
        return {
            "REQUEST_METHOD": "GET",
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": self.site.hostname or "localhost",
            "SERVER_PORT": str(self.site.port or (443 if secure else 80)),
            "HTTP_HOST": self.site.netloc,
            "HTTP_X_FORWARDED_PROTO": self.site.scheme,
            "REMOTE_ADDR": "127.0.0.1",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "wsgi.url_scheme": self.site.scheme,
            "wsgi.input": io.BytesIO(),
            "wsgi.errors": io.StringIO(),
        }


def chunks_of(response: HttpResponse | StreamingHttpResponse) -> Iterator[bytes]:
    try:
        for chunk in response:
            yield chunk if isinstance(chunk, bytes) else chunk.encode()
    finally:
        close(response)


def close(response: HttpResponse | StreamingHttpResponse) -> None:
    """Keep the database connection open: it belongs to this command, not to the request."""
    request_finished.disconnect(close_old_connections)
    try:
        response.close()
    finally:
        request_finished.connect(close_old_connections)
