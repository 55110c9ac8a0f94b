"""`manage.py airlock find|check`: which container engine answers, and whether it holds what it must hold."""

from __future__ import annotations

import time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from airlock.engine import Engine, EngineUnavailable, connect, preflight

FOUND = "engine:"
NOT_FOUND = "none:"
CHECK_SECONDS = 900
"""The suite takes one to three minutes; an engine that answers slowly is not waited for endlessly."""


class Command(BaseCommand):
    help = "Find a container engine for the software of teams, or run the escape suite against it."
    requires_system_checks = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("verb", choices=("find", "check"))
        parser.add_argument(
            "--engine", default="", help="its address, for example unix:///var/run/docker.sock"
        )

    def handle(self, *args: Any, verb: str, engine: str, **options: Any) -> None:
        if verb == "find":
            self.find(engine)
        else:
            self.check_engine(engine)

    def connect(self, address: str) -> Engine:
        return connect(address or settings.AIRLOCK_ENGINE or None, ulimit_shim=settings.AIRLOCK_ULIMIT_SHIM)

    def find(self, address: str) -> None:
        """One line for `make serve`: the address and the description of the engine, or the reason."""
        try:
            engine = self.connect(address)
        except EngineUnavailable as error:
            self.stdout.write(f"{NOT_FOUND} {error}")
        else:
            line = f"{FOUND} {engine.facts.url} {engine.description}"
            self.stdout.write(f"{NOT_FOUND} {engine.refusal}" if engine.refusal else line)

    def check_engine(self, address: str) -> None:
        """A line per attempt; the exit status is 1 if anything was not contained."""
        try:
            engine = self.connect(address)
        except EngineUnavailable as error:
            raise CommandError(str(error)) from error
        self.stdout.write(engine.description)
        escaped, end = 0, time.monotonic() + CHECK_SECONDS
        for row in preflight(engine):
            escaped += not row.contained
            self.stdout.write(
                f"{'contained' if row.contained else 'ESCAPED':<10} {row.attempt:<32} {row.finding}"
            )
            # In a pipe, as of a container, nothing would be seen before the end.
            self.stdout.flush()
            if time.monotonic() > end:
                raise CommandError(
                    f"The check did not end within {CHECK_SECONDS // 60} minutes: the engine is too slow."
                )
        if escaped:
            raise CommandError(
                f"{escaped} attempts were not contained: do not run software with this engine."
            )
        self.stdout.write("Everything was contained.")
