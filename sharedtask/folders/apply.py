"""Import a task folder. The plan is made again inside the transaction, and applied completely or not at all.

In: a `TaskFolder` and the user who imports it. Out: the plan that was applied. Importing the same folder
again changes nothing. Runs are never deleted: what they depend on cannot be removed. If the import fails,
the files it has stored are removed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model

from evaluation import PROFILES
from sharedtask.accounts.models import User
from sharedtask.competition import audit
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.competition.prepare_gold import count_again
from sharedtask.competition.store_files import store_gold, store_input
from sharedtask.core import clock, storage
from sharedtask.folders.plan import Plan, make_plan, removed_phases, removed_sets, test_set_codes
from sharedtask.folders.problems import BadTaskFolder
from sharedtask.folders.read import TaskFolder
from sharedtask.folders.values import phase_values, set_values, task_values
from sharedtask.folders.versions import FilePlan
from sharedtask.submissions import rescore
from sharedtask.work import dispatch
from sharedtask.work.targets import MAKE_BASELINES, PREPARE_GOLD


class PlanHasChanged(Exception):
    """The task was changed after the plan was shown; the new plan must be approved."""

    def __init__(self, plan: Plan) -> None:
        super().__init__("the plan is not the one that was approved")
        self.plan = plan


@dataclass(frozen=True, kw_only=True)
class ImportResult:
    task: Task
    plan: Plan


def apply(
    *,
    folder: TaskFolder,
    by: User | None,
    reason: str = "",
    approved_lines: list[str] | None = None,
    action: str = "import-folder",
    subject: str = "",
    at: datetime | None = None,
) -> ImportResult:
    """`approved_lines`: the lines of the plan that the organiser approved; None applies any plan.

    `action` and `subject` are those of the entry in the audit log.
    """
    at = at or clock.database_now()
    stored: list[str] = []
    try:
        with transaction.atomic():
            # Serialise imports of the same task.
            list(Task.objects.select_for_update().filter(slug=folder.slug))
            plan = make_plan(folder)
            if plan.problems:
                raise BadTaskFolder(plan.problems)
            if approved_lines is not None and approved_lines != plan.lines:
                raise PlanHasChanged(plan)
            if plan.task is not None and not plan.changes:
                return ImportResult(task=plan.task, plan=plan)
            task = write(folder, plan, by, at, stored)
            audit.write(
                task=task,
                who=by,
                action=action,
                subject=subject or f"task {task.slug}",
                reason=reason,
                details={"changes": plan.lines},
                at=at,
            )
    except BaseException:
        remove_files(stored)
        raise
    return ImportResult(task=task, plan=plan)


def write(folder: TaskFolder, plan: Plan, by: User | None, at: datetime, stored: list[str]) -> Task:
    version = PROFILES[folder.task["profile"]].version
    task = plan.task or Task(slug=folder.slug, profile_version=version)
    save_changes(task, task_values(folder))
    for position, source in enumerate(folder.test_sets):
        test_set = task.test_sets.filter(code=source.code).first() or TestSet(task=task, code=source.code)
        save_changes(test_set, set_values(source, position))
        write_files(test_set, plan.files[source.code], by, at, stored)
    for entry in folder.phases:
        phase = task.phases.filter(code=entry["code"]).first() or Phase(task=task, code=entry["code"])
        save_changes(phase, phase_values(entry))
        phase.test_sets.set(task.test_sets.filter(code__in=test_set_codes(entry["test_sets"], folder)))
    if task.server_baselines:
        for phase in task.phases.begun(at=at):
            dispatch.enqueue(MAKE_BASELINES, phase.pk)
    for removed_phase in removed_phases(task, folder):
        removed_phase.delete()
    for removed_set in removed_sets(task, folder):
        remove(removed_set)
    return task


def save_changes(row: Model, values: Mapping[str, Any]) -> None:
    """Save only what differs."""
    changed = {name for name, value in values.items() if getattr(row, name) != value}
    for name in changed:
        setattr(row, name, values[name])
    if row.pk is None:
        row.save()
    elif changed:
        row.save(update_fields=changed)


def write_files(test_set: TestSet, plan: FilePlan, by: User | None, at: datetime, stored: list[str]) -> None:
    """`stored` collects the names of new files, so that they can be removed if the import fails."""
    for source in plan.inputs:
        input_file = store_input(
            test_set, source.content, variant=source.variant, suffix=source.suffix, is_sample=source.sample
        )
        stored.append(input_file.stored)
        if source.is_training_data:
            count_again(test_set)
    for gold in plan.gold:
        version = store_gold(
            test_set,
            gold.content,
            released_at=at if gold.public else None,
            note=gold.note,
            by=by,
            in_force=False,
            references={reference.name: reference.content for reference in gold.references},
        )
        stored += version.stored_names
        dispatch.enqueue(PREPARE_GOLD, version.pk)
    for number, note in plan.changed_notes.items():
        test_set.gold_versions.filter(number=number).update(note=note)
    if plan.in_force is not None:
        test_set.gold_in_force = test_set.gold_versions.get(number=plan.in_force)
        test_set.save(update_fields=["gold_in_force"])
    for version in test_set.gold_versions.filter(number__in=[gold.number for gold in plan.gold]):
        rescore.score_against(version, at=at)


def remove(test_set: TestSet) -> None:
    """Called for sets without runs only. The files are removed after the transaction is committed."""
    names = [file.stored for file in test_set.inputs.all()]
    for version in test_set.gold_versions.all():
        names += version.stored_names
    test_set.gold_in_force = None
    test_set.save(update_fields=["gold_in_force"])
    test_set.delete()
    transaction.on_commit(lambda: remove_files(names))


def remove_files(names: list[str]) -> None:
    for name in names:
        storage.remove(name)
