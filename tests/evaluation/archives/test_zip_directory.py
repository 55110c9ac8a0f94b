"""The directory of a zip is measured before the library reads it, wherever the archive claims it is."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sharedtask.support.archives import LIMITS, refusal, unpacked
from tests.sharedtask.support.building import FIRST, zip_of
from tests.sharedtask.support.raw_archives import directory_entry, local_header, zip64_end, zip_end

DIRECTORY_LIMIT = LIMITS.members * 1024
CONTENT = FIRST.encode()
LOCAL = local_header(b"de_one.conllu", CONTENT)
LONGEST_TAIL = 65_536
"""Bytes after the end record within which the library still finds it: one more than a comment can have."""


def directory_of_size(size: int) -> bytes:
    """A readable entry, and a skipped one whose comment takes the rest."""
    entry = directory_entry(b"de_one.conllu", CONTENT)
    clutter = directory_entry(b".DS_Store")
    spare = size - len(entry) - len(clutter)
    assert 0 <= spare < 65_536
    return entry + directory_entry(b".DS_Store", comment=b"c" * spare)


def archive_with(
    directory: bytes, *, zip64: bool = False, tail: bytes = b"", prepended: bytes = b""
) -> bytes:
    place = {"entries": 2, "directory_bytes": len(directory), "offset": len(LOCAL)}
    # Where zip64 is used, the figures of the plain record do not count.
    ends = (
        [zip64_end(**place), zip_end(entries=1, directory_bytes=0, offset=0)] if zip64 else [zip_end(**place)]
    )
    return b"".join([prepended, LOCAL, directory, *ends, tail])


@pytest.mark.parametrize("zip64", [False, True], ids=["zip", "zip64"])
@pytest.mark.parametrize("tail", [0, 1, 65_535, LONGEST_TAIL])
def test_a_directory_of_exactly_the_limit_passes(tmp_path: Path, tail: int, zip64: bool) -> None:
    archive = archive_with(directory_of_size(DIRECTORY_LIMIT), zip64=zip64, tail=b"t" * tail)
    assert unpacked(tmp_path, archive) == {"de_one": FIRST}


@pytest.mark.parametrize("zip64", [False, True], ids=["zip", "zip64"])
@pytest.mark.parametrize("tail", [0, 1, 65_535, LONGEST_TAIL])
def test_a_directory_of_one_byte_more_is_refused_before_it_is_read(
    tmp_path: Path, tail: int, zip64: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", lambda archive: pytest.fail("it was read"))
    archive = archive_with(directory_of_size(DIRECTORY_LIMIT + 1), zip64=zip64, tail=b"t" * tail)
    assert refusal(tmp_path, archive).id == "archive-too-many-members"


def test_data_before_the_archive_do_not_hide_its_directory(tmp_path: Path) -> None:
    prepended = local_header(b"stub", b"not part of the archive")
    good = archive_with(directory_of_size(DIRECTORY_LIMIT), prepended=prepended)
    assert unpacked(tmp_path, good) == {"de_one": FIRST}
    bad = archive_with(directory_of_size(DIRECTORY_LIMIT + 1), prepended=prepended)
    (tmp_path / "second").mkdir()
    assert refusal(tmp_path / "second", bad).id == "archive-too-many-members"


def test_the_last_of_several_end_records_counts_as_it_does_for_the_library(tmp_path: Path) -> None:
    huge = directory_of_size(DIRECTORY_LIMIT + 1)
    harmless = zip_end(entries=0, directory_bytes=0, offset=0)
    # The library uses the last record, even inside the comment of the previous one.
    hidden = LOCAL + huge + harmless + zip_end(entries=2, directory_bytes=len(huge), offset=len(LOCAL)) + b"t"
    assert refusal(tmp_path, hidden).id == "archive-too-many-members"


def test_a_record_that_only_looks_like_zip64_is_measured_as_the_library_does(tmp_path: Path) -> None:
    """A locator without its record before it is ignored, and the plain record counts."""
    directory = directory_of_size(DIRECTORY_LIMIT + 1)
    locator = zip64_end(entries=0, directory_bytes=0, offset=0)[56:]
    end = zip_end(entries=2, directory_bytes=len(directory) + len(locator), offset=len(LOCAL))
    assert refusal(tmp_path, LOCAL + directory + locator + end).id == "archive-too-many-members"


def test_a_record_of_zip64_is_measured_wherever_its_locator_points(tmp_path: Path) -> None:
    """Later versions of the library follow the locator; this one uses the record before it."""
    directory = directory_of_size(DIRECTORY_LIMIT + 1)
    elsewhere = zip64_end(entries=2, directory_bytes=len(directory), offset=len(LOCAL))[:56]
    small = zip64_end(entries=0, directory_bytes=0, offset=len(LOCAL) + len(directory))
    end = zip_end(entries=0xFFFF, directory_bytes=0xFFFFFFFF, offset=0xFFFFFFFF)
    assert refusal(tmp_path, LOCAL + directory + elsewhere + small + end).id == "archive-too-many-members"


def test_a_small_zip64_archive_is_read(tmp_path: Path) -> None:
    """Some programs always write it, whatever the size."""
    directory = directory_entry(b"de_one.conllu", CONTENT) + directory_entry(b".DS_Store")
    assert unpacked(tmp_path, archive_with(directory, zip64=True)) == {"de_one": FIRST}


@pytest.mark.parametrize(
    "end",
    [
        zip_end(entries=2, directory_bytes=2**32 - 1, offset=0),
        zip_end(entries=60_000, directory_bytes=100, offset=0),
        zip64_end(entries=2, directory_bytes=2**63, offset=0)
        + zip_end(entries=2, directory_bytes=0, offset=0),
        zip64_end(entries=2**63, directory_bytes=100, offset=0)
        + zip_end(entries=2, directory_bytes=0, offset=0),
    ],
    ids=["larger-than-the-file", "more-entries-than-bytes", "zip64-larger", "zip64-more-entries"],
)
def test_a_directory_that_cannot_be_what_it_says_is_damaged(tmp_path: Path, end: bytes) -> None:
    archive = LOCAL + directory_entry(b"de_one.conllu", CONTENT, comment=b"c" * 100) + end
    assert refusal(tmp_path, archive).id == "archive-damaged"


def test_the_library_cannot_read_more_than_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of the library may look for the directory elsewhere, but gets no more bytes."""
    limits = replace(LIMITS, members=100)
    asked: list[int] = []

    def read_elsewhere(archive: zipfile.ZipFile) -> None:
        assert archive.fp is not None
        asked.append(len(archive.fp.read(limits.members * 1024)))
        archive.fp.read(limits.members * 1024 + 1)
        pytest.fail("more than the limit was read at once")

    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", read_elsewhere)
    archive = zip_of({"de_one.conllu": FIRST}) + b"t" * 50_000
    assert refusal(tmp_path, archive, limits).id == "archive-damaged"
    assert asked


def test_many_entries_cost_no_memory_when_the_declared_number_lies(tmp_path: Path) -> None:
    """The library trusts the size of the directory, not the number of entries, and so do we."""
    directory = directory_entry(b"x") * 3000
    end = zip_end(entries=1, directory_bytes=len(directory), offset=len(LOCAL))
    assert refusal(tmp_path, LOCAL + directory + end).id == "archive-too-many-members"


def test_entries_are_counted_when_their_directory_is_small(tmp_path: Path) -> None:
    archive = zip_of({f"{number}": b"" for number in range(LIMITS.members + 1)})
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert len(opened.infolist()) == LIMITS.members + 1
    assert refusal(tmp_path, archive).id == "archive-too-many-members"
