"""`manage.py layout`: whether the database fits this version, said by the exit status."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from sharedtask.operations.layout import fits

ANOTHER = 3


class Command(BaseCommand):
    help = f"Exit with {ANOTHER} if the database was written by another version; nothing is changed."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        if not fits(connection):
            raise CommandError("The database has the tables of another version.", returncode=ANOTHER)
