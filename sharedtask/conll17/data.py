"""Read the folder of the data: an archive for each test set, and tables beside them.

In: a folder with `<treebank>.tar.xz` (in it `<treebank>/gold.conllu` and `<treebank>/system/<team>.conllu`),
and perhaps `groups.tsv`, `published-ranking.tsv` and `published-per-treebank.tsv`; and an empty folder to
unpack into. Out: `Data`, or `BadData` with what was found and what was expected. An archive is read as if a
stranger had sent it.
"""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sharedtask.faults import TeamFault
from sharedtask.limits import upload_limits
from sharedtask.submissions.archives import Member, faults_of_the_archive, members, too_many_members

ARCHIVE = ".tar.xz"
SUFFIX = ".conllu"
CODE = re.compile(r"[a-z0-9_]{1,40}")
OUTPUT = re.compile(r"system/([A-Za-z0-9][A-Za-z0-9._-]{0,79})\.conllu")

Rows = list[dict[str, str]]


class BadData(Exception):
    """The folder is not what it should be; the message says where and what was expected."""


@dataclass(frozen=True, kw_only=True)
class TreebankData:
    code: str
    gold: Path
    outputs: Mapping[str, Path]
    """By the name of the team, as its files have it."""


@dataclass(frozen=True, kw_only=True)
class Data:
    treebanks: tuple[TreebankData, ...]
    groups: Mapping[str, str]
    """Group of each test set; also of those that are not here."""
    ranking: Rows
    published: Rows

    def outputs_of(self, team: str) -> dict[str, Path]:
        return {one.code: one.outputs[team] for one in self.treebanks if team in one.outputs}

    @property
    def teams(self) -> list[str]:
        return sorted({team for one in self.treebanks for team in one.outputs})


def read_data(folder: Path, scratch: Path) -> Data:
    if not folder.is_dir():
        raise BadData(f"{folder} is not a folder.")
    archives = sorted(folder.glob(f"*{ARCHIVE}"))
    if not archives:
        raise BadData(f"{folder} has no <treebank>{ARCHIVE}; expected one for each test set.")
    with ThreadPoolExecutor() as pool:
        treebanks = tuple(pool.map(lambda archive: unpacked(archive, scratch), archives))
    groups = {row["treebank"]: row["group"] for row in table(folder / "groups.tsv", "treebank", "group")}
    return Data(
        treebanks=treebanks,
        groups=groups,
        ranking=table(folder / "published-ranking.tsv", "team"),
        published=table(folder / "published-per-treebank.tsv", "team", "srun"),
    )


def unpacked(archive: Path, scratch: Path) -> TreebankData:
    code = archive.name.removesuffix(ARCHIVE)
    if not CODE.fullmatch(code):
        raise BadData(f"{archive.name}: expected the code of a treebank, such as de_pud{ARCHIVE}.")
    outputs: dict[str, Path] = {}
    gold = None
    target = scratch / code
    (target / "system").mkdir(parents=True)
    try:
        for name, member in plain_files(archive, code):
            path = target / name
            write(member, path)
            if found := OUTPUT.fullmatch(name):
                outputs[found[1]] = path
            else:
                gold = path
    except TeamFault as fault:
        raise BadData(f"{archive.name}: {fault.message}") from fault
    if gold is None:
        raise BadData(f"{archive.name}: there is no {code}/gold{SUFFIX} in it.")
    return TreebankData(code=code, gold=gold, outputs=outputs)


def plain_files(archive: Path, code: str) -> Iterator[tuple[str, Member]]:
    """Their names below `<treebank>/`. Names that are not expected are refused, so that none can escape."""
    limits = upload_limits()
    with faults_of_the_archive():
        for count, member in enumerate(members(archive, limits), start=1):
            if count > limits.members:
                raise too_many_members(limits)
            if member.is_folder:
                continue
            name = member.name.removeprefix("./").removeprefix(f"{code}/")
            if not member.is_file or not (name == f"gold{SUFFIX}" or OUTPUT.fullmatch(name)):
                raise BadData(
                    f"{archive.name}: found {member.name!r}, expected {code}/gold{SUFFIX} "
                    f"and {code}/system/<team>{SUFFIX}."
                )
            yield name, member


def write(member: Member, path: Path) -> None:
    limits = upload_limits()
    written = 0
    with path.open("xb") as file:
        for chunk in member.chunks():
            written += len(chunk)
            if written > limits.member_bytes:
                raise BadData(f"{member.name}: larger than {limits.member_bytes} bytes when unpacked.")
            file.write(chunk)


def table(file: Path, *columns: str) -> Rows:
    """Rows of a table with tabs; none where there is no such file."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream, delimiter="\t")
        missing = [column for column in columns if column not in (reader.fieldnames or ())]
        if missing:
            raise BadData(f"{file.name}: found no column {', '.join(missing)} in its first line.")
        return list(reader)


def by_team(rows: Rows) -> Mapping[str, Rows]:
    found: dict[str, Rows] = defaultdict(list)
    for row in rows:
        found[row["team"]].append(row)
    return found
