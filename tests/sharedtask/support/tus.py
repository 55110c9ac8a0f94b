"""A client of the upload protocol for tests that look at single requests, over Django's test client."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

from django.test import Client

OCTETS = "application/offset+octet-stream"
VERSION = {"Tus-Resumable": "1.0.0"}
RUN = {"purpose": "run", "task": "tiny", "filename": "run.zip"}


def metadata(values: Mapping[str, str]) -> str:
    return ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in values.items())


def checksum(body: bytes, algorithm: str = "sha256") -> str:
    return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, body).digest()).decode()}"


class Tus:
    def __init__(self, client: Client) -> None:
        self.client = client

    def send(self, method: str, path: str, body: bytes = b"", **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        kind = OCTETS if body or method == "PATCH" else ""
        return self.client.generic(method, path, body, kind, headers=VERSION | named)

    def create(self, length: int, body: bytes = b"", **fields: str) -> Any:
        headers = {"Upload_Length": str(length), "Upload_Metadata": metadata(RUN | fields)}
        return self.send("POST", "/uploads/", body, **headers)

    def begin(self, length: int, **fields: str) -> str:
        """The address of a new upload."""
        response = self.create(length, **fields)
        assert response.status_code == 201, response.content
        address: str = response["Location"]
        return address

    def patch(self, address: str, offset: int, body: bytes, **headers: str) -> Any:
        return self.send("PATCH", address, body, Upload_Offset=str(offset), **headers)

    def offset(self, address: str) -> int:
        response = self.send("HEAD", address)
        assert response.status_code == 200
        return int(response["Upload-Offset"])
