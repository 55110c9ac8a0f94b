"""People at their browsers: they upload over HTTP, and try again until they have a receipt."""

from __future__ import annotations

import http.client
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from urllib.parse import urlsplit

TOKEN = "a" * 32
"""What the form and the cookie both say; that they agree is what the check against forgery asks for."""


@dataclass
class Answers:
    """What people were answered, all of them together."""

    receipts: dict[str, str] = field(default_factory=dict)
    """The public id of the run by the name of the upload."""
    refusals: list[str] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    bodies: list[str] = field(default_factory=list)
    """Of all answers that were no receipt."""
    lock: threading.Lock = field(default_factory=threading.Lock)


def upload(
    url: str,
    session: str,
    archive: bytes,
    *,
    slug: str = "drill",
    timeout: float = 30,
    headers: Mapping[str, str] = MappingProxyType({}),
    last_byte_at: datetime | None = None,
    connection: http.client.HTTPConnection | None = None,
) -> tuple[int, str, str]:
    """Status, where the receipt is, and what the page says; the last byte can be held back for a while."""
    boundary = secrets.token_hex(16)
    head = (
        f"--{boundary}\r\nContent-Disposition: form-data; name=csrfmiddlewaretoken\r\n\r\n{TOKEN}\r\n"
        f"--{boundary}\r\nContent-Disposition: form-data; name=archive; filename=run.zip\r\n"
        "Content-Type: application/zip\r\n\r\n"
    )
    body = head.encode() + archive + f"\r\n--{boundary}--\r\n".encode()
    connection = connection or http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)

    def pieces() -> Iterator[bytes]:
        yield body[:-1]
        if last_byte_at is not None:
            time.sleep(max(0.0, (last_byte_at - datetime.now(UTC)).total_seconds()))
        yield body[-1:]

    try:
        connection.request(
            "POST",
            f"/tasks/{slug}/upload/",
            pieces(),
            {
                "Content-Length": str(len(body)),
                "Content-Type": f"multipart/form-data; boundary={boundary}",
                "Cookie": f"sessionid={session}; csrftoken={TOKEN}",
                "Host": "localhost",
                **headers,
            },
        )
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        return answer.status, answer.headers.get("Location", ""), text
    finally:
        connection.close()


def upload_until_received(
    url: str, session: str, name: str, archive: bytes, answers: Answers, *, until: float
) -> None:
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            status, location, text = upload(url, session, archive)
        except OSError as error:
            status, location, text = 0, "", repr(error)
        with answers.lock:
            if status == 302 and "/runs/" in location:
                answers.receipts[name] = location.strip("/").rsplit("/", 1)[-1]
                answers.latencies.append(time.monotonic() - began)
                return
            answers.refusals.append(f"{status}")
            answers.bodies.append(text)
        time.sleep(1)
