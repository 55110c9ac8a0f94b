"""Read the folder of the data: an archive or a folder for each test set, and tables beside them.

In: a folder with `<treebank>.tar.xz` or `<treebank>/` for each test set (`test_set.py` says what is in them),
and perhaps `groups.tsv`, `published-ranking.tsv` and `published-per-treebank.tsv`; and an empty folder to
unpack into. Out: `Data`, or `BadData`.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from sharedtask.content.conll17.groups import GROUPS
from sharedtask.content.conll17.test_set import ARCHIVES, BadData, TreebankData, code_of, read_test_set

Rows = list[dict[str, str]]


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
    with ThreadPoolExecutor() as pool:
        treebanks = tuple(pool.map(lambda place: read_test_set(place, scratch), places(folder)))
    if not any(one.outputs for one in treebanks):
        raise BadData(f"{folder}: no team has delivered anything; expected <treebank>/system/<team>.conllu.")
    rows = table(folder / "groups.tsv", "treebank", "group")
    told = {row["treebank"]: row["group"] for row in rows if row["group"]}
    return Data(
        treebanks=treebanks,
        groups={**GROUPS, **told},
        ranking=table(folder / "published-ranking.tsv", "team"),
        published=table(folder / "published-per-treebank.tsv", "team", "srun"),
    )


def places(folder: Path) -> list[Path]:
    """Where each test set is. A folder beside its archive is taken for what was unpacked from it."""
    found: dict[str, Path] = {}
    for place in sorted(folder.iterdir()):
        if place.is_dir() and (any(place.glob("gold.conllu*")) or (place / "system").is_dir()):
            found.setdefault(code_of(place), place)
        elif place.is_file() and place.name.endswith(ARCHIVES):
            other = found.get(code_of(place))
            if other is not None and other.is_file():
                raise BadData(f"{folder}: found {other.name} and {place.name}; expected one of them.")
            found[code_of(place)] = place
    if not found:
        raise BadData(f"{folder} has no <treebank>{ARCHIVES[0]} and no <treebank>/gold.conllu.")
    return [found[code] for code in sorted(found)]


def table(file: Path, *columns: str) -> Rows:
    """Rows of a table with tabs; none where there is no such file."""
    if not file.is_file():
        return []
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
            missing = [column for column in columns if column not in (reader.fieldnames or ())]
            if missing:
                raise BadData(f"{file.name}: found no column {', '.join(missing)} in its first line.")
            return list(reader)
    except UnicodeDecodeError as error:
        raise BadData(f"{file.name}: it is not UTF-8.") from error


def by_team(rows: Rows) -> Mapping[str, Rows]:
    found: dict[str, Rows] = defaultdict(list)
    for row in rows:
        found[row["team"]].append(row)
    return found
