"""What resumable uploads are for. A higher package registers each purpose with `register` when it is loaded.

A client names the purpose in the metadata of its upload. The purpose decides who may upload, before a byte is
accepted and again whenever an upload is resumed, and takes over what was received.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from django.http import HttpRequest

from sharedtask.core.errors import Refusal
from sharedtask.uploads.models import ResumableUpload

LIFETIME = timedelta(hours=24)


@dataclass(frozen=True, kw_only=True)
class PurposeLimits:
    upload_bytes: int
    """Size of one upload."""
    open_uploads: int
    """Number of a person's unfinished uploads for this purpose."""
    open_bytes: int
    """Their announced sizes in total."""
    lifetime: timedelta = LIFETIME
    """How long an unfinished upload is stored after its last bytes have arrived."""


class Purpose(ABC):
    name: ClassVar[str]

    @property
    @abstractmethod
    def limits(self) -> PurposeLimits: ...

    @abstractmethod
    def authorise(self, request: HttpRequest, metadata: Mapping[str, str]) -> None:
        """Raises a `Refusal` unless `request.user` may upload this now."""

    @abstractmethod
    def complete(self, upload: ResumableUpload) -> str:
        """Take over a received upload and return the address of its receipt, or raise a `Refusal`.

        It may be called again for the same upload, if a process died in between, and then has to return the
        same address. There is no request. The time that counts is `upload.received_at`.
        """


_purposes: dict[str, Purpose] = {}


def register(purpose: Purpose) -> None:
    _purposes[purpose.name] = purpose


def purpose_named(name: str) -> Purpose:
    try:
        return _purposes[name]
    except KeyError:
        names = ", ".join(sorted(_purposes))
        raise Refusal(
            "upload-purpose-unknown",
            f"Upload-Metadata has to name the purpose of the upload, which is one of: {names}.",
            found=name,
            expected=names,
        ) from None


def largest_upload() -> int:
    """In bytes, over all purposes."""
    return max((purpose.limits.upload_bytes for purpose in _purposes.values()), default=0)
