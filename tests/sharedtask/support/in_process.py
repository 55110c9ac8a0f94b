"""The client of the API in the process of the site: its requests go to Django's test client."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.test import Client as Visitor

from evaluation.client.client import Client
from evaluation.client.configuration import Site
from evaluation.client.connection import Connection, error_of
from evaluation.client.transport import Response


class InProcess(Connection):
    def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
        repeat: bool = False,
        stream: bool = False,
    ) -> Response:
        sent = dict(headers or {})
        content_type = sent.pop("Content-Type", "application/octet-stream")
        if not isinstance(body, bytes | None):
            body = b"".join(body)
        parts = urlsplit(path)
        address = parts.path + (f"?{parts.query}" if parts.query else "")
        response = Visitor().generic(
            method,
            address,
            body or b"",
            content_type=content_type,
            headers={**sent, "Authorization": f"Bearer {self.site.token}"},
        )
        data = b"".join(response.streaming_content) if response.streaming else response.content  # type: ignore[arg-type]
        answer = Response(response.status_code, response.headers, io.BytesIO(data))
        if response.status_code >= 300:
            raise error_of(answer, self.site)
        return answer


def client_with(token: str) -> Client:
    site = Site(name="here", url="http://testserver", token=token)
    client = Client(site.url, token=token)
    client.connection = InProcess(site)
    return client
