"""Archives as teams upload them, and what unpacking makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from evaluation.archives.unpack import unpack
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import UploadLimits

CODES = {"de_one", "en_two"}
LIMITS = UploadLimits(
    archive_bytes=10_000_000,
    members=20,
    member_bytes=1_000_000,
    total_bytes=3_000_000,
    ratio=100,
    uploads_per_day=1,
)


def unpacked(tmp_path: Path, archive: bytes, limits: UploadLimits = LIMITS) -> dict[str, str]:
    (tmp_path / "archive").write_bytes(archive)
    folder = tmp_path / "folder"
    folder.mkdir()
    files = unpack(archive=tmp_path / "archive", folder=folder, codes=CODES, limits=limits)
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{file.code}.conllu" for file in files)
    return {file.code: (folder / f"{file.code}.conllu").read_text(encoding="utf-8") for file in files}


def refusal(tmp_path: Path, archive: bytes, limits: UploadLimits = LIMITS) -> Refusal:
    with pytest.raises(Refusal) as caught:
        unpacked(tmp_path, archive, limits)
    assert caught.value.message
    return caught.value


def archive_file(content: bytes, name: str = "run.zip") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, content_type="application/zip")
