"""`manage.py layout`: check by exit status whether the database fits this version."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from sharedtask.operations.layout import fits

OTHER_VERSION = 3


class Command(BaseCommand):
    help = f"Exit with status {OTHER_VERSION} if the database belongs to another version; change nothing."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        if not fits(connection):
            raise CommandError(
                "This database belongs to another version of Arboretum.", returncode=OTHER_VERSION
            )
