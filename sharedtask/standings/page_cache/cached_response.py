"""A rendered response for visitors, ready to be sent to any of them.

Only requests without a session and without a waiting message are answered with it, so nothing in it is about
its reader: no name, no token, no message.

The compressed body is stored as well. Compression helps an eavesdropper only if a page contains a secret
(BREACH); these contain none. Responses for signed-in readers are not compressed here.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers


@dataclass(frozen=True, kw_only=True)
class CachedResponse:
    headers: Mapping[str, str]
    """As the view set them: type, file name, what it varies on, the address for htmx."""
    etag: str
    body: bytes
    compressed: bytes

    def __len__(self) -> int:
        return len(self.body) + len(self.compressed)

    @classmethod
    def from_response(cls, response: HttpResponse) -> CachedResponse:
        body = response.content
        # Weak, because the same page is sent compressed and uncompressed.
        etag = f'W/"{hashlib.sha256(body).hexdigest()[:32]}"'
        return cls(
            headers=dict(response.items()),
            etag=etag,
            body=body,
            compressed=gzip.compress(body, mtime=0),
        )

    def build_response(self, request: HttpRequest) -> HttpResponseBase:
        """With status 304 if the browser has this very page. `no-cache`: it has to ask every time."""
        accepts_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
        response = HttpResponse(self.compressed if accepts_gzip else self.body, headers=dict(self.headers))
        if accepts_gzip:
            response["Content-Encoding"] = "gzip"
        response["ETag"] = self.etag
        response["Cache-Control"] = "no-cache"
        patch_vary_headers(response, ("Cookie", "Accept-Encoding"))
        return get_conditional_response(request, etag=self.etag, response=response) or response
