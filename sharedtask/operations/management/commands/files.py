from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sharedtask.operations import backup


class Command(BaseCommand):
    help = "Export all stored files as a tar archive to stdout, import one from stdin, or check them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["export", "import", "check"])

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "export":
            for name in backup.export_files(sys.stdout.buffer):
                self.stderr.write(f"{name} is missing from storage")
        elif options["what"] == "import":
            number = backup.import_files(sys.stdin.buffer)
            self.stdout.write(f"Stored {number} files.")
        else:
            problems = list(backup.check_files())
            for problem in problems:
                self.stderr.write(problem)
            if problems:
                raise CommandError(f"{len(problems)} files are missing or have changed.")
            self.stdout.write("All files are present.")
