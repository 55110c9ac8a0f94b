"""Read one test set of the data, gold and outputs, from an archive or a folder.

In: `<treebank>.tar.xz` (or .tar.gz, .tgz, .zip) with `<treebank>/gold.conllu` and
`<treebank>/system/<team>.conllu` in it, or that folder itself; single files may be compressed as .gz, .xz,
.bz2. Out: a `TreebankData`, or `BadData` with what was found and expected. Archives are treated as untrusted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import evaluation
from evaluation.archives.members import Member, members, too_many_members
from evaluation.archives.unpack import is_clutter
from evaluation.reading import source
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import reading_limits, upload_limits

ARCHIVES = (".tar.xz", ".tar.gz", ".tgz", ".zip")
COMPRESSED = (".gz", ".xz", ".bz2")
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
FILE = re.compile(r"(?:gold|system/(?P<team>\w[\w.+ -]{0,79}))\.conllu(?:\.gz|\.xz|\.bz2)?")


class BadData(Exception):
    """The data are not as expected; the message says where and what was expected."""


@dataclass(frozen=True, kw_only=True)
class TreebankData:
    code: str
    gold: Path
    outputs: Mapping[str, Path]
    """By the file name of the team."""


def code_of(place: Path) -> str:
    """The code of the test set, from the name of its archive or folder."""
    suffix = next((suffix for suffix in ARCHIVES if place.name.endswith(suffix)), "")
    return place.name.removesuffix(suffix)


def read_test_set(place: Path, scratch: Path) -> TreebankData:
    """Archives and compressed files are unpacked into a new folder of `scratch`; others stay in place."""
    code = code_of(place)
    if not CODE.fullmatch(code):
        raise BadData(f"{place.name}: expected the code of a treebank, such as de_pud{ARCHIVES[0]}.")
    try:
        target = scratch / code
        (target / "system").mkdir(parents=True)
        return assign_files(
            place, target, files_in_folder(place) if place.is_dir() else files_in_archive(place, target)
        )
    except Refusal as refusal:
        raise BadData(f"{place.name}: {refusal.message}") from refusal


def assign_files(place: Path, target: Path, files: Iterable[tuple[str, Path]]) -> TreebankData:
    outputs: dict[str, Path] = {}
    gold = None
    for name, path in files:
        match = FILE.fullmatch(name)
        assert match is not None
        team = match["team"]
        if (team in outputs) if team else gold:
            raise BadData(f"{place.name}: found {name!r} and another version of the same file, expected one.")
        plain = decompress(place, path, target / name) if path.suffix in COMPRESSED else path
        if team:
            outputs[team] = plain
        else:
            gold = plain
    if gold is None:
        raise BadData(f"{place.name}: {target.name}/gold.conllu is missing.")
    return TreebankData(code=target.name, gold=gold, outputs=outputs)


def files_in_folder(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not is_clutter(list(name.parts)):
            yield check_name(folder, name.as_posix(), name.as_posix()), path


def files_in_archive(archive: Path, target: Path) -> Iterator[tuple[str, Path]]:
    """Unpack the files below `<treebank>/`. Unexpected names are refused, so that none can escape."""
    limits = upload_limits()
    for count, member in enumerate(members(archive, limits), start=1):
        if count > limits.members:
            raise too_many_members(limits)
        if member.is_folder or is_clutter(member.name.split("/")):
            continue
        relative = member.name.removeprefix("./").removeprefix(f"{target.name}/")
        name = check_name(archive, relative if member.is_file else "", member.name)
        write(archive, member, target / name)
        yield name, target / name


def check_name(place: Path, name: str, original: str) -> str:
    if not FILE.fullmatch(name):
        code = code_of(place)
        raise BadData(
            f"{place.name}: found {original!r}, expected {code}/gold.conllu and {code}/system/<team>.conllu."
        )
    return name


def write(archive: Path, member: Member, path: Path) -> None:
    limits = upload_limits()
    written = 0
    if path.exists():
        raise BadData(f"{archive.name}: {member.name!r} occurs twice.")
    with path.open("xb") as file:
        for chunk in member.chunks():
            written += len(chunk)
            if written > limits.member_bytes:
                raise BadData(
                    f"{archive.name}: {member.name} is larger than {limits.member_bytes} bytes when unpacked."
                )
            file.write(chunk)


def decompress(place: Path, path: Path, target: Path) -> Path:
    """Decompress a single file; the new name is `target` without its last suffix."""
    plain = target.with_suffix("")
    try:
        plain.write_bytes(source.load(path, name=path.name, limits=reading_limits()))
    except evaluation.InvalidFile as refusal:
        raise BadData(f"{place.name}: {refusal}") from refusal
    return plain
