"""Load the CoNLL 2017 shared task with its teams and outputs, scored and published; safe to repeat."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError, ProgrammingError
from django.urls import reverse

from sharedtask.accounts.models import User
from sharedtask.content.conll17.load import load
from sharedtask.content.conll17.local_work import WorkerTimeout
from sharedtask.content.conll17.task import SLUG
from sharedtask.content.conll17.test_set import BadData
from sharedtask.core import sealing
from sharedtask.folders.problems import BadTaskFolder

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
        try:
            sealing.check_pair()
            task = load(folder, slug=slug, organiser=find_organiser(organiser), jobs=jobs, report=self.report)
        except (BadData, BadTaskFolder, WorkerTimeout) as error:
            raise CommandError(str(error)) from error
        except (sealing.NoPrivateKey, sealing.NoPublicKey) as error:
            raise CommandError(
                f"Gold cannot be encrypted and decrypted here: {error}. Start the site once with "
                "`make serve`, or set GOLD_PRIVATE_KEY_FILE as for a worker."
            ) from error
        except (OperationalError, ProgrammingError) as error:
            raise CommandError(
                f"The database is not ready ({error}). Run `manage.py migrate` first."
            ) from error
        self.stdout.write(
            f"Loaded {task.title}: {reverse('leaderboard', args=[task.slug])}, "
            f"{time.monotonic() - began:.0f} seconds."
        )

    def report(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def use_local_key() -> None:
    """Use the key pair of `make serve`, unless the environment gives another one, as for workers."""
    local = Path(settings.DATA_DIR) / "keys" / "gold.private"
    if not settings.GOLD_PRIVATE_KEY_FILE and local.is_file():
        settings.GOLD_PRIVATE_KEY_FILE = str(local)


def find_organiser(name: str | None) -> User:
    """The account in whose name gold is released; by default one that nobody can sign in to."""
    if name is None:
        default, created = User.objects.get_or_create(username=ACCOUNT)
        if created:
            default.set_unusable_password()
            default.save(update_fields=["password"])
        return default
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account {name}.")
    return user
