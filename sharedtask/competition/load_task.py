"""Load a task from its folder: `task.yaml` with `gold/<code>.conllu` beside it.

In: the folder. Out: the `Task` with its test sets, files in storage, rows in one transaction. Loading
again changes what has changed and nothing else. A test set whose gold is invalid, or does not spell its
raw text, is refused.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from django.db import transaction

import evaluation
from sharedtask import storage
from sharedtask.competition.models import Task, TestSet


class BadTaskFolder(Exception):
    """The folder cannot be loaded; the message names the file."""


def load_task(folder: Path) -> Task:
    told: dict[str, Any] = yaml.safe_load((folder / "task.yaml").read_text(encoding="utf-8"))
    sets = [
        load_test_set(folder, told["slug"], told["profile"], position, entry)
        for position, entry in enumerate(told["test_sets"])
    ]
    with transaction.atomic():
        task, _ = Task.objects.update_or_create(
            slug=told["slug"],
            defaults={
                "title": told["title"],
                "summary": told["summary"],
                "description": paragraphs(told["description"]),
                "profile": told["profile"],
                "missing_policy": told["missing"],
                "baselines_ranked": told["baselines_ranked"],
                "blind": told["blind"],
                "groups": told["groups"],
                "opens_at": told["opens_at"],
                "closes_at": told["closes_at"],
            },
        )
        for values in sets:
            TestSet.objects.update_or_create(task=task, code=values.pop("code"), defaults=values)
    return task


def load_test_set(
    folder: Path, slug: str, profile: str, position: int, entry: dict[str, Any]
) -> dict[str, Any]:
    """Check one gold file, store it and its raw text, and give the values of its row."""
    path = folder / "gold" / f"{entry['code']}.conllu"
    try:
        gold = evaluation.read(path)
    except evaluation.InvalidFile as error:
        raise BadTaskFolder(str(error)) from error
    text = evaluation.raw_text(gold)
    report = evaluation.check_test_set(gold, text, profile)
    if not report.valid:
        raise BadTaskFolder(f"{path.name}: {report.incidents[0].message}")
    # Names carry the hash: a corrected gold file gets a new name, and a worker never reads half of each.
    gold_name = f"gold/{slug}/{entry['code']}-{gold.sha256[:16]}.conllu"
    text_name = f"inputs/{slug}/{entry['code']}-{gold.sha256[:16]}.txt"
    if not storage.path_of(gold_name).exists():
        storage.store(gold_name, [path.read_bytes()])
    if not storage.path_of(text_name).exists():
        storage.store(text_name, [text.encode()])
    return {
        "code": entry["code"],
        "language": entry["language"],
        "language_tag": entry["tag"],
        "groups": entry["groups"],
        "position": position,
        "note": entry.get("note", ""),
        "gold": gold_name,
        "gold_sha256": gold.sha256,
        "raw_text": text_name,
        "raw_characters": sum(not character.isspace() for character in text),
    }


def paragraphs(text: str) -> str:
    """Lines of a paragraph joined, so that the page breaks them and not the file."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
