"""`manage.py task check|import|export DIR`: a task as a folder under version control."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from sharedtask.competition import audit
from sharedtask.competition.models import Task
from sharedtask.core import sealing
from sharedtask.folders import raw_texts
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
                self.import_folder(folder, dry_run=options["dry_run"], reason=options["reason"])
        except BadTaskFolder as error:
            raise CommandError(f"{error}\nNothing was changed.") from error

    def check_folder(self, folder: Path) -> None:
        task_folder = read_folder(FolderOnDisk(folder))
        for test_set in task_folder.test_sets:
            for warning in raw_texts.warnings(test_set):
                self.stdout.write(f"Note: {warning}")
        self.stdout.write(
            f"{folder} is valid: {len(task_folder.test_sets)} test sets, {len(task_folder.phases)} phases."
        )

    def import_folder(self, folder: Path, *, dry_run: bool, reason: str) -> None:
        task_folder = read_folder(FolderOnDisk(folder))
        if dry_run:
            plan = make_plan(task_folder)
            self.print_plan(plan)
            if plan.problems:
                raise BadTaskFolder(plan.problems)
            self.stdout.write("Dry run: nothing was changed.")
        else:
            self.print_plan(apply(folder=task_folder, by=None, reason=reason).plan)

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
