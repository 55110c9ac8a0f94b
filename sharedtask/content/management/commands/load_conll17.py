"""Load the CoNLL 2017 shared task with its teams and outputs, scored and published; safe to repeat."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

from sharedtask.content.conll17.load import load
from sharedtask.content.conll17.task import SLUG
from sharedtask.content.conll17.test_set import BadData
from sharedtask.content.local_site import errors_of_the_site, find_organiser, use_local_key

ACCOUNT = "conll17"


class Command(BaseCommand):
    help = (
        "Load the CoNLL 2017 shared task: test sets, teams, outputs, scores and results. Running it again "
        "changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, metavar="DIR", help="folder with <treebank>.tar.xz or <treebank>/"
        )
        parser.add_argument("--slug", default=SLUG, help=f"the task's name in URLs (default: {SLUG})")
        parser.add_argument("--organiser", metavar="NAME", help="account of the organiser")
        parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of processes")

    def handle(
        self, *args: Any, folder: Path, slug: str, organiser: str | None, jobs: int, **options: Any
    ) -> None:
        began = time.monotonic()
        use_local_key()
        if options["verbosity"] < 2:
            # A log line per checked or scored file would hide the progress.
            logging.getLogger("sharedtask").setLevel(logging.WARNING)
        with errors_of_the_site(BadData):
            user = find_organiser(organiser, default=ACCOUNT)
            task = load(folder, slug=slug, organiser=user, jobs=jobs, report=self.report)
        self.stdout.write(
            f"Loaded {task.title}: {reverse('leaderboard', args=[task.slug])}, "
            f"{time.monotonic() - began:.0f} seconds."
        )

    def report(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
