"""Append: the bytes of one request become parts of an upload.

In: an upload, the offset at which the client continues, and chunks. Out: the upload with its new offset.
The chunks are collected in segments, each of which is first made durable in storage and then recorded; only
what is recorded is acknowledged. So a process may die at any time: what it had not recorded is received
again.

There are no locks. A request writes its token into the row and may record segments only as long as it is
there. A client that has lost its connection therefore replaces its own previous request, which may still wait
for bytes: the latest request wins, and others end with `Superseded`. Each request has files of its own.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from sharedtask.core import clock, storage
from sharedtask.core.storage import Incoming
from sharedtask.uploads.body import Interrupted
from sharedtask.uploads.checksum import Checksum
from sharedtask.uploads.models import Part, ResumableUpload
from sharedtask.uploads.purposes import purpose_named

SEGMENT_BYTES = 8 * 1024 * 1024
SEGMENT_SECONDS = 10.0
"""A segment ends after either, so that little is lost on slow connections too."""
MAX_PARTS = 10_000


class Superseded(Exception):
    """The offset is not the current one, or a later request has taken over."""


class TooLong(Exception):
    """The body goes beyond the announced length of the upload."""


class WrongChecksum(Exception):
    """The body does not have the checksum that the client sent."""


class TooManyParts(Exception):
    """The client sends an unreasonable number of tiny requests."""


def append(
    upload: ResumableUpload, offset: int, chunks: Iterable[bytes], *, checksum: Checksum | None = None
) -> None:
    """What arrived before an interruption is recorded as well, unless its checksum is unknown."""
    receiver = Receiver(upload, take_over(upload, offset), offset, holds_back=checksum is not None)
    try:
        try:
            for chunk in chunks:
                if checksum is not None:
                    checksum.update(chunk)
                receiver.write(chunk)
        except Interrupted:
            if checksum is None:
                receiver.close()
            raise
        if checksum is not None and not checksum.agrees:
            raise WrongChecksum
        receiver.close()
    finally:
        receiver.discard()
    upload.refresh_from_db()


def take_over(upload: ResumableUpload, offset: int) -> str:
    """Become the only request that may append; returns its token."""
    if upload.parts.count() >= MAX_PARTS:
        raise TooManyParts
    token = secrets.token_hex(8)
    rows = ResumableUpload.objects.filter(pk=upload.pk, offset=offset, state=upload.State.RECEIVING)
    if not rows.update(writer=token):
        raise Superseded
    return token


class Receiver:
    """Writes segments. With `holds_back`, it records them all at the end instead of one by one."""

    def __init__(self, upload: ResumableUpload, token: str, offset: int, *, holds_back: bool) -> None:
        self.upload = upload
        self.token = token
        self.lifetime = purpose_named(upload.purpose).limits.lifetime
        self.holds_back = holds_back
        self.offset = offset
        """Where the next byte belongs."""
        self.recorded = offset
        self.received_at: datetime | None = None
        self._segment: Incoming | None = None
        self._began = 0.0
        self._unrecorded: list[Part] = []

    def write(self, chunk: bytes) -> None:
        if self.offset + len(chunk) > self.upload.length:
            raise TooLong
        if self._segment is None:
            self._segment, self._began = Incoming(), time.monotonic()
        self._segment.write(chunk)
        self.offset += len(chunk)
        if self.offset == self.upload.length:
            # Before anything is stored: how long that takes must not make an upload late.
            self.received_at = clock.database_now()
        if (
            self._segment.size >= SEGMENT_BYTES
            or self.received_at
            or time.monotonic() - self._began > SEGMENT_SECONDS
        ):
            self.store()

    def store(self) -> None:
        """Make the segment durable."""
        segment = self._segment
        if segment is None:
            return
        begin = self.offset - segment.size
        part = Part(
            upload=self.upload,
            begin=begin,
            size_bytes=segment.size,
            stored=f"{self.upload.folder}/{begin:015d}-{self.token}",
        )
        self._unrecorded.append(part)
        segment.commit(part.stored)
        self._segment = None
        if not self.holds_back:
            self.record()

    def record(self) -> None:
        """Acknowledge what is stored, unless another request has taken over."""
        # From here on they may have been recorded, even if the database answers with an error. Then they are
        # removed only together with their upload.
        parts, self._unrecorded = self._unrecorded, []
        if not parts:
            return
        values = {"offset": self.offset, "expires_at": clock.database_now() + self.lifetime}
        if self.received_at is not None:
            values |= {"received_at": self.received_at, "state": ResumableUpload.State.RECEIVED}
        with transaction.atomic():
            rows = ResumableUpload.objects.filter(
                pk=self.upload.pk, writer=self.token, offset=self.recorded, state=self.upload.State.RECEIVING
            )
            if not rows.update(**values):
                self._unrecorded = parts
                raise Superseded
            Part.objects.bulk_create(parts)
        self.recorded = self.offset

    def close(self) -> None:
        self.store()
        self.record()

    def discard(self) -> None:
        """Remove what was not recorded. No effect after `close`."""
        if self._segment is not None:
            self._segment.discard()
        for part in self._unrecorded:
            storage.remove(part.stored)
