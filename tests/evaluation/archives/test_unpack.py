"""Untrusted archives: every bad one is refused with an id and a message, and leaves nothing behind."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sharedtask.support.archives import LIMITS, refusal, unpacked
from tests.sharedtask.support.building import FIRST, SECOND, tar_of, tar_with, zip_of

FILES: dict[str, str | bytes] = {"de_one.conllu": FIRST, "en_two.conllu": SECOND}


@pytest.mark.parametrize("archive", [zip_of(FILES), tar_of(FILES, "gz"), tar_of(FILES, "xz")])
def test_each_kind_of_archive_gives_its_files(tmp_path: Path, archive: bytes) -> None:
    assert unpacked(tmp_path, archive) == {"de_one": FIRST, "en_two": SECOND}


def test_folders_and_the_clutter_of_file_managers_do_no_harm(tmp_path: Path) -> None:
    archive = zip_of(
        {
            "outputs/": b"",
            "outputs/v1/de_one.conllu": FIRST,
            "outputs/.DS_Store": b"\0\0",
            "__MACOSX/outputs/v1/._de_one.conllu": b"\0\5",
            "Thumbs.db": b"x",
        }
    )
    assert unpacked(tmp_path, archive) == {"de_one": FIRST}


def test_backslashes_separate_folders_as_windows_writes_them(tmp_path: Path) -> None:
    assert unpacked(tmp_path, zip_of({"outputs\\de_one.conllu": FIRST})) == {"de_one": FIRST}


def test_an_xz_file_of_several_streams_is_read_to_its_end(tmp_path: Path) -> None:
    plain = lzma.decompress(tar_of(FILES, "xz"))
    archive = lzma.compress(plain[:700]) + b"\0" * 8 + lzma.compress(plain[700:])
    assert unpacked(tmp_path, archive) == {"de_one": FIRST, "en_two": SECOND}


def encrypted_zip() -> bytes:
    """A zip whose entry has the encryption flag in both places."""
    data = bytearray(zip_of({"de_one.conllu": FIRST}))
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def link_in_zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo("de_one.conllu")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return buffer.getvalue()


def link_in_tar(kind: bytes) -> bytes:
    entry = tarfile.TarInfo("de_one.conllu")
    entry.type = kind
    entry.linkname = "/etc/passwd"
    return tar_with(entry)


@pytest.mark.parametrize(
    ("id", "archive"),
    [
        ("archive-format-unknown", b"this is no archive"),
        ("archive-format-unknown", b""),
        ("archive-damaged", zip_of(FILES)[:-40]),
        ("archive-damaged", tar_of(FILES, "gz")[:-40]),
        ("archive-damaged", tar_of(FILES, "xz")[:-40]),
        ("archive-damaged", b"\x1f\x8b\x08\x00" + b"rubbish" * 9),
        ("not-a-tar-archive", gzip.compress(FIRST.encode() * 9)),
        ("not-a-tar-archive", lzma.compress(FIRST.encode() * 9)),
        ("archive-empty", zip_of({})),
        ("archive-empty", tar_of({})),
        ("archive-empty", zip_of({"outputs/": b"", "__MACOSX/x": b"x"})),
        ("archive-encrypted", encrypted_zip()),
        ("zip-method-unknown", zip_of(FILES, compression=zipfile.ZIP_BZIP2)),
        ("member-name-escapes", zip_of({"../de_one.conllu": FIRST})),
        ("member-name-escapes", zip_of({"a/../../de_one.conllu": FIRST})),
        ("member-name-escapes", zip_of({"..\\de_one.conllu": FIRST})),
        ("member-name-escapes", zip_of({"/etc/de_one.conllu": FIRST})),
        ("member-name-escapes", zip_of({"C:\\de_one.conllu": FIRST})),
        ("member-name-escapes", tar_of({"../de_one.conllu": FIRST})),
        ("member-name-escapes", tar_of({"/tmp/de_one.conllu": FIRST})),
        ("member-not-a-file", link_in_zip()),
        ("member-not-a-file", link_in_tar(tarfile.SYMTYPE)),
        ("member-not-a-file", link_in_tar(tarfile.LNKTYPE)),
        ("member-not-a-file", link_in_tar(tarfile.CHRTYPE)),
        ("member-not-a-file", link_in_tar(tarfile.FIFOTYPE)),
        ("unknown-test-set", zip_of({"fr_three.conllu": FIRST})),
        ("unknown-test-set", zip_of({"DE_ONE.conllu": FIRST})),
        ("unknown-test-set", zip_of({"de_one.txt": FIRST})),
        ("unknown-test-set", zip_of({"de_one": FIRST})),
        ("duplicate-test-set", zip_of({"a/de_one.conllu": FIRST, "b/de_one.conllu": FIRST})),
        ("duplicate-test-set", tar_of({"a/de_one.conllu": FIRST, "b/de_one.conllu": FIRST}, "xz")),
    ],
)
def test_a_bad_archive_is_refused(tmp_path: Path, id: str, archive: bytes) -> None:
    assert refusal(tmp_path, archive).id == id


def test_unknown_treebanks_are_reported_together_with_the_known_ones(tmp_path: Path) -> None:
    names = ["fr_three.conllu", "out\\DE-ONE.CONLLU", "en_two.conllu.txt", *(f"x{n}" for n in range(8))]
    error = refusal(tmp_path, zip_of({"en_two.conllu": FIRST} | dict.fromkeys(names, FIRST)))
    assert error.message.startswith("'fr_three.conllu', ")
    assert "DE-ONE.CONLLU' (did you mean de_one.conllu?)" in error.message
    assert "'en_two.conllu.txt' (did you mean en_two.conllu?)" in error.message
    assert "'x6' and 1 more do not belong to this task" in error.message
    assert error.expected == "one of de_one.conllu, en_two.conllu"


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("Judging by its contents, this file is a RAR archive.", b"Rar!\x1a\x07\x01\x00"),
        ("Judging by its contents, this file is a 7z archive.", b"7z\xbc\xaf\x27\x1c\x00\x04"),
        ("Judging by its contents, this file is compressed with bzip2.", bz2.compress(FIRST.encode())),
        ("Judging by its contents, this file is an uncompressed tar archive.", tar_of(FILES, "")),
        ("Judging by its contents, this file is a text file.", FIRST.encode()),
        ("Judging by its contents, this file is not in a known archive format.", b"\xff\xfe\0\0"),
    ],
)
def test_a_file_that_is_not_an_archive_is_described(tmp_path: Path, text: str, content: bytes) -> None:
    error = refusal(tmp_path, content)
    assert (error.id, error.message.startswith(text)) == ("archive-format-unknown", True)


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_more_entries_than_the_limit_are_refused(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    archive = pack({f"folder{number}/.DS_Store": b"" for number in range(21)})
    assert refusal(tmp_path, archive).id == "archive-too-many-members"


def test_a_huge_table_of_contents_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = zip_of({f"{number}.conllu": b"" for number in range(3000)})

    def read(*args: object) -> None:
        raise AssertionError("the library was asked to read the table")

    monkeypatch.setattr(zipfile.ZipFile, "_RealGetContents", read)
    assert refusal(tmp_path, archive).id == "archive-too-many-members"


def test_one_large_file_is_refused(tmp_path: Path) -> None:
    limits = replace(LIMITS, member_bytes=100)
    assert refusal(tmp_path, zip_of(FILES), limits).id == "member-too-large"
    assert not list((tmp_path / "folder").glob("en_*"))


def test_many_middling_files_are_refused_together(tmp_path: Path) -> None:
    limits = replace(LIMITS, total_bytes=300)
    assert refusal(tmp_path, tar_of(FILES), limits).id == "archive-too-large-unpacked"


@pytest.mark.parametrize("pack", [zip_of, tar_of])
def test_a_bomb_is_refused_by_its_ratio(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    limits = replace(LIMITS, member_bytes=50_000_000, total_bytes=50_000_000)
    archive = pack({"de_one.conllu": b"\n" * 20_000_000})
    assert len(archive) < 50_000
    assert refusal(tmp_path, archive, limits).id == "archive-ratio"


def test_a_bomb_that_understates_its_size_is_refused_while_it_is_read(tmp_path: Path) -> None:
    archive = bytearray(zip_of({"de_one.conllu": b"\n" * 2_000_000}))
    for signature, offset in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = archive.index(signature) + offset
        archive[place : place + 4] = (10).to_bytes(4, "little")
    error = refusal(tmp_path, bytes(archive))
    assert error.id == "archive-damaged"
    written = sum(path.stat().st_size for path in (tmp_path / "folder").iterdir())
    assert written <= LIMITS.member_bytes


def test_a_tar_header_that_covers_the_whole_archive_is_refused(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("de_one.conllu")
    entry.pax_headers = {"comment": "x" * 900_000}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(entry)
    assert refusal(tmp_path, buffer.getvalue()).id == "archive-damaged"
