"""The header Upload-Checksum: `sha256 base64digest`, of the body of one request.

In: its text, then the chunks of the body. Out: whether they agree. A body whose checksum is wrong is dropped
as a whole, so that none of it may be recorded before its end.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac

from sharedtask.core.errors import Refusal

ALGORITHMS = ("sha256", "sha1")


class Checksum:
    def __init__(self, algorithm: str, digest: bytes) -> None:
        self._expected = digest
        # SHA-1 detects damage on the way as well as any other; nothing here depends on it for security.
        self._hash = hashlib.new(algorithm, usedforsecurity=False)

    def update(self, chunk: bytes) -> None:
        self._hash.update(chunk)

    @property
    def agrees(self) -> bool:
        return hmac.compare_digest(self._hash.digest(), self._expected)


def parse_checksum(header: str) -> Checksum | None:
    if not header:
        return None
    algorithm, _, encoded = header.strip().partition(" ")
    if algorithm not in ALGORITHMS:
        raise Refusal(
            "upload-checksum-unsupported",
            f"Upload-Checksum has to use one of: {', '.join(ALGORITHMS)}.",
            found=algorithm,
            expected=", ".join(ALGORITHMS),
        )
    try:
        return Checksum(algorithm, base64.b64decode(encoded, validate=True))
    except binascii.Error as error:
        raise Refusal(
            "upload-checksum-unsupported", "The value of Upload-Checksum is not in base64."
        ) from error
