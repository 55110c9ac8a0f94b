from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from sharedtask.operations.sweep import sweep


class Command(BaseCommand):
    help = "Dispatch orphaned work again and remove stray files."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--now",
            action="store_true",
            help="do not wait for messages that may be under way, for example after the broker was emptied",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        report = sweep(patience=timedelta(0) if options["now"] else None)
        self.stdout.write(str(report))
