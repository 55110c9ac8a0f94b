"""Resumable uploads by tus 1.0 (docs/uploads.md): send a file, and continue after an interruption.

In: a file, the metadata, and the address of the upload if it was begun before. Out: the receipt, the path of
what has become of the upload. The package tuspy is not used: it brings seven others.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urljoin

from .connection import Connection
from .errors import ClientError, Refused, SiteUnavailable

UPLOADS = "/uploads/"
VERSION = {"Tus-Resumable": "1.0.0"}
CHUNK = 64 * 1024
ATTEMPTS = 8
"""Without progress in between; the pauses double, which gives a restarting server two minutes."""

Progress = Callable[[int, int], None]


def create(connection: Connection, path: Path, metadata: Mapping[str, str], *, key: str) -> str:
    """Returns the address of the new, empty upload."""
    encoded = ",".join(
        f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in metadata.items() if value
    )
    size = str(path.stat().st_size)
    headers = {**VERSION, "Upload-Length": size, "Upload-Metadata": encoded, "Idempotency-Key": key}
    response = connection.request("POST", UPLOADS, headers=headers, body=b"")
    return urljoin(connection.site.url + "/", str(response.headers["Location"]))


def send(connection: Connection, upload: str, path: Path, progress: Progress) -> str:
    """Returns the receipt. An interruption is overcome as long as every few attempts send something."""
    size = path.stat().st_size
    last, failures = -1, 0
    while True:
        try:
            offset, receipt = where(connection, upload)
            progress(offset, size)
            if not receipt and offset < size:
                receipt = continue_at(connection, upload, path, offset, progress)
            if receipt:
                return receipt
            error: ClientError = SiteUnavailable("upload-unfinished", "The site has not finished the upload.")
        except ClientError as problem:
            if not can_be_resumed(problem):
                raise
            offset, error = last, problem
        last, failures = (offset, 0) if offset > last else (last, failures + 1)
        if failures >= ATTEMPTS:
            raise error
        time.sleep(min(0.25 * 2**failures, 30))


def can_be_resumed(error: ClientError) -> bool:
    """Broken connections, a server that is away or full, and another request that has taken over."""
    return isinstance(error, SiteUnavailable) or error.status == 409


def where(connection: Connection, upload: str) -> tuple[int, str]:
    """By GET, which also gives the reason if the upload was refused; HEAD has no body."""
    state = connection.request("GET", upload, headers=VERSION, repeat=True).json()
    if state["refusal"]:
        raise Refused(state["refusal"]["id"], state["refusal"]["message"], status=403)
    return int(state["offset"]), state["receipt"] or ""


def continue_at(connection: Connection, upload: str, path: Path, offset: int, progress: Progress) -> str:
    size = path.stat().st_size
    headers = {
        **VERSION,
        "Upload-Offset": str(offset),
        "Content-Type": "application/offset+octet-stream",
        "Content-Length": str(size - offset),
    }
    body = chunks_from(path, offset, lambda sent: progress(sent, size))
    response = connection.request("PATCH", upload, headers=headers, body=body)
    return response.headers.get("Upload-Receipt") or ""


def chunks_from(path: Path, offset: int, sent: Callable[[int], None]) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(offset)
        while chunk := file.read(CHUNK):
            yield chunk
            offset += len(chunk)
            sent(offset)
