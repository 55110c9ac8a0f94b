"""A small induction task in three tracks, in memory; dependencies opens after the others have closed."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import yaml

from sharedtask.competition.models import Task
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.files import FilesInMemory

GOLD = (
    "1\tBirds\tbird\tN\tNNS\tNOUN\tNumber=Plur\t2\tnsubj\n"
    "2\tsing\tsing\tV\tVBP\tVERB\t_\t0\troot\n"
    "3\tloudly\tloudly\tR\tRB\tADV\t_\t2\tadvmod\n"
    "4\t.\t.\t.\t.\tPUNCT\t_\t2\tpunct\n\n"
)
TAGGED = GOLD.replace("\t2\tnsubj", "\t_\t_").replace("\t0\troot", "\t_\t_")
TAGGED = TAGGED.replace("\t2\tadvmod", "\t_\t_").replace("\t2\tpunct", "\t_\t_")
FORMS = ("Birds", "sing", "loudly", ".")
TOKENS = "".join(f"{n}\t{form}" + "\t_" * 7 + "\n" for n, form in enumerate(FORMS, 1)) + "\n"
CLASSES = "".join(
    f"{n}\t{form}\t_\t_\t_\t{name}\t_\t_\t_\n"
    for n, (form, name) in enumerate(zip(FORMS, "xyxz", strict=True), 1)
)
CLASSES += "\n"
TREES = (
    "1\tBirds\t_\t_\t_\t_\t_\t2\t_\n2\tsing\t_\t_\t_\t_\t_\t0\troot\n"
    "3\tloudly\t_\t_\t_\t_\t_\t2\t_\n4\t.\t_\t_\t_\t_\t_\t2\t_\n\n"
)
COLUMNS = ["LEMMA", "CPOSTAG", "POSTAG", "UPOSTAG", "FEATS"]
VALUES: dict[str, Any] = {
    "slug": "little",
    "title": "Little induction",
    "summary": "One sentence.",
    "description": "Three tracks.",
    "profile": "pascal12",
    "missing": "exclude",
    "replicates": 20,
    "tracks": [
        {"code": "tags", "title": "Tags", "reader": "nine-tags", "phases": ["first"]},
        {"code": "joint", "title": "Joint", "phases": ["first"]},
        {
            "code": "dependencies",
            "title": "Dependencies",
            "input": "tagged",
            "given_columns": COLUMNS,
            "phases": ["second"],
        },
    ],
    "test_sets": [{"code": "en_birds", "language": "English", "tag": "en"}],
    "phases": [
        {
            "code": "first",
            "kind": "test",
            "title": "First",
            "feedback": "validity",
            "opens_at": "2026-01-01T00:00:00Z",
            "closes_at": "2030-01-01T00:00:00Z",
            "runs_total": 1,
        },
        {
            "code": "second",
            "kind": "test",
            "title": "Second",
            "feedback": "validity",
            "opens_at": "2030-01-02T00:00:00Z",
            "closes_at": "2031-01-01T00:00:00Z",
        },
    ],
}


def induction_values(**changed: Any) -> dict[str, Any]:
    return deepcopy(VALUES) | changed


def induction_files(values: dict[str, Any], gold: str = GOLD) -> FilesInMemory:
    return FilesInMemory(
        {"task.yaml": yaml.safe_dump(values).encode(), "gold/en_birds.conllu": gold.encode()}
    )


def induction_task(**changed: Any) -> Task:
    return apply(folder=read_folder(induction_files(induction_values(**changed))), by=None).task
