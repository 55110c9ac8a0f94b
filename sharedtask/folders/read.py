"""Read a task folder: task.yaml and every file that it names.

In: `Files`. Out: a `TaskFolder`, not yet checked; or `BadTaskFolder` with all problems. By default the gold
of a test set is gold/<code>.conllu, its raw text is raw/<code>.txt, and its training data, if there is any,
is train/<code>.conllu. If there is no such text and gold is public, the text is made from gold; the input of
a task that gives tokens always is, with hidden columns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

import evaluation
from evaluation import FORMATS, PROFILES, Format
from evaluation.reading.hide_columns import hide_columns
from evaluation.signature import combined_hash
from sharedtask.competition.models import InputFile
from sharedtask.core.limits import reading_limits
from sharedtask.folders.error_classes import read_error_classes
from sharedtask.folders.files import Files
from sharedtask.folders.parse import YamlEntry, parse
from sharedtask.folders.problems import TASK_FILE, BadTaskFolder, Problem
from sharedtask.folders.scoring_checks import check_scoring, format_of


@dataclass(frozen=True)
class FileVersion:
    """One version of a file. In the short form `number` is None: the newest or the next one."""

    entry: YamlEntry
    file: str
    number: int | None
    content: bytes

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class FolderReference:
    """Another annotation of the same tokens."""

    entry: YamlEntry
    file: str
    name: str
    content: bytes


@dataclass(frozen=True)
class FolderGold(FileVersion):
    note: str
    public: bool
    references: tuple[FolderReference, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Of the file and its further references."""
        hashes = {file.name: hashlib.sha256(file.content).hexdigest() for file in self.references}
        return combined_hash(hashlib.sha256(self.content).hexdigest(), hashes)

    @property
    def contents(self) -> list[bytes]:
        return [self.content, *(reference.content for reference in self.references)]


@dataclass(frozen=True)
class FolderInput(FileVersion):
    variant: str
    sample: bool
    made_from_gold: bool = False

    @property
    def is_raw_text(self) -> bool:
        return self.variant == InputFile.RAW

    @property
    def is_given(self) -> bool:
        return self.variant in (InputFile.RAW, InputFile.TOKENS)

    @property
    def is_training_data(self) -> bool:
        return self.variant == InputFile.TRAINING

    @property
    def suffix(self) -> str:
        return ".conllu" if self.file.endswith(".conllu") else ".txt"


@dataclass(frozen=True, kw_only=True)
class FolderTestSet:
    entry: YamlEntry
    gold: tuple[FolderGold, ...]
    inputs: tuple[FolderInput, ...]
    format: Format = FORMATS["conllu"]
    gives_tokens: bool = False
    """Whether participants get tokens instead of raw text."""
    with_contents: bool = True
    """False if the task is edited on the site: its files stay, and the web process cannot read gold."""

    @property
    def code(self) -> str:
        return str(self.entry["code"])

    @property
    def released_at(self) -> datetime | None:
        """When its name and its inputs are both public; None: at once."""
        times = (self.entry["revealed_at"], self.entry["inputs_released_at"])
        return max((time for time in times if time is not None), default=None)

    @property
    def raw_texts(self) -> list[FolderInput]:
        return [file for file in self.inputs if file.is_raw_text]

    @property
    def token_files(self) -> list[FolderInput]:
        return [file for file in self.inputs if file.variant == InputFile.TOKENS]


@dataclass(frozen=True, kw_only=True)
class TaskFolder:
    task: YamlEntry
    test_sets: tuple[FolderTestSet, ...]
    phases: tuple[YamlEntry, ...]

    @property
    def slug(self) -> str:
        return str(self.task["slug"])


class Reader:
    """Reads the files and collects problems."""

    def __init__(self, files: Files, task: YamlEntry) -> None:
        self.files = files
        self.profile = PROFILES[task["profile"]]
        self.format = format_of(task, self.profile)
        self.given_columns = task["given_columns"]
        self.tracks: list[YamlEntry] = task["tracks"]
        self.problems: list[Problem] = []

    def test_set(self, entry: YamlEntry) -> FolderTestSet:
        gold = self.gold(entry)
        checked_input = self.token_file if self.profile.tokens_given else self.raw_text
        inputs = [
            *checked_input(entry, gold),
            *self.track_inputs(entry, gold),
            *self.training_data(entry),
            *self.inputs(entry),
        ]
        self.check_numbers(entry, "gold", gold)
        for variant in {file.variant for file in inputs}:
            self.check_numbers(entry, "inputs", [file for file in inputs if file.variant == variant])
        return FolderTestSet(
            entry=entry,
            gold=tuple(gold),
            inputs=tuple(inputs),
            format=self.format,
            gives_tokens=self.profile.tokens_given,
        )

    def gold(self, entry: YamlEntry) -> list[FolderGold]:
        if entry["gold"] is not None:
            return [
                FolderGold(
                    item,
                    item["file"],
                    item["version"],
                    content,
                    item["note"].strip(),
                    item["public"],
                    tuple(self.references(item)),
                )
                for item in entry["gold"]
                if (content := self.read_named(item)) is not None
            ]
        name = f"gold/{entry['code']}.conllu"
        content = self.files.read(name)
        if content is None:
            message = f"{name} is missing; use `gold: []` for a test set whose gold will be added later"
            self.problems.append(entry.problem("gold", message))
            return []
        return [FolderGold(entry, name, None, content, "", entry["public_gold"])]

    def references(self, gold: YamlEntry) -> Iterator[FolderReference]:
        for item in gold["references"]:
            # A missing field has been reported by the parser.
            if item["file"] and item["name"] and (content := self.read_file(item)) is not None:
                yield FolderReference(item, item["file"], item["name"], content)

    def inputs(self, entry: YamlEntry) -> list[FolderInput]:
        return [
            FolderInput(
                item,
                item["file"],
                item["version"],
                content,
                item["variant"],
                # Training data is another text too, and public from the start.
                item["sample"] or item["variant"] == InputFile.TRAINING,
            )
            for item in entry["inputs"] or []
            if (content := self.read_named(item)) is not None
        ]

    def training_data(self, entry: YamlEntry) -> list[FolderInput]:
        """The training data if it is not listed under `inputs`: its own file, which may be missing."""
        if any(item["variant"] == InputFile.TRAINING for item in entry["inputs"] or []):
            return []
        name = f"{InputFile.TRAINING}/{entry['code']}.conllu"
        content = self.files.read(name)
        return [] if content is None else [FolderInput(entry, name, None, content, InputFile.TRAINING, True)]

    def raw_text(self, entry: YamlEntry, gold: list[FolderGold]) -> list[FolderInput]:
        """The raw text if it is not listed under `inputs`: from its own file, or made from public gold."""
        if any(item["variant"] == InputFile.RAW for item in entry["inputs"] or []):
            return []
        name = raw_text_name(entry["code"])
        content = self.files.read(name)
        if content is not None:
            return [FolderInput(entry, name, None, content, InputFile.RAW, False)]
        text = text_of_gold(gold, self.format)
        if text is None:
            return []
        return [FolderInput(entry, name, None, text, InputFile.RAW, False, made_from_gold=True)]

    def token_file(self, entry: YamlEntry, gold: list[FolderGold]) -> list[FolderInput]:
        """The given tokens if they are not listed under `inputs`: gold with every other column hidden."""
        if not gold or any(item["variant"] == InputFile.TOKENS for item in entry["inputs"] or []):
            return []
        try:
            tokens = tokens_of_gold(gold[-1], self.format, self.given_columns)
        except (evaluation.InvalidFile, ValueError):
            # The checks report what is wrong with it.
            return []
        name = made_file_name(InputFile.TOKENS, entry)
        return [FolderInput(entry, name, None, tokens, InputFile.TOKENS, False, made_from_gold=True)]

    def track_inputs(self, entry: YamlEntry, gold: list[FolderGold]) -> Iterator[FolderInput]:
        """What tracks give besides the tokens, if it is not listed: gold with every other column hidden."""
        listed = {item["variant"] for item in entry["inputs"] or []}
        tracks = [track for track in self.tracks if track["given_columns"]]
        for variant, columns in {track["input"]: track["given_columns"] for track in tracks}.items():
            if not gold or not variant or variant in listed:
                continue
            try:
                content = tokens_of_gold(gold[-1], self.format, columns)
            except (evaluation.InvalidFile, ValueError):
                continue
            name = made_file_name(variant, entry)
            yield FolderInput(entry, name, None, content, variant, False, made_from_gold=True)

    def read_named(self, item: YamlEntry) -> bytes | None:
        """The file that an entry of `gold` or `inputs` names."""
        if item["file"] in (None, "") or item["version"] is None:
            return None
        return self.read_file(item)

    def read_file(self, item: YamlEntry) -> bytes | None:
        content = self.files.read(item["file"])
        if content is None:
            self.problems.append(item.problem("file", f"{item['file']} is not in the folder"))
        return content

    def check_numbers(
        self, entry: YamlEntry, field: str, versions: list[FolderGold] | list[FolderInput]
    ) -> None:
        numbers = [version.number for version in versions if version.number is not None]
        if numbers != list(range(1, len(numbers) + 1)):
            message = f"found versions {', '.join(map(str, numbers))}, expected 1, 2, 3 … in this order"
            place = versions[0].entry if versions else entry
            name = "version" if place is not entry else field
            self.problems.append(place.problem(name, message))


def made_file_name(variant: str, entry: YamlEntry) -> str:
    """Of an input that is made from gold, in messages."""
    return f"{variant}/{entry['code']}.conllu"


def raw_text_name(code: str) -> str:
    return f"raw/{code}.txt"


def tokens_of_gold(gold: FolderGold, format: Format, given: list[str]) -> bytes:
    """Raises ValueError for lines with another number of columns."""
    return hide_columns(gold.content, format, given=given, limits=reading_limits())


def text_of_gold(gold: list[FolderGold], format: Format) -> bytes | None:
    """The running text of the newest gold; None if gold is not public or invalid (the checks report it).

    A text made from sealed gold must not be published: its white space would show where sentences and tokens
    end.
    """
    if not gold or not gold[-1].public:
        return None
    try:
        treebank = evaluation.read(gold[-1].content, limits=reading_limits(), format=format)
        return evaluation.raw_text(treebank).encode()
    except evaluation.InvalidFile:
        return None


def read_parts(files: Files) -> TaskFolder:
    """Read everything; `checks.py` compares."""
    content = files.read(TASK_FILE)
    if content is None:
        message = "this file is missing"
        raise BadTaskFolder([Problem(file=TASK_FILE, line=None, field="", message=message)])
    task, problems = parse(content)
    if task is None or problems:
        raise BadTaskFolder(problems)
    wrong = list(check_scoring(task))
    if problem := read_error_classes(files, task):
        wrong.append(problem)
    if wrong:
        raise BadTaskFolder(wrong)
    reader = Reader(files, task)
    test_sets = tuple(reader.test_set(entry) for entry in task["test_sets"])
    if reader.problems:
        raise BadTaskFolder(reader.problems)
    return TaskFolder(task=task, test_sets=test_sets, phases=tuple(task["phases"]))
