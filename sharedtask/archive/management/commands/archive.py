"""`manage.py archive SLUG DIR`: the results of a task as plain files that need no server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sharedtask.archive.site.write import CannotArchive, write_archive
from sharedtask.competition.models import Task


class Command(BaseCommand):
    help = "Write the results of a task as plain files: pages as a visitor sees them, and the data package."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument(
            "folder", type=Path, metavar="DIR", help="made if it is not there; has to be empty"
        )
        parser.add_argument(
            "--sentences",
            type=int,
            default=0,
            metavar="N",
            help="also the trees of the N sentences with most errors, of each system on each test set",
        )

    def handle(self, *args: Any, slug: str, folder: Path, sentences: int, **options: Any) -> None:
        task = Task.objects.filter(slug=slug).first()
        if task is None:
            raise CommandError(f"There is no task {slug}.")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{folder} is not an empty folder; choose another.")
        try:
            number = write_archive(task, folder, sentences=sentences, say=self.stdout.write)
        except CannotArchive as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{number} files written; {folder / 'index.html'} is the first page.")
