"""A broken archive is the team's error; a disk that fails while a good one is read is a server error."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from billiard.exceptions import SoftTimeLimitExceeded

from evaluation.archives.unpack import unpack
from sharedtask.submissions.models import Run
from tests.sharedtask.support.archives import CODES, LIMITS, refusal
from tests.sharedtask.support.building import FIRST, SECOND, tar_of, zip_of
from tests.sharedtask.support.raw_archives import (
    directory_entry,
    local_header,
    packed_tar,
    pax_record,
    tar_entry,
    tar_extension,
    tar_of_size,
    with_checksum,
    zip_end,
)

CONTENT = FIRST.encode()
NAME = "de_one.conllu"
FILES: dict[str, str | bytes] = {"de_one.conllu": FIRST, "en_two.conllu": SECOND}
JARGON = (
    "invalid literal",
    "codec",
    "index",
    "int()",
    "unpack",
    "NoneType",
    "Errno",
    "C ssize_t",
    "0x",
)


def zip_with(entry: bytes, *, name: bytes = NAME.encode(), shift: int = 0) -> bytes:
    local = local_header(name, CONTENT)
    return local + entry + zip_end(entries=1, directory_bytes=len(entry), offset=len(local) + shift)


def pax(*records: bytes, following: bytes = b"", kind: bytes = tarfile.XHDTYPE) -> bytes:
    return packed_tar([tar_extension(kind, b"".join(records)), following or tar_entry(NAME, CONTENT)])


def sparse_1_0(table: bytes) -> bytes:
    records = pax_record(b"GNU.sparse.major", b"1") + pax_record(b"GNU.sparse.minor", b"0")
    return pax(records, following=tar_entry(NAME, table))


def old_sparse_cut_short() -> bytes:
    """A header announces more of its table than the file has."""
    header = bytearray(tar_entry(NAME, kind=tarfile.GNUTYPE_SPARSE))
    header[386:482] = b"00000000000\0" * 8
    header[482] = 1
    return gzip.compress(with_checksum(bytes(header)))


def gzip_broken_early() -> bytes:
    """The first block comes out wrong, and the decompressor only notices at the checksum."""
    packed = bytearray(gzip.compress(b"no tar header" * 90, 0))
    packed[40] ^= 1
    return bytes(packed)


BROKEN = {
    "zip-name-not-utf8": zip_with(directory_entry(b"\xff.conllu", CONTENT, flags=0x800)),
    "zip-local-name-not-utf8": zip_with(directory_entry(NAME.encode(), CONTENT), name=b"de_\xffne.conllu"),
    "zip-name-empty": zip_with(directory_entry(b"", CONTENT)),
    "zip-version-unknown": zip_with(directory_entry(NAME.encode(), CONTENT, version=99)),
    "zip-patched": zip_with(directory_entry(NAME.encode(), CONTENT, flags=0x20)),
    "zip-offset-beyond-the-file": zip_with(directory_entry(NAME.encode(), CONTENT, offset=2**32 - 2)),
    "zip-offset-beyond-all-files": zip_with(
        directory_entry(NAME.encode(), CONTENT, offset=2**32 - 1, extra=b"\1\0\x08\0" + b"\xff" * 8)
    ),
    "zip-offset-before-the-file": zip_with(directory_entry(NAME.encode(), CONTENT), shift=7),
    "pax-sparse-map-no-number": pax(pax_record(b"GNU.sparse.map", b"0,x")),
    "pax-sparse-size-no-number": pax(pax_record(b"GNU.sparse.size", b"large")),
    "pax-sparse-realsize-no-number": pax(pax_record(b"GNU.sparse.realsize", b"")),
    "pax-sparse-table-without-end": sparse_1_0(b"12"),
    "pax-sparse-table-no-number": sparse_1_0(b"two\n1\n2\n"),
    "pax-sparse-table-too-short": sparse_1_0(b"99\n1\n2\n"),
    "pax-length-of-endless-digits": pax(b"9" * 5000 + b" path=x\n"),
    "pax-charset-not-utf8": pax(b"20 hdrcharset=\xff\xff\n"),
    "gnu-sparse-cut-short": old_sparse_cut_short(),
    "tar-negative-size": packed_tar([tar_of_size(-512), tar_entry("en_two.conllu", CONTENT)]),
    "tar-size-beyond-the-file": packed_tar([tar_entry(NAME, CONTENT, size=5000)]),
    "tar-later-header-broken": packed_tar([tar_entry(NAME, CONTENT), b"x" * 512, tar_entry("en_two.conllu")]),
    "tar-cut-off-in-a-header": gzip.compress(tar_entry(NAME, CONTENT) + tar_entry("en_two.conllu")[:300]),
    "pax-broken-header-follows": pax(pax_record(b"path", b"x"), following=b"x" * 512),
    "gzip-second-part-broken": tar_of(FILES) + b"\x1f\x8b\x08rubbish",
    "gzip-broken-early": gzip_broken_early(),
    "gzip-checksum": tar_of(FILES)[:-8] + bytes(8),
    "xz-second-part-broken": tar_of(FILES, "xz") + b"\xfd7zXZ\0rubbish",
}


@pytest.mark.parametrize("archive", BROKEN.values(), ids=BROKEN)
def test_a_broken_archive_is_refused_as_damaged_in_plain_words(tmp_path: Path, archive: bytes) -> None:
    error = refusal(tmp_path, archive)
    assert error.id == "archive-damaged"
    assert error.message.startswith("The archive cannot be read (")
    assert error.message.endswith("Please create it again and upload the new file.")
    assert [word for word in JARGON if word in error.message] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["pax-sparse-map-no-number", "zip-name-empty", "gnu-sparse-cut-short"])
def test_a_broken_archive_is_refused_at_once_and_uses_no_quota(
    kind: str, upload: Callable[..., Run], work: Callable[[], None]
) -> None:
    run = upload(BROKEN[kind])
    work()
    run.refresh_from_db()
    assert (run.state, run.attempts, run.failure) == ("refused", 0, {})
    assert run.refusal["id"] == "archive-damaged"
    assert not run.uses_quota


GOOD = {"zip": zip_of(FILES), "gz": tar_of(FILES, "gz"), "xz": tar_of(FILES, "xz")}


class FailingFile(io.BytesIO):
    """A file on a disk that fails after some reads."""

    def __init__(self, content: bytes, *, good_reads: int) -> None:
        super().__init__(content)
        self.good_reads = good_reads

    def read(self, size: int | None = -1) -> bytes:
        self.good_reads -= 1
        if self.good_reads < 0:
            raise OSError(errno.EIO, "the disk is broken")
        return super().read(size)


@pytest.mark.parametrize("kind", GOOD)
@pytest.mark.parametrize("good_reads", range(8))
def test_a_disk_that_fails_is_never_the_teams_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, good_reads: int
) -> None:
    archive = tmp_path / "archive"
    archive.write_bytes(GOOD[kind])
    failing = FailingFile(GOOD[kind], good_reads=good_reads)
    open_path = Path.open

    def open_failing(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        return failing if path == archive else open_path(path, mode, *arguments, **named)

    monkeypatch.setattr(Path, "open", open_failing)
    try:
        unpack(archive=archive, folder=tmp_path, codes=CODES, limits=LIMITS)
    except OSError as error:
        assert error.errno == errno.EIO
    else:
        assert failing.good_reads >= 0, "the disk failed and nobody noticed"


@pytest.mark.parametrize("kind", GOOD)
def test_a_full_disk_under_the_output_is_never_the_teams_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    (tmp_path / "archive").write_bytes(GOOD[kind])

    def no_space(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("evaluation.archives.unpack.write_member", no_space)
    with pytest.raises(OSError, match="no space left"):
        unpack(archive=tmp_path / "archive", folder=tmp_path, codes=CODES, limits=LIMITS)


@pytest.mark.parametrize("error", [SoftTimeLimitExceeded, MemoryError])
def test_a_worker_that_is_out_of_time_or_memory_is_never_the_teams_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    (tmp_path / "archive").write_bytes(GOOD["gz"])

    def interrupted(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(tarfile.TarFile, "next", interrupted)
    with pytest.raises(error):
        unpack(archive=tmp_path / "archive", folder=tmp_path, codes=CODES, limits=LIMITS)


def test_a_compressed_file_is_distinguished_from_a_tar_that_is_broken_later(tmp_path: Path) -> None:
    assert refusal(tmp_path, gzip.compress(CONTENT * 9)).id == "not-a-tar-archive"
    (tmp_path / "second").mkdir()
    assert refusal(tmp_path / "second", lzma.compress(b"x" * 5000)).id == "not-a-tar-archive"
