"""One test set of the data: gold and what the teams delivered for it, from an archive or a folder.

In: `<treebank>.tar.xz` (or .tar.gz, .tgz, .zip) with `<treebank>/gold.conllu` and
`<treebank>/system/<team>.conllu` in it, or that folder itself; single files may be packed as .gz, .xz, .bz2.
Out: a `TreebankData`, or `BadData` with what was found and what was expected. An archive is read as if a
stranger had sent it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import evaluation
from evaluation.reading import source
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import reading_limits, upload_limits
from sharedtask.submissions.archives import Member, members, too_many_members
from sharedtask.submissions.unpack import is_clutter

ARCHIVES = (".tar.xz", ".tar.gz", ".tgz", ".zip")
PACKED = (".gz", ".xz", ".bz2")
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
FILE = re.compile(r"(?:gold|system/(?P<team>\w[\w.+ -]{0,79}))\.conllu(?:\.gz|\.xz|\.bz2)?")


class BadData(Exception):
    """The data are not what they should be; the message says where and what was expected."""


@dataclass(frozen=True, kw_only=True)
class TreebankData:
    code: str
    gold: Path
    outputs: Mapping[str, Path]
    """By the name of the team, as its files have it."""


def code_of(place: Path) -> str:
    """The code of the test set that an archive or a folder holds, by its name."""
    suffix = next((suffix for suffix in ARCHIVES if place.name.endswith(suffix)), "")
    return place.name.removesuffix(suffix)


def read_test_set(place: Path, scratch: Path) -> TreebankData:
    """What has to be unpacked is unpacked into a new folder of `scratch`; other files stay where they are."""
    code = code_of(place)
    if not CODE.fullmatch(code):
        raise BadData(f"{place.name}: expected the code of a treebank, such as de_pud{ARCHIVES[0]}.")
    try:
        target = scratch / code
        (target / "system").mkdir(parents=True)
        return sorted_out(place, target, in_folder(place) if place.is_dir() else in_archive(place, target))
    except Refusal as refusal:
        raise BadData(f"{place.name}: {refusal.message}") from refusal


def sorted_out(place: Path, target: Path, named: Iterable[tuple[str, Path]]) -> TreebankData:
    outputs: dict[str, Path] = {}
    gold = None
    for name, path in named:
        found = FILE.fullmatch(name)
        assert found is not None
        team = found["team"]
        if (team in outputs) if team else gold:
            raise BadData(f"{place.name}: found {name!r} and another file for the same; expected one.")
        plain = unpacked(place, path, target / name) if path.suffix in PACKED else path
        if team:
            outputs[team] = plain
        else:
            gold = plain
    if gold is None:
        raise BadData(f"{place.name}: there is no {target.name}/gold.conllu in it.")
    return TreebankData(code=target.name, gold=gold, outputs=outputs)


def in_folder(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and not is_clutter(list(name.parts)):
            yield expected(folder, name.as_posix(), name.as_posix()), path


def in_archive(archive: Path, target: Path) -> Iterator[tuple[str, Path]]:
    """Their names below `<treebank>/`. Names that are not expected are refused, so that none can escape."""
    limits = upload_limits()
    for count, member in enumerate(members(archive, limits), start=1):
        if count > limits.members:
            raise too_many_members(limits)
        if member.is_folder or is_clutter(member.name.split("/")):
            continue
        below = member.name.removeprefix("./").removeprefix(f"{target.name}/")
        name = expected(archive, below if member.is_file else "", member.name)
        write(archive, member, target / name)
        yield name, target / name


def expected(place: Path, name: str, shown: str) -> str:
    if not FILE.fullmatch(name):
        code = code_of(place)
        raise BadData(
            f"{place.name}: found {shown!r}, expected {code}/gold.conllu and {code}/system/<team>.conllu."
        )
    return name


def write(archive: Path, member: Member, path: Path) -> None:
    limits = upload_limits()
    written = 0
    if path.exists():
        raise BadData(f"{archive.name}: {member.name!r} is in it twice.")
    with path.open("xb") as file:
        for chunk in member.chunks():
            written += len(chunk)
            if written > limits.member_bytes:
                raise BadData(
                    f"{archive.name}: {member.name} is larger than {limits.member_bytes} bytes when unpacked."
                )
            file.write(chunk)


def unpacked(place: Path, path: Path, packed: Path) -> Path:
    """A file that is packed for itself, unpacked under the name that it has without its last ending."""
    plain = packed.with_suffix("")
    try:
        plain.write_bytes(source.load(path, name=path.name, limits=reading_limits()))
    except evaluation.InvalidFile as refusal:
        raise BadData(f"{place.name}: {refusal}") from refusal
    return plain
