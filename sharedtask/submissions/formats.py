"""What is wrong with a file that is no archive, or half of one, so that its sender knows what to change."""

from __future__ import annotations

from sharedtask.core.errors import Refusal

ENOUGH_BYTES = 512
KNOWN: dict[bytes, str] = {
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"BZh": "packed with bzip2",
    b"\x28\xb5\x2f\xfd": "packed with Zstandard",
}
TAR, TAR_AT = b"ustar", 257


def unreadable(start: bytes) -> Refusal:
    what = kind_of(start)
    return Refusal(
        "archive-format-unknown",
        f"This is {what}, whatever its name says. Please pack the .conllu files as a zip, .tar.gz or "
        ".tar.xz archive, or send them by themselves, each called <treebank>.conllu.",
        found=what,
        expected="a zip, .tar.gz or .tar.xz archive, or .conllu files",
    )


def no_tar() -> Refusal:
    """What a packed file has inside; an archive that breaks off later is damaged instead."""
    return Refusal(
        "archive-no-tar",
        "This is a single file that was packed, and no archive. Please send a .conllu file as it is, or pack "
        "all of them as a zip, .tar.gz or .tar.xz archive.",
        found="a packed file that is no tar archive",
        expected="a tar archive",
    )


def damaged(reason: object) -> Refusal:
    return Refusal(
        "archive-damaged",
        f"The archive cannot be read to its end ({reason}). Please pack it again and upload the new file.",
    )


def kind_of(start: bytes) -> str:
    for beginning, words in KNOWN.items():
        if start.startswith(beginning):
            return words
    if start.startswith(TAR, TAR_AT):
        return "a tar archive that is not compressed"
    return "a text file" if is_text(start) else "no archive that this site knows"


def is_text(start: bytes) -> bool:
    """The last character may be cut."""
    return bool(start) and b"\0" not in start and "�" not in start.decode("utf-8", "replace")[:-1]
