"""Load the demo tasks with their teams and runs; safe to run at every start. Workers do the scoring."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from sharedtask.accounts.models import User
from sharedtask.competition.models import Task
from sharedtask.content.demo.teams import TEAMS, upload_demo_runs
from sharedtask.content.induction.load import load_induction
from sharedtask.folders.load_task import load_task
from sharedtask.folders.problems import BadTaskFolder

ORGANISER = "organiser"
SLUG = "demo"


class Command(BaseCommand):
    help = "Load the demo task with a baseline and four teams. Running it again changes nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--folder", type=Path, default=settings.BASE_DIR / "demo")
        parser.add_argument("--induction", action="store_true", help="also load the induction demo")

    def handle(self, *args: Any, **options: Any) -> None:
        task = self.load_or_keep(options["folder"])
        file = Path(settings.DATA_DIR) / "demo-accounts.txt"
        passwords = demo_passwords(file)
        users = {name: demo_user(name, password) for name, password in passwords.items()}
        task.organisers.add(users[ORGANISER])
        upload_demo_runs(task, options["folder"], {team.name: users[team.name.lower()] for team in TEAMS})
        if options["induction"]:
            load_induction(options["folder"], users).organisers.add(users[ORGANISER])
        self.stdout.write(f"Demo accounts (name, password), also in {file}:")
        for name, password in passwords.items():
            self.stdout.write(f"  {name:<10} {password}")

    def load_or_keep(self, folder: Path) -> Task:
        """A site still starts after organisers have tried something on it, such as a corrected gold file."""
        try:
            return load_task(folder)
        except BadTaskFolder as error:
            task = Task.objects.filter(slug=SLUG).first()
            if task is None:
                raise
            self.stderr.write(
                f"The demo task on the site is left unchanged, because its folder cannot be imported: {error}"
            )
            return task


def demo_passwords(path: Path) -> dict[str, str]:
    """Generated at the first load and stored in a file that only its owner can read."""
    names = [ORGANISER, *(team.name.lower() for team in TEAMS)]
    stored: dict[str, str] = {}
    if path.exists():
        stored = dict(line.split(maxsplit=1) for line in path.read_text().splitlines() if line.strip())
    passwords = {name: stored.get(name) or secrets.token_urlsafe(9) for name in names}
    if passwords != stored:
        draft = path.with_suffix(".new")
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.writelines(f"{name} {password}\n" for name, password in passwords.items())
        os.replace(draft, path)
    return passwords


def demo_user(name: str, password: str) -> User:
    """An account with this password; if it has it already, nothing changes and sessions stay valid.

    Its address counts as confirmed and is in a domain that does not exist.
    """
    address = f"{name}@demo.invalid"
    user, _ = User.objects.get_or_create(username=name, defaults={"email": address})
    EmailAddress.objects.get_or_create(user=user, email=address, defaults={"verified": True, "primary": True})
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    return user
