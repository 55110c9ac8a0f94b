"""`manage.py archive SLUG DIR`: the results of a task as static files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sharedtask.archive.site.write import ArchiveError, write_archive
from sharedtask.competition.models import Task


class Command(BaseCommand):
    help = "Write the results of a task as static files: pages as visitors see them, and the data package."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", metavar="SLUG")
        parser.add_argument("folder", type=Path, metavar="DIR", help="created if missing; must be empty")
        parser.add_argument(
            "--sentences",
            type=int,
            default=0,
            metavar="N",
            help="include the N sentences with the most errors per system and test set",
        )

    def handle(self, *args: Any, slug: str, folder: Path, sentences: int, **options: Any) -> None:
        task = Task.objects.filter(slug=slug).first()
        if task is None:
            raise CommandError(f"There is no task {slug}.")
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CommandError(f"{folder} is not an empty folder. Choose another one.")
        try:
            number = write_archive(task, folder, sentences=sentences, report=self.stdout.write)
        except ArchiveError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{number} files written. Open {folder / 'index.html'}.")
