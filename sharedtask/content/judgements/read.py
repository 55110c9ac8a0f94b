"""Read folders of judgements: gold, the outputs of two systems, and who preferred which.

In: a folder with one folder per language or test set, as in the data of Plank et al. (2015) or in the export
of a campaign; or a single one of these; or an archive of either. Out: `JudgedData`, or `BadJudgements` with
the file and the line. Archives are treated as untrusted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import evaluation
from evaluation.archives.members import members, too_many_members
from evaluation.archives.unpack import is_clutter, safe_parts
from evaluation.judgements.folder import JUDGEMENTS, PROFILE, find_files, find_systems
from evaluation.judgements.items import anonymous_source
from evaluation.judgements.table import BadJudgements, read_rows
from evaluation.scoring.profiles import PROFILES, format_of
from sharedtask.content.conll17.languages import language_of
from sharedtask.core.errors import Refusal
from sharedtask.core.limits import reading_limits, upload_limits
from sharedtask.judgements.export import (
    CONTROLS,
    DAMAGED,
    DETAIL_COLUMNS,
    INTACT,
    ITEM_COLUMNS,
    SETTINGS,
    SETTINGS_FILE,
    WITHOUT_GOLD,
)

ARCHIVES = (".tar.xz", ".tar.gz", ".tgz", ".zip")
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")
FORMAT = format_of(PROFILES[PROFILE], PROFILES[PROFILE].options)
"""CoNLL-X or CoNLL-U, with any number of roots."""
Judgement = tuple[int, str, str]
"""Sentence, annotator, and the name of the chosen file or `equal`."""


@dataclass(frozen=True, kw_only=True)
class Detail:
    sentence: int
    annotator: str
    seconds: float | None
    skipped: bool


@dataclass(frozen=True, kw_only=True)
class ItemFiles:
    """Trees of two systems for the same sentences, and what people said about them."""

    stems: tuple[str, str]
    trees: tuple[Sequence[str], Sequence[str]]
    judgements: Sequence[Judgement]
    repeats: Sequence[Judgement] = ()
    details: Sequence[Detail] = ()
    repeat_details: Sequence[Detail] = ()
    numbers: Mapping[int, int] = field(default_factory=dict)
    """The number of the item of each sentence, where a file gives it."""
    decided_by: Mapping[int, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class JudgedFolder:
    code: str
    language: str
    tag: str
    systems: tuple[str, str]
    gold: Path
    outputs: tuple[Path, Path]
    items: ItemFiles
    without_gold: ItemFiles | None


@dataclass(frozen=True, kw_only=True)
class JudgedData:
    folders: Sequence[JudgedFolder]
    controls: Mapping[str, ItemFiles]
    """By the code of the folder."""
    settings: Mapping[str, Any]


def read_data(place: Path, scratch: Path) -> JudgedData:
    """Archives are unpacked into `scratch`."""
    root = unpacked(place, scratch)
    settings = read_settings(root / SETTINGS_FILE)
    described = settings.get("folders", {})
    # Those of an export keep their order, which is that of the test sets.
    order = {name: place for place, name in enumerate(described)}
    paths = sorted(find_folders(root), key=lambda path: order.get(path.name, len(order)))
    folders = [read_folder(path, described.get(path.name, {})) for path in paths]
    # A test set with several pairs has several folders; its controls go to the first of them.
    code_of = {
        described.get(folder.code, {}).get("test_set", folder.code): folder.code
        for folder in reversed(folders)
    }
    controls = {
        code_of[path.name]: read_items(path, (path / f"{INTACT}.conllu", path / f"{DAMAGED}.conllu"))
        for path in sorted((root / CONTROLS).glob("*"))
        if path.name in code_of
    }
    return JudgedData(folders=folders, controls=controls, settings=settings)


def unpacked(place: Path, scratch: Path) -> Path:
    if place.is_dir():
        archives = [path for path in sorted(place.iterdir()) if path.name.endswith(ARCHIVES)]
        if len(archives) != 1 or any(place.glob(f"*/{JUDGEMENTS}")) or (place / JUDGEMENTS).exists():
            return place
        place = archives[0]
    elif not (place.is_file() and place.name.endswith(ARCHIVES)):
        raise BadJudgements(f"{place}: expected a folder, or an archive ({', '.join(ARCHIVES)})")
    try:
        unpack(place, scratch)
    except Refusal as refusal:
        raise BadJudgements(f"{place}: {refusal.message}") from refusal
    return scratch


def unpack(archive: Path, scratch: Path) -> None:
    limits = upload_limits()
    for count, member in enumerate(members(archive, limits), start=1):
        if count > limits.members:
            raise too_many_members(limits)
        parts = safe_parts(member.name)
        if member.is_folder or not member.is_file or is_clutter(parts):
            continue
        path = scratch.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        written = 0
        with path.open("xb") as file:
            for chunk in member.chunks():
                written += len(chunk)
                if written > limits.member_bytes:
                    raise BadJudgements(f"{archive}: {member.name} has more than {limits.member_bytes} bytes")
                file.write(chunk)


def find_folders(root: Path) -> list[Path]:
    if (root / JUDGEMENTS).is_file():
        return [root]
    folders = sorted(path.parent for path in root.glob(f"*/{JUDGEMENTS}"))
    if not folders:
        raise BadJudgements(f"{root}: expected folders with {JUDGEMENTS}, found none")
    return folders


def read_settings(path: Path) -> Mapping[str, Any]:
    """Of an export; none otherwise."""
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise BadJudgements(f"{path}: cannot be read: {error}") from error
    if not isinstance(settings, dict) or not isinstance(settings.get("folders", {}), dict):
        raise BadJudgements(f"{path}: expected an object with the settings of a campaign")
    missing = [name for name in (*SETTINGS, "profile") if name not in settings]
    if missing:
        raise BadJudgements(f"{path}: {', '.join(missing)} missing")
    return settings


def read_folder(path: Path, described: Mapping[str, Any]) -> JudgedFolder:
    code = path.resolve().name
    if not CODE.fullmatch(code):
        raise BadJudgements(f"{path}: expected the code of a test set as the name of the folder, such as de")
    gold, first, second = find_files(path)
    names = described.get("systems", {})
    language = language_of(code)
    unknown = path / WITHOUT_GOLD
    return JudgedFolder(
        code=code,
        language=str(described.get("language", language.name)),
        tag=str(described.get("tag", language.tag)),
        systems=(str(names.get(first.stem, first.stem)), str(names.get(second.stem, second.stem))),
        gold=gold,
        outputs=(first, second),
        items=read_items(path, (first, second)),
        without_gold=read_items(unknown, find_systems(unknown)) if unknown.is_dir() else None,
    )


def read_items(folder: Path, files: tuple[Path, Path]) -> ItemFiles:
    stems = files[0].stem, files[1].stem
    trees = tuple(read_trees(path) for path in files)
    sentences = len(trees[0])
    if len(trees[1]) != sentences:
        raise BadJudgements(f"{files[1]}: expected {sentences} sentences, found {len(trees[1])}")
    numbered = list(read_cells(folder / "items.tsv", ITEM_COLUMNS))
    repeats = folder / "repeats.tsv"
    return ItemFiles(
        stems=stems,
        trees=(trees[0], trees[1]),
        judgements=read_rows(folder / JUDGEMENTS, stems, sentences),
        repeats=read_rows(repeats, stems, sentences) if repeats.is_file() else (),
        details=read_details(folder / "details.tsv", sentences),
        repeat_details=read_details(folder / "repeat-details.tsv", sentences),
        numbers={int(sentence): int(item) for sentence, item, _ in numbered},
        decided_by={int(sentence): tags.split(",") for sentence, _, tags in numbered if tags},
    )


def read_details(path: Path, sentences: int) -> list[Detail]:
    rows = []
    for sentence, annotator, seconds, skipped in read_cells(path, DETAIL_COLUMNS):
        if not 1 <= int(sentence) <= sentences or not re.fullmatch(r"(\d+(\.\d+)?)?", seconds):
            raise BadJudgements(f"{path}: expected a sentence from 1 to {sentences} and seconds")
        rows.append(
            Detail(
                sentence=int(sentence),
                annotator=annotator,
                seconds=float(seconds) if seconds else None,
                skipped=skipped == "yes",
            )
        )
    return rows


def read_trees(path: Path) -> list[str]:
    """Without comments and whatever else a tree does not show. Raises `InvalidFile`."""
    treebank = evaluation.read(str(path), limits=reading_limits(), format=FORMAT)
    return [anonymous_source(treebank, number) for number in range(treebank.sentences)]


def read_cells(path: Path, columns: Sequence[str]) -> Iterator[list[str]]:
    """The rows of a table that an export wrote; none if there is no such file."""
    if not path.is_file():
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        is_heading = number == 1
        numbers = cells[:1] if columns == DETAIL_COLUMNS else cells[:2]
        if len(cells) != len(columns) or (is_heading and tuple(cells) != tuple(columns)):
            expected = "<tab>".join(columns)
            raise BadJudgements(f"{path}: line {number}: expected {expected}, found {line[:80]!r}")
        if not is_heading and not all(cell.isascii() and cell.isdigit() for cell in numbers):
            raise BadJudgements(f"{path}: line {number}: expected a number, found {line[:80]!r}")
        if not is_heading:
            yield cells
