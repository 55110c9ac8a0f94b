"""`manage.py task check|import|export DIR`: a task as a folder under version control."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Task
from sharedtask.competition.organisers import add_organiser, find_account
from sharedtask.core import sealing
from sharedtask.core.errors import Refusal
from sharedtask.folders import leaked_annotation, raw_texts
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import read_folder
from sharedtask.folders.export import export, write_to
from sharedtask.folders.files import FolderOnDisk
from sharedtask.folders.plan import Plan, make_plan
from sharedtask.folders.problems import BadTaskFolder


class Command(BaseCommand):
    help = "Check, import or export a task folder. docs/tasks.md describes the format."

    def add_arguments(self, parser: CommandParser) -> None:
        commands = parser.add_subparsers(dest="verb", required=True, metavar="check|import|export")
        check_parser: ArgumentParser = commands.add_parser("check", help="report all problems of a folder")
        check_parser.add_argument("folder", type=Path, metavar="DIR")
        import_parser: ArgumentParser = commands.add_parser("import", help="create or update the task")
        import_parser.add_argument("folder", type=Path, metavar="DIR")
        import_parser.add_argument(
            "--dry-run", action="store_true", help="show the changes without making them"
        )
        import_parser.add_argument("--reason", default="", help="recorded in the audit log")
        import_parser.add_argument(
            "--organiser",
            metavar="NAME",
            help="sign-in name or confirmed e-mail address of an account that becomes an organiser",
        )
        export_parser: ArgumentParser = commands.add_parser(
            "export", help="write the task as a folder (needs the private key)"
        )
        export_parser.add_argument("folder", type=Path, metavar="DIR")
        export_parser.add_argument("--task", required=True, metavar="SLUG")

    def handle(self, *args: Any, verb: str, folder: Path, **options: Any) -> None:
        try:
            if verb == "export":
                self.export(folder, options["task"])
            elif verb == "check":
                self.check_folder(folder)
            else:
                name = options["organiser"]
                organiser = find_account(name) if name else None
                if options["dry_run"]:
                    self.plan_import(folder, organiser)
                else:
                    self.import_folder(folder, organiser, reason=options["reason"])
        except BadTaskFolder as error:
            raise CommandError(f"{error}\nNothing was changed.") from error
        except Refusal as refusal:
            raise CommandError(f"{refusal}\nNothing was changed.") from refusal

    def check_folder(self, folder: Path) -> None:
        task_folder = read_folder(FolderOnDisk(folder))
        for test_set in task_folder.test_sets:
            for warning in (*raw_texts.warnings(test_set), *leaked_annotation.warnings(test_set)):
                self.stdout.write(f"Note: {warning}")
        self.stdout.write(
            f"{folder} is valid: {len(task_folder.test_sets)} test sets, {len(task_folder.phases)} phases."
        )

    def plan_import(self, folder: Path, organiser: User | None) -> None:
        plan = make_plan(read_folder(FolderOnDisk(folder)))
        self.print_plan(plan)
        if plan.problems:
            raise BadTaskFolder(plan.problems)
        if plan.changes:
            for sentence in plan.disclosures:
                self.stdout.write(f"Visible: {sentence}")
        if organiser is None:
            self.warn_without_organisers(plan.task)
        self.stdout.write("Dry run: nothing was changed.")

    def import_folder(self, folder: Path, organiser: User | None, *, reason: str) -> None:
        with transaction.atomic():
            result = apply(folder=read_folder(FolderOnDisk(folder)), by=None, reason=reason)
            if organiser is not None and not result.task.organisers.filter(pk=organiser.pk).exists():
                reason = reason or "Named as organiser when the task folder was imported."
                add_organiser(task=result.task, name=organiser.username, by=None, reason=reason)
        self.print_plan(result.plan)
        if organiser is not None:
            self.stdout.write(f"Organiser: {organiser.username}")
        self.warn_without_organisers(result.task)

    def warn_without_organisers(self, task: Task | None) -> None:
        if task is None or not task.organisers.exists():
            self.stderr.write(
                "Note: The task has no organisers, so only administrators can run it. "
                "Name one with `manage.py task import DIR --organiser NAME`."
            )

    def print_plan(self, plan: Plan) -> None:
        for line in plan.lines:
            self.stdout.write(line)
        for note in plan.notes:
            self.stdout.write(f"Note: {note}")
        if not plan.changes:
            self.stdout.write("No changes.")

    def export(self, folder: Path, slug: str) -> None:
        task = Task.objects.filter(slug=slug).first()
        if task is None:
            raise CommandError(f"There is no task {slug}.")
        try:
            files = export(task)
            write_to(folder, files)
        except (sealing.NoPrivateKey, sealing.DamagedSeal) as error:
            raise CommandError(f"Gold cannot be exported on this machine: {error}") from error
        with transaction.atomic():
            audit.write(task=task, who=None, action="export-folder", subject=f"task {task.slug}")
        self.stdout.write(f"{len(files)} files written to {folder}.")
