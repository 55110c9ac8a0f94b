"""The output directory is read from a hostile tar stream."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterator

import pytest

from airlock.engine import Limits, SystemFailure
from airlock.engine.outputs import read_outputs

LIMITS = Limits(output_bytes=1000, output_files=5)
Change = Callable[[tarfile.TarInfo], None]


def pack(*members: tuple[str, bytes, Change | None]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", errors="surrogateescape") as tar:
        folder = tarfile.TarInfo("output")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        for name, content, change in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            if change is not None:
                change(member)
            tar.addfile(member, io.BytesIO(content))
    return target.getvalue()


def chunks(content: bytes, size: int = 100) -> Iterator[bytes]:
    yield from (content[start : start + size] for start in range(0, len(content), size))


def of_type(kind: bytes) -> Change:
    def change(member: tarfile.TarInfo) -> None:
        member.type, member.linkname = kind, "/etc/passwd"

    return change


def test_files_are_read_with_their_paths_below_the_output_directory() -> None:
    archive = pack(("output/a.conllu", b"one", None), ("output/b/c.conllu", b"two", None))
    files = [
        (file.name, file.size, file.problem, file.stream.read()) for file in read_outputs([archive], LIMITS)
    ]
    assert files == [("a.conllu", 3, None, b"one"), ("b/c.conllu", 3, None, b"two")]


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (tarfile.SYMTYPE, "a symbolic link"),
        (tarfile.LNKTYPE, "a hard link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a named pipe"),
    ],
)
def test_what_is_not_a_file_is_named_and_not_read(kind: bytes, problem: str) -> None:
    archive = pack(("output/x", b"", of_type(kind)), ("output/y", b"yes", None))
    first, second = [(file.problem, file.stream.read()) for file in read_outputs(chunks(archive), LIMITS)]
    assert first == (problem, b"")
    assert second == (None, b"yes")


@pytest.mark.parametrize(
    "name",
    [
        "../x",
        "a/../../x",
        "a//x",
        "./x",
        "line\nbreak",
        "bell\a",
        "\udcff\udcfe",
        "\u202egnp.exe",
        "n" * 256,
        "d/" * 40 + "x",
    ],
)
def test_unusable_names_are_reported_and_not_read(name: str) -> None:
    (file,) = read_outputs(chunks(pack((f"output/{name}", b"content", None))), LIMITS)
    assert file.problem is not None and file.stream.read() == b""
    assert file.name.isprintable()


def test_an_absolute_name_stays_below_the_output_directory() -> None:
    (file,) = read_outputs(chunks(pack(("output//etc/passwd", b"x", None))), LIMITS)
    assert file.problem == "a name that leads out of the output directory"


def test_more_bytes_than_allowed_are_refused_before_they_are_read() -> None:
    members = [(f"output/{number}", bytes(400), None) for number in range(3)]
    names = []
    with pytest.raises(SystemFailure, match="more than 1,000 bytes"):
        names.extend(file.name for file in read_outputs(chunks(pack(*members)), LIMITS))


def test_a_file_that_claims_a_terabyte_is_refused() -> None:
    member = tarfile.TarInfo("output/sparse")
    member.size = 2**40
    with pytest.raises(SystemFailure, match="more than 1,000 bytes"):
        list(read_outputs([pack()[:512] + member.tobuf(tarfile.GNU_FORMAT)], LIMITS))


def test_more_files_than_allowed_are_refused() -> None:
    members = [(f"output/{number}", b"", None) for number in range(6)]
    with pytest.raises(SystemFailure, match="more than 5 files"):
        list(read_outputs(chunks(pack(*members)), LIMITS))


def test_an_endless_stream_is_cut() -> None:
    def endless() -> Iterator[bytes]:
        yield pack()[:512]
        folder = tarfile.TarInfo("output/folder")
        folder.type = tarfile.DIRTYPE
        while True:
            yield folder.tobuf() * 100

    with pytest.raises(SystemFailure, match="exceeds its size limit"):
        list(read_outputs(endless(), LIMITS))


def test_a_truncated_stream_is_an_error_and_not_the_end() -> None:
    archive = pack(("output/x", bytes(900), None))
    with pytest.raises(SystemFailure, match="cannot be read back"):
        for file in read_outputs(chunks(archive[:1300]), LIMITS):
            file.stream.read()
