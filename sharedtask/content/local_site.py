"""What commands that load a past task need of this site: its key, an organiser, and errors in plain words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management.base import CommandError
from django.db import OperationalError, ProgrammingError

from sharedtask.accounts.models import User
from sharedtask.content.conll17.local_work import WorkerTimeout
from sharedtask.core import sealing
from sharedtask.folders.problems import BadTaskFolder


@contextmanager
def errors_of_the_site(*errors: type[Exception]) -> Iterator[None]:
    """These errors, and those of a site that is not ready, end the command with their message."""
    expected: tuple[type[Exception], ...] = (*errors, BadTaskFolder, WorkerTimeout)
    try:
        sealing.check_pair()
        yield
    except expected as error:
        raise CommandError(str(error)) from error
    except (sealing.NoPrivateKey, sealing.NoPublicKey) as error:
        raise CommandError(
            f"Gold cannot be encrypted and decrypted here: {error}. Start the site once with "
            "`make serve`, or set GOLD_PRIVATE_KEY_FILE as for a worker."
        ) from error
    except (OperationalError, ProgrammingError) as error:
        raise CommandError(f"The database is not ready ({error}). Run `manage.py migrate` first.") from error


def use_local_key() -> None:
    """Use the key pair of `make serve`, unless the environment gives another one, as for workers."""
    local = Path(settings.DATA_DIR) / "keys" / "gold.private"
    if not settings.GOLD_PRIVATE_KEY_FILE and local.is_file():
        settings.GOLD_PRIVATE_KEY_FILE = str(local)


def find_organiser(name: str | None, *, default: str) -> User:
    """The account that organises the task; by default one that nobody can sign in to."""
    if name is None:
        account, created = User.objects.get_or_create(username=default)
        if created:
            account.set_unusable_password()
            account.save(update_fields=["password"])
        return account
    user = User.objects.filter(username=name).first()
    if user is None:
        raise CommandError(f"There is no account {name}.")
    return user
