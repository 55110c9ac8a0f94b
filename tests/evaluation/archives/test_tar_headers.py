"""Reading tar headers and compressed streams takes little memory and time, whatever they declare."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.archives import decompress, tar_headers
from evaluation.archives.unpack import unpack
from sharedtask.core.errors import Refusal
from tests.sharedtask.support.archives import CODES, LIMITS, refusal, unpacked
from tests.sharedtask.support.building import FIRST, SECOND, tar_of
from tests.sharedtask.support.raw_archives import (
    packed_tar,
    pax_record,
    tar_entry,
    tar_extension,
    tar_of_size,
    with_checksum,
)

CONTENT = FIRST.encode()
FILES: dict[str, str | bytes] = {"de_one.conllu": FIRST, "en_two.conllu": SECOND}


def records(size: int) -> bytes:
    """As many different PAX records as fit."""
    return b"".join(pax_record(b"%06x" % number, b"") for number in range(size // 11))


def clutter(count: int) -> Iterator[bytes]:
    for number in range(count):
        yield tar_entry(f"{number}/.DS_Store")


EXTENSIONS = [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK]


@pytest.mark.parametrize("kind", EXTENSIONS)
def test_an_extended_header_of_the_limit_passes_and_one_byte_more_is_refused(
    tmp_path: Path, kind: bytes
) -> None:
    def archive(size: int) -> bytes:
        comment = pax_record(b"comment", b"c" * (size - 14))
        content = (
            comment if kind in (tarfile.XHDTYPE, tarfile.XGLTYPE) else b"de_one.conllu".ljust(size, b"\0")
        )
        assert len(content) == size
        return packed_tar([tar_extension(kind, content), tar_entry("de_one.conllu", CONTENT)])

    assert unpacked(tmp_path, archive(tar_headers.EXTENDED_HEADER_BYTES)) == {"de_one": FIRST}
    (tmp_path / "second").mkdir()
    error = refusal(tmp_path / "second", archive(tar_headers.EXTENDED_HEADER_BYTES + 1))
    assert (error.id, "header of one of its entries is too long" in error.message) == (
        "archive-damaged",
        True,
    )


SWOLLEN = {
    # Small entries before it must not make room for a large header.
    "after-many-entries": [*clutter(18), tar_extension(tarfile.XHDTYPE, records(500_000))],
    # A folder has no content, and its declared size must not make room for a header.
    "after-a-folder-with-a-size": [
        tar_entry("folder", kind=tarfile.DIRTYPE, size=900_000),
        tar_extension(tarfile.XHDTYPE, records(800_000)),
    ],
    "after-a-size-of-pax": [
        tar_extension(tarfile.XHDTYPE, pax_record(b"GNU.sparse.realsize", b"900000")),
        tar_entry(".DS_Store"),
        tar_extension(tarfile.XHDTYPE, records(800_000)),
    ],
    "in-many-pieces": [tar_extension(tarfile.XHDTYPE, records(8_000)) for _ in range(100)],
    "with-every-entry": [
        piece
        for number in range(19)
        for piece in (tar_extension(tarfile.XGLTYPE, records(8_000)), tar_entry(f"{number}/.DS_Store"))
    ],
}


@pytest.mark.parametrize("pieces", SWOLLEN.values(), ids=SWOLLEN)
def test_growing_headers_are_refused_in_little_memory(tmp_path: Path, pieces: list[bytes]) -> None:
    archive = packed_tar([*pieces, tar_entry("de_one.conllu", CONTENT)])
    tracemalloc.start()
    try:
        assert refusal(tmp_path, archive).id == "archive-damaged"
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("digits", [299, 300])
def test_a_number_of_hundreds_of_digits_is_refused(tmp_path: Path, digits: int) -> None:
    """The library would scan it from each digit to its end."""
    header = tar_extension(tarfile.XHDTYPE, pax_record(b"comment", b"1" * digits))
    archive = packed_tar([header, tar_entry("de_one.conllu", CONTENT)])
    if digits < 300:
        assert unpacked(tmp_path, archive) == {"de_one": FIRST}
    else:
        assert refusal(tmp_path, archive).id == "archive-damaged"


def test_a_file_may_consist_of_digits(tmp_path: Path) -> None:
    assert unpacked(tmp_path, tar_of({"de_one.conllu": "1" * 5000})) == {"de_one": "1" * 5000}


def test_global_headers_do_not_accumulate(tmp_path: Path) -> None:
    header = tar_extension(tarfile.XGLTYPE, pax_record(b"comment", b"made by git"))
    archive = packed_tar([header, tar_entry("de_one.conllu", CONTENT), header, tar_entry(".DS_Store")])
    assert unpacked(tmp_path, archive) == {"de_one": FIRST}


@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.DIRTYPE])
def test_a_negative_size_does_not_make_room_for_other_files(tmp_path: Path, kind: bytes) -> None:
    header = tar_of_size(-(2**70))
    header = with_checksum(header[:156] + kind + header[157:])
    assert (
        refusal(tmp_path, packed_tar([header, tar_entry("de_one.conllu", CONTENT)])).id == "archive-damaged"
    )


def test_content_that_no_size_declares_is_not_skipped_for_ever(tmp_path: Path) -> None:
    """The plain header has the stored size, by which the library skips; PAX declares a small one."""
    small = tar_extension(tarfile.XHDTYPE, pax_record(b"GNU.sparse.realsize", b"5"))
    archive = packed_tar([small, tar_entry(".DS_Store", size=2**33 - 1), bytes(3_000_000)])
    assert refusal(tmp_path, archive).id == "archive-damaged"


@pytest.mark.parametrize("blocking", [20, 2048])
def test_the_zeros_that_fill_the_last_record_do_no_harm(tmp_path: Path, blocking: int) -> None:
    plain = gzip.decompress(tar_of(FILES))
    size = -(-len(plain) // (512 * blocking)) * 512 * blocking
    assert unpacked(tmp_path, gzip.compress(plain.ljust(size, b"\0"), 1)) == {
        "de_one": FIRST,
        "en_two": SECOND,
    }


def test_rubbish_after_the_end_is_not_read_for_ever(tmp_path: Path) -> None:
    archive = gzip.compress(gzip.decompress(tar_of(FILES)) + bytes(3_000_000), 1)
    assert refusal(tmp_path, archive).id == "archive-damaged"


class CountingFile(io.BytesIO):
    reads = 0

    def read(self, size: int | None = -1) -> bytes:
        self.reads += 1
        return super().read(size)


def test_the_name_in_a_gzip_header_is_not_read_byte_by_byte() -> None:
    named = CountingFile(b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * 1_000_000)
    with pytest.raises(EOFError):
        decompress.gzip_reader(named).read(100)
    assert named.reads < 100


@pytest.mark.parametrize(("pack", "reader"), [("gz", "gzip_reader"), ("xz", "xz_reader")])
def test_streams_one_after_the_other_are_one_file_up_to_a_limit(
    pack: str, reader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compress = gzip.compress if pack == "gz" else lzma.compress
    monkeypatch.setattr(decompress, "MAX_STREAMS", 5)
    content = b"".join(compress(b"%d" % number) + bytes(4 * number) for number in range(5))

    def read(packed: bytes) -> bytes:
        stream = getattr(decompress, reader)(io.BytesIO(packed))
        return b"".join(iter(lambda: stream.read(3), b""))

    assert read(content + bytes(100_000)) == b"01234"
    with pytest.raises(Exception, match="too many separately compressed streams"):
        read(content + compress(b""))


@pytest.mark.parametrize("pack", ["gz", "xz"])
@pytest.mark.parametrize("missing", [1, 5, 9, 13])
def test_a_stream_that_is_cut_off_is_damaged_wherever_it_ends(
    tmp_path: Path, pack: str, missing: int
) -> None:
    error = refusal(tmp_path, tar_of(FILES, pack)[:-missing])
    assert (error.id, "it ends too early" in error.message) == ("archive-damaged", True)


@pytest.mark.parametrize("size", [1, 7, 10_240, 65_536, 10_000_000])
def test_the_same_bytes_come_out_in_pieces_of_every_size(size: int) -> None:
    plain = bytes(range(256)) * 3000 + bytes(2_000_000) if size > 7 else CONTENT * 20
    for packed, reader in (
        (gzip.compress(plain), decompress.gzip_reader),
        (lzma.compress(plain), decompress.xz_reader),
    ):
        stream = reader(io.BytesIO(packed))
        pieces = list(iter(lambda stream=stream: stream.read(size), b""))  # type: ignore[misc]
        assert b"".join(pieces) == plain
        assert max(map(len, pieces)) <= size


def test_an_xz_header_that_asks_for_gigabytes_is_refused(tmp_path: Path) -> None:
    plain = gzip.decompress(tar_of(FILES))
    (tmp_path / "archive").write_bytes(with_dictionary_of_gigabytes(lzma.compress(plain, preset=0)))
    with pytest.raises(Refusal, match="Memory usage limit"):
        unpack(archive=tmp_path / "archive", folder=tmp_path, codes=CODES, limits=LIMITS)


def with_dictionary_of_gigabytes(packed: bytes) -> bytes:
    """The block header of an xz file, which follows 12 bytes of stream header, with another dictionary."""
    size = (packed[12] + 1) * 4
    header = bytearray(packed[12 : 12 + size - 4])
    place = header.index(b"\x21\x01") + 2
    header[place] = 40
    checksum = zlib.crc32(bytes(header)).to_bytes(4, "little")
    return packed[:12] + bytes(header) + checksum + packed[12 + size :]
