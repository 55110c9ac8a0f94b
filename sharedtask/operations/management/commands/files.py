from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from sharedtask.operations import backup


class Command(BaseCommand):
    help = "Write all stored files to the output as a tar archive, read such an archive, or check them."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("what", choices=["export", "import", "check"])

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "export":
            for name in backup.export_files(sys.stdout.buffer):
                self.stderr.write(f"{name} is named by a row and is not in storage")
        elif options["what"] == "import":
            number = backup.import_files(sys.stdin.buffer)
            self.stdout.write(f"Stored {number} files.")
        else:
            faults = list(backup.check_files())
            for fault in faults:
                self.stderr.write(fault)
            if faults:
                raise CommandError(f"{len(faults)} files are not as they should be.")
            self.stdout.write("Every row has its file.")
