"""Import a task from its folder on the disk, trusting it: what the demo and the tests begin with."""

from __future__ import annotations

from pathlib import Path

from sharedtask.competition.folder.apply import apply
from sharedtask.competition.folder.checks import read_folder
from sharedtask.competition.folder.files import FolderOnDisk
from sharedtask.competition.folder.problems import BadTaskFolder
from sharedtask.competition.models import Task

__all__ = ["BadTaskFolder", "load_task"]


def load_task(folder: Path) -> Task:
    return apply(folder=read_folder(FolderOnDisk(folder)), by=None).task
