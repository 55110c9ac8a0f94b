"""Corrupted archives: a part of `make fuzz` (`tests/fuzz.py`).

Each case draws an archive (`draw_archives.py`). It ends in files within the limits or in a refusal that tells
the team what is wrong, and in nothing else; an archive that costs more memory than it may fails its case.
"""

from __future__ import annotations

import random
import tempfile
import zipfile
from pathlib import Path

from evaluation.archives import decompress
from evaluation.archives.source import Source
from evaluation.archives.unpack import unpack
from evaluation.archives.zip_directory import TAIL_BYTES, find_directory
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import UploadLimits
from tests.machinery.fuzzing import MEBIBYTE, Part
from tests.sharedtask.support.draw_archives import draw_archive

MEMORY_BYTES = 48 * MEBIBYTE
XZ_MEMORY_BYTES = 8 * MEBIBYTE
"""For the dictionary of xz. The site allows more for it than everything else takes together."""
CODES = frozenset({"de_one", "en_two"})
LIMITS = UploadLimits(
    archive_bytes=10_000_000,
    members=20,
    member_bytes=1_000_000,
    total_bytes=3_000_000,
    ratio=100,
    uploads_per_day=1,
)
REFUSALS = frozenset(
    {
        "archive-damaged",
        "archive-empty",
        "archive-encrypted",
        "archive-format-unknown",
        "not-a-tar-archive",
        "archive-ratio",
        "archive-too-large-unpacked",
        "archive-too-many-members",
        "member-name-escapes",
        "member-not-a-file",
        "member-too-large",
        "duplicate-test-set",
        "unknown-test-set",
        "zip-method-unknown",
    }
)


def check_case(number: int) -> str:
    """Draw the archive of this number and unpack it into an empty folder. Out: what became of it."""
    with tempfile.TemporaryDirectory(prefix="fuzz-archives-") as name:
        path, folder = Path(name) / "archive", Path(name) / "folder"
        path.write_bytes(draw_archive(random.Random(number)))
        folder.mkdir()
        check_measure(path)
        return check_archive(path, folder)


def check_archive(path: Path, folder: Path) -> str:
    try:
        files = unpack(archive=path, folder=folder, codes=CODES, limits=LIMITS)
    except Refusal as refusal:
        assert refusal.id in REFUSALS, refusal.id
        assert refusal.message and "\n" not in refusal.message
        outcome = refusal.id
    else:
        assert {file.code: file.size_bytes for file in files} == sizes_in(folder)
        outcome = "accepted"
    sizes = sizes_in(folder).values()
    assert all(size <= LIMITS.member_bytes for size in sizes) and sum(sizes) <= LIMITS.total_bytes
    return outcome


def sizes_in(folder: Path) -> dict[str, int]:
    return {path.stem: path.stat().st_size for path in folder.iterdir()}


def check_measure(path: Path) -> None:
    """The zip directory that the library will read is not larger than the one that we measure."""
    with path.open("rb") as file:
        source = Source(file, max_read=TAIL_BYTES)
        measured = find_directory(source)
        try:
            record = zipfile._EndRecData(source)  # type: ignore[attr-defined]
        except (zipfile.BadZipFile, OSError):
            return
    assert (measured is None) == (record is None)
    if measured is not None:
        assert measured.entries >= record[4] and measured.size_bytes >= record[5]


def limit_xz_memory() -> None:
    decompress.XZ_MEMORY_BYTES = XZ_MEMORY_BYTES


PART = Part(name="archives", check=check_case, memory_bytes=MEMORY_BYTES, prepare=limit_xz_memory)
