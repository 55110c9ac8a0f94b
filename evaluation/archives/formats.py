"""Refusals for files that are not a readable archive; each says what was found and what to upload instead."""

from __future__ import annotations

from .refusal import Refusal

HEADER_BYTES = 512
OTHER_FORMATS: dict[bytes, str] = {
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"BZh": "compressed with bzip2",
    b"\x28\xb5\x2f\xfd": "compressed with Zstandard",
}
TAR_MAGIC, TAR_MAGIC_OFFSET = b"ustar", 257


def unreadable(start: bytes) -> Refusal:
    description = describe_format(start)
    return Refusal(
        "archive-format-unknown",
        f"Judging by its contents, this file is {description}. Please pack the .conllu files into a .zip, "
        ".tar.gz or .tar.xz archive, or upload them individually, each named <code>.conllu.",
        found=description,
        expected="a .zip, .tar.gz or .tar.xz archive, or .conllu files",
    )


def not_a_tar() -> Refusal:
    """For a compressed file whose content is not tar; an archive that breaks off later is damaged instead."""
    return Refusal(
        "not-a-tar-archive",
        "This is a single compressed file, not an archive. Please upload .conllu files uncompressed, or pack "
        "them into a .zip, .tar.gz or .tar.xz archive.",
        found="a compressed file that is not a tar archive",
        expected="a tar archive",
    )


def damaged(reason: object) -> Refusal:
    return Refusal(
        "archive-damaged",
        f"The archive cannot be read ({reason}). Please create it again and upload the new file.",
    )


def describe_format(start: bytes) -> str:
    for magic, description in OTHER_FORMATS.items():
        if start.startswith(magic):
            return description
    if start.startswith(TAR_MAGIC, TAR_MAGIC_OFFSET):
        return "an uncompressed tar archive"
    return "a text file" if is_text(start) else "not in a known archive format"


def is_text(start: bytes) -> bool:
    """The last character may be incomplete, since only the first bytes are examined."""
    return bool(start) and b"\0" not in start and "�" not in start.decode("utf-8", "replace")[:-1]
