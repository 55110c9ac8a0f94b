"""Build a task folder for judged outputs: their gold files, and one phase that is over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from evaluation.judgements.folder import PROFILE
from sharedtask.content.judgements.read import JudgedData
from sharedtask.folders.files import FilesInMemory
from sharedtask.folders.problems import TASK_FILE
from sharedtask.folders.write_yaml import write_yaml

PHASE = "judged"
DURATION = timedelta(hours=1)
SUMMARY = "Outputs that people have judged, with their judgements."
DESCRIPTION = (
    "Annotators compared the trees of two systems and said which is better. The page *Human judgements* has "
    "the results: how far people agree, which system they prefer, and how well each metric agrees with them."
)


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the person who loads the folders decides."""

    slug: str
    title: str = ""
    verbs: Sequence[str] = ()
    content: Sequence[str] = ()
    function: Sequence[str] = ()
    separates_annotators: bool = False
    """Whether one name in two folders means two people."""


def task_folder(data: JudgedData, choices: Choices, *, title: str, opens_at: datetime) -> FilesInMemory:
    values = {
        "slug": choices.slug,
        "title": title,
        "summary": SUMMARY,
        "description": DESCRIPTION,
        "profile": data.settings.get("profile", PROFILE),
        "verbs": list(choices.verbs or data.settings.get("verbs", ())),
        "main_metrics": list(data.settings.get("main_metrics", ())),
        "missing": "exclude",
        "resampling_unit": "sentence",
        "test_sets": [
            {"code": folder.code, "language": folder.language, "tag": folder.tag, "public_gold": True}
            for folder in data.folders
        ],
        "phases": [
            {
                "code": PHASE,
                "kind": "development",
                "title": "Judged outputs",
                "feedback": "scores",
                "opens_at": opens_at,
                "closes_at": opens_at + DURATION,
            }
        ],
    }
    files = {TASK_FILE: write_yaml({name: value for name, value in values.items() if value})}
    files |= {f"gold/{folder.code}.conllu": folder.gold.read_bytes() for folder in data.folders}
    return FilesInMemory(files)
