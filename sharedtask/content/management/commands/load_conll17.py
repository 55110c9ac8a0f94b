"""Load the CoNLL 2017 shared task, all its teams and their outputs, scored and published; safe to repeat."""

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
from sharedtask.content.conll17.task import SLUG
from sharedtask.content.conll17.test_set import BadData
from sharedtask.content.conll17.work import StillWaiting
from sharedtask.core import sealing
from sharedtask.folders.problems import BadTaskFolder

ACCOUNT = "conll17"


class Command(BaseCommand):
    help = (
        "Load the CoNLL 2017 shared task: test sets, teams, their outputs, scores, results; run again, it "
        "changes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, metavar="DIR", help="with <treebank>.tar.xz or <treebank>/ in it"
        )
        parser.add_argument("--slug", default=SLUG, help=f"the task's name in addresses (default {SLUG})")
        parser.add_argument("--organiser", metavar="NAME", help="an account that organises the task")
        parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="number of processes")

    def handle(
        self, *args: Any, folder: Path, slug: str, organiser: str | None, jobs: int, **options: Any
    ) -> None:
        began = time.monotonic()
        use_the_key_of_this_machine()
        if options["verbosity"] < 2:
            # A line for every file that was checked or scored would hide the progress.
            logging.getLogger("sharedtask").setLevel(logging.WARNING)
        try:
            sealing.check_pair()
            task = load(folder, slug=slug, organiser=account(organiser), jobs=jobs, say=self.say)
        except (BadData, BadTaskFolder, StillWaiting) as error:
            raise CommandError(str(error)) from error
        except (sealing.NoPrivateKey, sealing.NoPublicKey) as error:
            raise CommandError(
                f"Gold cannot be sealed and opened here: {error}. Start the site once with `make serve`, "
                "or set GOLD_PRIVATE_KEY_FILE as for a worker."
            ) from error
        except (OperationalError, ProgrammingError) as error:
            raise CommandError(
                f"The database is not ready ({error}). Run `manage.py migrate` first."
            ) from error
        self.stdout.write(
            f"{task.title} is loaded: {reverse('leaderboard', args=[task.slug])}, "
            f"{time.monotonic() - began:.0f} seconds."
        )

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def use_the_key_of_this_machine() -> None:
    """Where `make serve` keeps the pair, unless the environment names another as it does for workers."""
    own = Path(settings.DATA_DIR) / "keys" / "gold.private"
    if not settings.GOLD_PRIVATE_KEY_FILE and own.is_file():
        settings.GOLD_PRIVATE_KEY_FILE = str(own)


def account(name: str | None) -> User:
    """Somebody has to have released and published. Without a name it is an account that nobody can enter."""
    if name is None:
        user, created = User.objects.get_or_create(username=ACCOUNT)
        if created:
            user.set_unusable_password()
            user.save(update_fields=["password"])
        return user
    found = User.objects.filter(username=name).first()
    if found is None:
        raise CommandError(f"There is no account {name}.")
    return found
