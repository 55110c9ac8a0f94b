"""Unpack: an archive becomes one file per test set, or is refused as a whole.

In: the path of the archive, an empty folder, the codes of the test sets, the limits. Out: a list of
`UnpackedFile`, one for each `<code>.conllu` written into the folder; or a `Refusal` whose id and message
go to the team. Limits are checked on the declared sizes before a member is read, and on the actual bytes
while it is read. Folders inside the archive do not matter as long as no test set occurs twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import BinaryIO, TypeVar

from .limits import ArchiveLimits, readable_bytes
from .members import Entry, Member, members, too_many_members
from .refusal import Refusal

E = TypeVar("E", bound=Entry)
SUFFIX = ".conllu"
CLUTTER = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "@eaDir"}
"""Added by file managers without the user's knowledge; ignored."""
MAX_LISTED_NAMES = 10
MIN_SIZE_FOR_RATIO = 1_000_000
"""Smaller files do no harm, and a tiny repetitive file can well be compressed 200:1."""


@dataclass(frozen=True, kw_only=True)
class UnpackedFile:
    code: str
    size_bytes: int
    sha256: str


def unpack(
    *, archive: Path, folder: Path, codes: Collection[str], limits: ArchiveLimits
) -> list[UnpackedFile]:
    budget = Budget(limits, archive.stat().st_size)
    unpacked = []
    for code, member in accepted_members(members(archive, limits), codes=codes, budget=budget):
        with (folder / f"{code}{SUFFIX}").open("xb") as output:
            unpacked.append(write_member(code, member, output, budget))
    return unpacked


def accepted_members(
    entries: Iterable[E], *, codes: Collection[str], budget: Budget
) -> Iterator[tuple[str, E]]:
    """Yield the files of test sets, each with the code; refuse everything that does not belong to them.

    Unknown names are refused at the end, all at once, so that nothing counts before the last one was judged.
    """
    accepted: set[str] = set()
    unknown: list[str] = []
    for count, member in enumerate(entries, start=1):
        if count > budget.limits.members:
            raise too_many_members(budget.limits)
        parts = safe_parts(member.name)
        budget.check_declared(member)
        if member.is_folder or is_clutter(parts):
            continue
        if not member.is_file:
            raise Refusal(
                "member-not-a-file",
                f"{member.name!r} is a link, a device or a sparse file. Only regular files can be submitted.",
                found=member.name,
                expected="a regular file",
            )
        code = parts[-1].removesuffix(SUFFIX)
        if code == parts[-1] or code not in codes:
            unknown.append(member.name)
            continue
        if code in accepted:
            raise Refusal(
                "duplicate-test-set",
                f"There are two files for {code}. Please keep only one of them.",
                found=member.name,
                expected=f"one {code}{SUFFIX}",
            )
        accepted.add(code)
        yield code, member
    if unknown:
        raise unknown_names(unknown, codes)
    if not accepted:
        raise Refusal(
            "archive-empty",
            f"The archive contains no {SUFFIX} file.",
            expected=f"files named <code>{SUFFIX}",
        )


class Budget:
    """Counts the bytes unpacked from an archive and refuses it as soon as a limit is exceeded."""

    def __init__(self, limits: ArchiveLimits, archive_bytes: int) -> None:
        self.limits = limits
        self.archive_bytes = archive_bytes
        self.declared = 0
        self.total = 0

    def check_declared(self, member: Entry) -> None:
        self.declared += member.size
        self.check_member(member.name, member.size)
        self.check_total(self.declared)
        if member.packed_size is not None and member.size >= MIN_SIZE_FOR_RATIO:
            self.check_ratio(member.size, member.packed_size)

    def spend(self, member: Member, size: int, written: int) -> None:
        self.total += size
        self.check_member(member.name, written)
        self.check_total(self.total)

    def check_member(self, name: str, size: int) -> None:
        if size > self.limits.member_bytes:
            raise Refusal(
                "member-too-large",
                f"{name!r} is larger than {readable_bytes(self.limits.member_bytes)} when unpacked.",
                found=name,
                expected=f"at most {readable_bytes(self.limits.member_bytes)}",
            )

    def check_total(self, total: int) -> None:
        if total > self.limits.total_bytes:
            raise Refusal(
                "archive-too-large-unpacked",
                f"The unpacked files are larger than {readable_bytes(self.limits.total_bytes)} in total.",
                expected=f"at most {readable_bytes(self.limits.total_bytes)}",
            )
        if total >= MIN_SIZE_FOR_RATIO:
            self.check_ratio(total, self.archive_bytes)

    def check_ratio(self, size: int, packed: int) -> None:
        if size > self.limits.ratio * max(packed, 1):
            raise Refusal(
                "archive-ratio",
                f"The archive unpacks to more than {self.limits.ratio} times its size, which is "
                "not plausible for the output of a parser.",
                expected=f"at most {self.limits.ratio} times",
            )


def safe_parts(name: str) -> list[str]:
    """Split into folders and file name; refuse any name that could point outside its folder."""
    parts = name.replace("\\", "/").split("/")
    absolute = parts[0] == "" or (len(parts[0]) == 2 and parts[0][1] == ":")
    if absolute or ".." in parts or any(ord(character) < 32 for character in name):
        raise Refusal(
            "member-name-escapes",
            f"The name {name!r} points outside the archive. Please use relative names without “..”.",
            found=name,
            expected="a relative name without ..",
        )
    return [part for part in parts if part not in ("", ".")] or ["."]


def is_clutter(parts: list[str]) -> bool:
    return any(part in CLUTTER for part in parts) or parts[-1].startswith("._")


def unknown_names(names: Sequence[str], codes: Collection[str]) -> Refusal:
    """Lists all of them, so that the team can fix them in one go."""
    expected = [f"{code}{SUFFIX}" for code in sorted(codes)]
    listed = ", ".join(with_suggestion(name, expected) for name in names[:MAX_LISTED_NAMES])
    more = f" and {len(names) - MAX_LISTED_NAMES} more" if len(names) > MAX_LISTED_NAMES else ""
    verb = "does" if len(names) == 1 else "do"
    return Refusal(
        "unknown-test-set",
        f"{listed}{more} {verb} not belong to this task. Name each file <code>{SUFFIX}, after its test set.",
        found=", ".join(names[:MAX_LISTED_NAMES]) + more,
        expected="one of " + ", ".join(expected),
    )


def with_suggestion(name: str, expected: Sequence[str]) -> str:
    close = get_close_matches(name.replace("\\", "/").split("/")[-1].lower(), expected, n=1, cutoff=0.8)
    return f"{name!r} (did you mean {close[0]}?)" if close else repr(name)


def write_member(code: str, member: Member, output: BinaryIO, budget: Budget) -> UnpackedFile:
    written = 0
    sha256 = hashlib.sha256()
    for chunk in member.chunks():
        written += len(chunk)
        budget.spend(member, len(chunk), written)
        output.write(chunk)
        sha256.update(chunk)
    return UnpackedFile(code=code, size_bytes=written, sha256=sha256.hexdigest())
