"""Find the files of a campaign: `GOLD_DIR/<treebank>.conllu`, `SYSTEMS_DIR/<system>/<treebank>.conllu`.

Further references of a test set are `GOLD_DIR/<treebank>/<reference>.conllu`.
"""

from __future__ import annotations

import csv
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..scoring.references import FIRST
from .results import GoldSet

ENDINGS = (".conllu", ".conllu.gz", ".conllu.xz", ".conllu.bz2")


class BadCampaign(Exception):
    """The folders or tables are not a valid campaign; the message says what is wrong and where."""


@dataclass(frozen=True)
class Folders:
    """The files of a campaign. `notes` are non-fatal remarks for the organisers."""

    gold: Mapping[str, Path]
    systems: Mapping[str, Mapping[str, Path]]
    notes: Sequence[str]
    references: Mapping[str, Mapping[str, Path]] = field(default_factory=dict)
    """By test set and name: gold files besides the first one."""


def find_files(gold_folder: Path, systems_folder: Path) -> Folders:
    """All gold files, and the files of every system that belong to one of them."""
    notes: list[str] = []
    gold, others = _treebanks(gold_folder)
    if not gold:
        raise BadCampaign(f"{gold_folder}: no gold file named <treebank>.conllu (or .gz, .xz, .bz2)")
    references = {name: _references(gold_folder / name) for name in others if name in gold}
    others = [name for name in others if not references.get(name)]
    notes += [f"{gold_folder / name}: ignored, not named <treebank>.conllu" for name in others]
    systems: dict[str, dict[str, Path]] = {}
    for folder in _entries(systems_folder):
        if not folder.is_dir():
            notes.append(f"{folder}: ignored, not a system folder")
            continue
        files, others = _treebanks(folder)
        unknown = sorted(set(files) - set(gold))
        notes += [f"{folder / name}: ignored, not named <treebank>.conllu" for name in others]
        notes += [f"{files[code]}: ignored, {_suggestion(code, gold)}" for code in unknown]
        systems[folder.name] = {code: path for code, path in files.items() if code in gold}
    if not systems:
        raise BadCampaign(f"{systems_folder}: no system found; every system needs its own folder")
    if not any(systems.values()):
        sets = f"any of the {len(gold)} test sets" if len(gold) > 1 else "the only test set"
        raise BadCampaign(
            f"{systems_folder}: no system has a file for {sets} in {gold_folder} "
            f"({', '.join(sorted(gold)[:5])}{', …' if len(gold) > 5 else ''})"
        )
    return Folders(gold, systems, notes, references)


def _references(folder: Path) -> dict[str, Path]:
    """Further references of the test set that the folder is named after."""
    files, others = _treebanks(folder) if folder.is_dir() else ({}, [])
    if others:
        raise BadCampaign(f"{folder / others[0]}: a reference is named <reference>.conllu")
    if FIRST in files:
        raise BadCampaign(f"{files[FIRST]}: {FIRST} is the name of the first reference, {folder.name}.conllu")
    return files


def choose_systems(folders: Folders, names: Sequence[str]) -> Folders:
    """Only the systems of these names; each must have a folder."""
    unknown = sorted(set(names) - set(folders.systems))
    if unknown or not names:
        raise BadCampaign(f"no folder found for {', '.join(unknown) or 'any system'}")
    return replace(folders, systems={name: folders.systems[name] for name in sorted(set(names))})


def choose_sets(folders: Folders, codes: Sequence[str]) -> Folders:
    """Only the test sets of these codes; each must have gold."""
    unknown = sorted(set(codes) - set(folders.gold))
    if unknown or not codes:
        raise BadCampaign(f"no gold file found for {', '.join(unknown) or 'any test set'}")
    systems = {
        name: {code: path for code, path in files.items() if code in codes}
        for name, files in folders.systems.items()
    }
    return replace(folders, gold={code: folders.gold[code] for code in sorted(codes)}, systems=systems)


def read_names(path: Path) -> list[str]:
    """Names of systems, one per line."""
    return [row[0].strip() for _, row in _rows(path)]


def read_groups(path: Path) -> dict[str, tuple[tuple[str, ...], str]]:
    """Groups and language of each test set from a table `treebank, group[, language]`, separated by tabs.

    Several groups of one test set are on several lines or separated by commas.
    """
    groups: dict[str, list[str]] = {}
    languages: dict[str, str] = {}
    for number, row in _rows(path):
        if number == 1 and row[0] == "treebank":
            continue
        if not 2 <= len(row) <= 3 or not row[0]:
            raise BadCampaign(
                f"{path}:{number}: expected treebank, group and optionally language, separated by tabs"
            )
        names = groups.setdefault(row[0], [])
        names += [group for part in row[1].split(",") if (group := part.strip()) and group not in names]
        try:
            GoldSet(code=row[0], groups=tuple(names))
        except ValueError as error:
            raise BadCampaign(f"{path}:{number}: {error}") from error
        if len(row) == 3:
            languages[row[0]] = row[2].strip()
    return {code: (tuple(names), languages.get(code, "")) for code, names in groups.items()}


def read_runs(path: Path) -> dict[str, list[str]]:
    """Which runs make up which system, in order, from a table `system, first run, second run, …`."""
    runs: dict[str, list[str]] = {}
    for number, row in _rows(path):
        name, *folders = [cell.strip() for cell in row]
        if not name or not folders or name in runs:
            raise BadCampaign(
                f"{path}:{number}: expected a new system and its runs in order, separated by tabs"
            )
        runs[name] = folders
    return runs


def _rows(path: Path) -> list[tuple[int, list[str]]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadCampaign(f"{path}: cannot be read: {error}") from error
    rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(number, row) for number, row in enumerate(rows, 1) if any(cell.strip() for cell in row)]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise BadCampaign(f"{folder}: cannot be read: {error.strerror}") from error


def _treebanks(folder: Path) -> tuple[dict[str, Path], list[str]]:
    """The files of a folder by test set, and the other file names."""
    files: dict[str, Path] = {}
    others = []
    for path in _entries(folder):
        ending = next((ending for ending in reversed(ENDINGS) if path.name.endswith(ending)), None)
        code = path.name.removesuffix(ending or "")
        if ending is None or not code:
            others.append(path.name)
        elif code in files:
            raise BadCampaign(f"{folder}: {files[code].name} and {path.name} are both for {code}; remove one")
        else:
            files[code] = path
    return files, others


def _suggestion(code: str, gold: Mapping[str, Path]) -> str:
    near = difflib.get_close_matches(code, gold, n=1)
    return f"unknown test set {code}" + (f"; did you mean {near[0]}?" if near else "")
