"""Import a task from a folder on disk without asking for approval; for the demo and the tests."""

from __future__ import annotations

from pathlib import Path

from sharedtask.competition.models import Task
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.files import FolderOnDisk
from sharedtask.folders.problems import BadTaskFolder

__all__ = ["BadTaskFolder", "load_task"]


def load_task(folder: Path) -> Task:
    return apply(folder=read_folder(FolderOnDisk(folder)), by=None).task
