"""What resumable uploads are for. Purposes are classes of higher packages, which `UPLOAD_PURPOSES` lists.

A client names the purpose in the metadata of its upload. The purpose decides who may upload, before a byte is
accepted and again whenever an upload is resumed, and takes over what was received.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from typing import ClassVar

from django.conf import settings
from django.http import HttpRequest
from django.utils.module_loading import import_string

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


@cache
def purposes() -> dict[str, Purpose]:
    """All of them, by name."""
    instances: list[Purpose] = [import_string(path)() for path in settings.UPLOAD_PURPOSES]
    return {purpose.name: purpose for purpose in instances}


def purpose_named(name: str) -> Purpose:
    try:
        return purposes()[name]
    except KeyError:
        names = ", ".join(sorted(purposes()))
        raise Refusal(
            "upload-purpose-unknown",
            f"Upload-Metadata has to name the purpose of the upload, which is one of: {names}.",
            found=name,
            expected=names,
        ) from None


def largest_upload() -> int:
    """In bytes, over all purposes."""
    return max(purpose.limits.upload_bytes for purpose in purposes().values())
