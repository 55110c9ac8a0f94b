"""Rendered pages for visitors, kept in the process by everything that they depend on.

Safe, because the key is everything: either the facts that a page is made of, as they were just read from the
database, with the wishes of the address; or the address and the `Period`, in which nothing changes. So an
organiser's act shows in the next answer; what is saved is the rendering. Only requests without a session and
without a message waiting are served from here, so that nothing in a page is about a reader: no name, no
token, no message.

Pages are kept compressed as well. Compression tells an eavesdropper something only where a page has a secret
in it (BREACH), and these have none; what signed-in people get is not compressed by us.
"""

from __future__ import annotations

import gzip
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers

ADDRESS = "HX-Push-Url"
MOST_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class KeptPage:
    etag: str
    address: str
    """Where this state of the page is, for the address bar; empty where it is where it was asked for."""
    body: bytes
    compressed: bytes

    def __len__(self) -> int:
        return len(self.body) + len(self.compressed)


class KeptPages:
    """Those asked for last, up to a number of bytes."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._pages: OrderedDict[Hashable, KeptPage] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> KeptPage | None:
        with self._lock:
            page = self._pages.get(key)
            if page is not None:
                self._pages.move_to_end(key)
            return page

    def put(self, key: Hashable, page: KeptPage) -> None:
        with self._lock:
            replaced = self._pages.pop(key, None)
            self._pages[key] = page
            self._bytes += len(page) - (len(replaced) if replaced else 0)
            while self._bytes > self._most_bytes and self._pages:
                _, oldest = self._pages.popitem(last=False)
                self._bytes -= len(oldest)


PAGES = KeptPages()


def kept_answer(
    request: HttpRequest, key: Hashable | None, render: Callable[[], HttpResponse]
) -> HttpResponseBase:
    """The page of this key: rendered only if nobody asked before, and not even sent if the reader has it.

    Without a key it is rendered every time. What is no page, like the way to a tidier address, is not kept.
    """
    page = PAGES.get(key) if key is not None else None
    if page is None:
        made = render()
        if made.status_code != HTTPStatus.OK:
            return made
        page = kept(made)
        if key is not None:
            PAGES.put(key, page)
    return sent(request, page)


def kept(response: HttpResponse) -> KeptPage:
    body = response.content
    return KeptPage(
        etag=etag_of(body),
        address=response.get(ADDRESS, ""),
        body=body,
        compressed=gzip.compress(body, mtime=0),
    )


def sent(request: HttpRequest, page: KeptPage) -> HttpResponseBase:
    zipped = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(page.compressed if zipped else page.body)
    if zipped:
        response["Content-Encoding"] = "gzip"
    if page.address:
        response[ADDRESS] = page.address
    return conditional(request, response, page.etag)


def file_answer(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """A file that is made for every request."""
    return conditional(request, response, etag_of(response.content))


def conditional(request: HttpRequest, response: HttpResponse, etag: str) -> HttpResponseBase:
    """With its mark; or 304 where the reader has this very page. It is asked for again every time."""
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
    return get_conditional_response(request, etag=etag, response=response) or response


def etag_of(content: bytes) -> str:
    """Weak, because the same page goes out compressed and not."""
    return f'W/"{hashlib.sha256(content).hexdigest()[:32]}"'
