"""Read a task folder: task.yaml and every file that it names.

In: `Files`. Out: a `TaskFolder`, checked as far as a folder can be without a database; or `BadTaskFolder`
with all its problems. A test set that names no gold has it in gold/<code>.conllu; one that names no raw
text has it in raw/<code>.txt. Where that is not there, the text is made from gold, if gold is public.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import evaluation
from sharedtask.competition.models import InputFile
from sharedtask.core.limits import reading_limits
from sharedtask.folders.files import Files
from sharedtask.folders.parse import Entry, parse
from sharedtask.folders.problems import TASK_FILE, BadTaskFolder, Problem


@dataclass(frozen=True)
class StoredVersion:
    """One version of a file; number None is the short form: the newest version, or the one after it."""

    entry: Entry
    file: str
    number: int | None
    content: bytes

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True)
class GoldFile(StoredVersion):
    note: str
    public: bool


@dataclass(frozen=True)
class GivenFile(StoredVersion):
    variant: str
    sample: bool
    made_from_gold: bool = False

    @property
    def is_raw_text(self) -> bool:
        return self.variant == InputFile.RAW

    @property
    def suffix(self) -> str:
        return ".conllu" if self.file.endswith(".conllu") else ".txt"


@dataclass(frozen=True, kw_only=True)
class SetInFolder:
    entry: Entry
    gold: tuple[GoldFile, ...]
    inputs: tuple[GivenFile, ...]

    @property
    def code(self) -> str:
        return str(self.entry["code"])

    @property
    def raw_texts(self) -> list[GivenFile]:
        return [file for file in self.inputs if file.is_raw_text]


@dataclass(frozen=True, kw_only=True)
class TaskFolder:
    task: Entry
    test_sets: tuple[SetInFolder, ...]
    phases: tuple[Entry, ...]

    @property
    def slug(self) -> str:
        return str(self.task["slug"])


class Reader:
    """Collects what is missing while it reads what is there."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.problems: list[Problem] = []

    def test_set(self, entry: Entry) -> SetInFolder:
        gold = self.gold(entry)
        inputs = [*self.raw_text(entry, gold), *self.inputs(entry)]
        self.number_in_order(entry, "gold", gold)
        for variant in {file.variant for file in inputs}:
            self.number_in_order(entry, "inputs", [file for file in inputs if file.variant == variant])
        return SetInFolder(entry=entry, gold=tuple(gold), inputs=tuple(inputs))

    def gold(self, entry: Entry) -> list[GoldFile]:
        if entry["gold"] is not None:
            return [
                GoldFile(told, told["file"], told["version"], content, told["note"].strip(), told["public"])
                for told in entry["gold"]
                if (content := self.named(told)) is not None
            ]
        name = f"gold/{entry['code']}.conllu"
        content = self.files.read(name)
        if content is None:
            message = f"{name} is not there; a test set whose gold is still to come says `gold: []`"
            self.problems.append(entry.problem("gold", message))
            return []
        return [GoldFile(entry, name, None, content, "", entry["public_gold"])]

    def inputs(self, entry: Entry) -> list[GivenFile]:
        return [
            GivenFile(told, told["file"], told["version"], content, told["variant"], told["sample"])
            for told in entry["inputs"] or []
            if (content := self.named(told)) is not None
        ]

    def raw_text(self, entry: Entry, gold: list[GoldFile]) -> list[GivenFile]:
        """The raw text where it is not among the inputs: from its own file, or from gold that is public."""
        if any(told["variant"] == InputFile.RAW for told in entry["inputs"] or []):
            return []
        name = raw_text_name(entry["code"])
        content = self.files.read(name)
        if content is not None:
            return [GivenFile(entry, name, None, content, InputFile.RAW, False)]
        made = text_of_gold(gold)
        if made is None:
            return []
        return [GivenFile(entry, name, None, made, InputFile.RAW, False, made_from_gold=True)]

    def named(self, told: Entry) -> bytes | None:
        if told["file"] in (None, "") or told["version"] is None:
            return None
        content = self.files.read(told["file"])
        if content is None:
            self.problems.append(told.problem("file", f"{told['file']} is not in the folder"))
        return content

    def number_in_order(self, entry: Entry, field: str, versions: list[GoldFile] | list[GivenFile]) -> None:
        numbers = [version.number for version in versions if version.number is not None]
        if numbers != list(range(1, len(numbers) + 1)):
            found = ", ".join(map(str, numbers))
            message = f"found versions {found}, expected 1, 2, 3 … in this order"
            place = versions[0].entry if versions else entry
            name = "version" if place is not entry else field
            self.problems.append(place.problem(name, message))


def raw_text_name(code: str) -> str:
    return f"raw/{code}.txt"


def text_of_gold(gold: list[GoldFile]) -> bytes | None:
    """The running text of the newest gold. None where it is not public, or cannot be read: the checks say so.

    What is given out must not be made from gold that is not: its white space would tell where sentences and
    tokens end.
    """
    if not gold or not gold[-1].public:
        return None
    try:
        return evaluation.raw_text(evaluation.read(gold[-1].content, limits=reading_limits())).encode()
    except evaluation.InvalidFile:
        return None


def read_parts(files: Files) -> TaskFolder:
    """Everything read, nothing compared yet."""
    content = files.read(TASK_FILE)
    if content is None:
        message = "this file is not in the folder"
        raise BadTaskFolder([Problem(file=TASK_FILE, line=None, field="", message=message)])
    task, problems = parse(content)
    if task is None or problems:
        raise BadTaskFolder(problems)
    reader = Reader(files)
    test_sets = tuple(reader.test_set(entry) for entry in task["test_sets"])
    if reader.problems:
        raise BadTaskFolder(reader.problems)
    return TaskFolder(task=task, test_sets=test_sets, phases=tuple(task["phases"]))
