"""Load a task from its folder: `task.yaml`, `gold/<code>.conllu`, and `raw/<code>.txt` where it is given.

In: the folder. Out: the `Task` with its phases and test sets, in one transaction. Everything is read and
checked before anything is written: a test set whose gold is invalid, or does not spell its raw text, is
refused. Loading again changes what has changed and nothing else; a changed file becomes a new version.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from django.db import transaction

import evaluation
from sharedtask import clock
from sharedtask.competition.keep_files import keep_gold, keep_raw_text
from sharedtask.competition.models import Phase, Task, TestSet


class BadTaskFolder(Exception):
    """The folder cannot be loaded; the message names the file."""


@dataclass(frozen=True, kw_only=True)
class CheckedFiles:
    """The files of one test set, read and found to agree."""

    gold: bytes
    text: str


def load_task(folder: Path) -> Task:
    told: dict[str, Any] = yaml.safe_load((folder / "task.yaml").read_text(encoding="utf-8"))
    checked = [(entry, check_files(folder, entry["code"], told["profile"])) for entry in told["test_sets"]]
    with transaction.atomic():
        task = write_task(told)
        for position, (entry, files) in enumerate(checked):
            test_set = write_test_set(task, position, entry)
            keep_raw_text(test_set, files.text)
            released_at = clock.database_now() if entry.get("public_gold") else None
            keep_gold(test_set, files.gold, released_at=released_at)
        for entry in told["phases"]:
            write_phase(task, entry)
    return task


def check_files(folder: Path, code: str, profile: str) -> CheckedFiles:
    path = folder / "gold" / f"{code}.conllu"
    raw = folder / "raw" / f"{code}.txt"
    try:
        gold = evaluation.read(path)
    except evaluation.InvalidFile as error:
        raise BadTaskFolder(str(error)) from error
    text = raw.read_text(encoding="utf-8") if raw.exists() else evaluation.raw_text(gold)
    report = evaluation.check_test_set(gold, text, profile)
    if not report.valid:
        raise BadTaskFolder(f"{path.name}: {report.incidents[0].message}")
    return CheckedFiles(gold=path.read_bytes(), text=text)


def write_task(told: dict[str, Any]) -> Task:
    task, _ = Task.objects.update_or_create(
        slug=told["slug"],
        defaults={
            "title": told["title"],
            "summary": told["summary"],
            "description": paragraphs(told["description"]),
            "profile": told["profile"],
            "main_metrics": told.get("main_metrics") or list(evaluation.PROFILES[told["profile"]].main),
            "missing_policy": told["missing"],
            "baselines_ranked": told["baselines_ranked"],
            "groups": told["groups"],
        },
    )
    return task


def write_test_set(task: Task, position: int, entry: dict[str, Any]) -> TestSet:
    test_set, _ = TestSet.objects.update_or_create(
        task=task,
        code=entry["code"],
        defaults={
            "language": entry["language"],
            "language_tag": entry["tag"],
            "groups": entry["groups"],
            "position": position,
            "note": entry.get("note", ""),
            "licence": entry.get("licence", ""),
            "revealed_at": entry.get("revealed_at"),
            "inputs_released_at": entry.get("inputs_released_at"),
        },
    )
    return test_set


def write_phase(task: Task, entry: dict[str, Any]) -> Phase:
    """Without a list of its own, a phase has all test sets of the task."""
    phase, _ = Phase.objects.update_or_create(
        task=task,
        code=entry["code"],
        defaults={
            "kind": entry["kind"],
            "title": entry["title"],
            "opens_at": entry["opens_at"],
            "closes_at": entry.get("closes_at"),
            "feedback": entry["feedback"],
            "runs_a_day": entry.get("runs_a_day"),
            "runs_in_all": entry.get("runs_in_all"),
        },
    )
    chosen = task.test_sets.filter(code__in=entry["test_sets"]) if "test_sets" in entry else task.test_sets
    phase.test_sets.set(chosen.all())
    return phase


def paragraphs(text: str) -> str:
    """Lines of a paragraph joined, so that the page breaks them and not the file."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
