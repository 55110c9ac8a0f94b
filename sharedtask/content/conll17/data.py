"""Read the folder with the data: an archive or a folder for each test set, and tables.

In: a folder with `<treebank>.tar.xz` or `<treebank>/` for each test set (see `test_set.py` for the contents),
and optionally `groups.tsv`, `published-ranking.tsv` and `published-per-treebank.tsv`; and an empty folder to
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
    """The group of each test set, including test sets that are not in the folder."""
    ranking: Rows
    published: Rows

    def outputs_of(self, team: str) -> dict[str, Path]:
        return {
            treebank.code: treebank.outputs[team] for treebank in self.treebanks if team in treebank.outputs
        }

    @property
    def teams(self) -> list[str]:
        return sorted({team for treebank in self.treebanks for team in treebank.outputs})


def read_data(folder: Path, scratch: Path) -> Data:
    if not folder.is_dir():
        raise BadData(f"{folder} is not a folder.")
    with ThreadPoolExecutor() as pool:
        treebanks = tuple(pool.map(lambda path: read_test_set(path, scratch), find_test_sets(folder)))
    if not any(treebank.outputs for treebank in treebanks):
        raise BadData(f"{folder}: there are no outputs; expected <treebank>/system/<team>.conllu.")
    rows = read_table(folder / "groups.tsv", "treebank", "group")
    groups = {row["treebank"]: row["group"] for row in rows if row["group"]}
    return Data(
        treebanks=treebanks,
        groups={**GROUPS, **groups},
        ranking=read_table(folder / "published-ranking.tsv", "team"),
        published=read_table(folder / "published-per-treebank.tsv", "team", "srun"),
    )


def find_test_sets(folder: Path) -> list[Path]:
    """The archive or folder of each test set. If there are both, the archive is used."""
    paths: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (any(path.glob("gold.conllu*")) or (path / "system").is_dir()):
            paths.setdefault(code_of(path), path)
        elif path.is_file() and path.name.endswith(ARCHIVES):
            other = paths.get(code_of(path))
            if other is not None and other.is_file():
                raise BadData(f"{folder}: found {other.name} and {path.name}, expected one of them.")
            paths[code_of(path)] = path
    if not paths:
        raise BadData(f"{folder} contains neither <treebank>{ARCHIVES[0]} nor <treebank>/gold.conllu.")
    return [paths[code] for code in sorted(paths)]


def read_table(file: Path, *columns: str) -> Rows:
    """The rows of a tab-separated table; none if there is no such file."""
    if not file.is_file():
        return []
    try:
        with file.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE, restval="")
            missing = [column for column in columns if column not in (reader.fieldnames or ())]
            if missing:
                raise BadData(f"{file.name}: the column {', '.join(missing)} is missing from the first line.")
            return list(reader)
    except UnicodeDecodeError as error:
        raise BadData(f"{file.name}: the file is not UTF-8.") from error


def by_team(rows: Rows) -> Mapping[str, Rows]:
    grouped: dict[str, Rows] = defaultdict(list)
    for row in rows:
        grouped[row["team"]].append(row)
    return grouped
