"""Compare a task folder with the database: what an import would change, and what forbids it.

In: a `TaskFolder`. Out: a `Plan`, from reading alone. `apply.py` makes the same plan again inside its
transaction and does what it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Model

from sharedtask.competition.change_times import refuse_to_invalidate_runs
from sharedtask.competition.models import Phase, Task, TestSet
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.folders.fields import PHASE, TASK, TEST_SET
from sharedtask.folders.parse import Entry
from sharedtask.folders.problems import Problem
from sharedtask.folders.read import SetInFolder, TaskFolder
from sharedtask.folders.values import phase_values, set_values, task_values
from sharedtask.folders.versions import FilePlan, plan_files
from sharedtask.submissions.models import RunFile, Score

__all__ = ["Change", "Plan", "make_plan"]


@dataclass(frozen=True, kw_only=True)
class Change:
    verb: str
    """add, change or remove."""
    what: str
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.verb} {self.what}{': ' if self.detail else ''}{self.detail}"


@dataclass(kw_only=True)
class Plan:
    task: Task | None
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What the import leaves alone although the folder says otherwise, and what organisers should look at."""
    problems: list[Problem] = field(default_factory=list)
    files: dict[str, FilePlan] = field(default_factory=dict)
    """By the code of the test set."""

    @property
    def lines(self) -> list[str]:
        return [str(change) for change in self.changes]


def make_plan(folder: TaskFolder) -> Plan:
    task = Task.objects.filter(slug=folder.slug).first()
    plan = Plan(task=task)
    if task is None:
        plan.changes.append(Change(verb="add", what=f"task {folder.slug}"))
    else:
        plan.changes += changes_of(task, task_values(folder), "task")
        plan.problems += forbidden(task, folder)
    for position, told in enumerate(folder.test_sets):
        plan_test_set(plan, told, position)
    plan_phases(plan, folder)
    if task is not None:
        plan_removals(plan, task, folder)
    return plan


def forbidden(task: Task, folder: TaskFolder) -> Iterator[Problem]:
    """Changes that would make a record false: what teams accepted, or what scores were computed with."""
    told = folder.task
    before = (task.rules, task.data_licence)
    # The first text replaces none that anybody could have accepted.
    text_changed = any(before) and before != (told["rules"], told["data_licence"])
    if told["rules_version"] < task.rules_version or (
        text_changed and told["rules_version"] == task.rules_version
    ):
        yield told.problem(
            "rules_version",
            f"found {told['rules_version']}, expected at least {task.rules_version + text_changed}: "
            "teams accept a version, so that another text of rules or data_licence needs another number",
        )
    if Score.objects.filter(file__run__task=task).exists():
        for field in ("profile", "resampling_unit"):
            if told[field] != getattr(task, field):
                yield told.problem(
                    field,
                    f"found {told[field]}, expected {getattr(task, field)}: scores were computed with it",
                )


def plan_test_set(plan: Plan, told: SetInFolder, position: int) -> None:
    name = f"test set {told.code}"
    existing = None
    if plan.task is not None:
        existing = plan.task.test_sets.filter(code=told.code).select_related("gold_in_force").first()
    if existing is None:
        plan.changes.append(Change(verb="add", what=name))
    else:
        plan.changes += changes_of(existing, set_values(told, position), name)
    files = plan.files[told.code] = plan_files(existing, told)
    plan.problems += files.problems
    plan.notes += files.notes
    for gold in files.gold:
        plan.changes.append(Change(verb="add", what=f"gold version {gold.number} of {told.code}"))
    for version in files.renoted:
        plan.changes.append(
            Change(verb="change", what=f"gold version {version} of {told.code}", detail="note")
        )
    if files.in_force is not None:
        detail = f"version {files.in_force}"
        plan.changes.append(Change(verb="change", what=f"gold in force of {told.code}", detail=detail))
    for given in files.inputs:
        what = f"{given.variant} input version {given.number} of {told.code}"
        plan.changes.append(Change(verb="add", what=what))


def plan_phases(plan: Plan, folder: TaskFolder) -> None:
    for told in folder.phases:
        name = f"phase {told['code']}"
        existing = None if plan.task is None else plan.task.phases.filter(code=told["code"]).first()
        if existing is None:
            plan.changes.append(Change(verb="add", what=name))
            continue
        plan.changes += changes_of(existing, phase_values(told), name)
        plan.problems += problems_with_times(existing, told)
        before = set(existing.test_sets.values_list("code", flat=True))
        after = codes_of(told["test_sets"], folder)
        if before != after:
            detail = "; ".join(
                f"{verb} {', '.join(sorted(codes))}"
                for verb, codes in (("with", after - before), ("without", before - after))
                if codes
            )
            plan.changes.append(Change(verb="change", what=f"test sets of {name}", detail=detail))
        for code in sorted(before - after):
            if RunFile.objects.filter(run__phase=existing, test_set__code=code).exists():
                message = f"{code} has runs in this phase and cannot be taken out of it"
                plan.problems.append(told.problem("test_sets", message))


def problems_with_times(phase: Phase, told: Entry) -> Iterator[Problem]:
    """A folder may not do what the page of times refuses: lose runs, or open a test whose answers are out."""
    opens_at, closes_at = told["opens_at"], told["closes_at"]
    if (opens_at, closes_at) == (phase.opens_at, phase.closes_at):
        return
    try:
        refuse_to_invalidate_runs(phase, opens_at, closes_at, at=clock.database_now())
    except Refusal as refusal:
        yield told.problem("opens_at" if closes_at == phase.closes_at else "closes_at", str(refusal))


def plan_removals(plan: Plan, task: Task, folder: TaskFolder) -> None:
    """What the folder does not have any more goes, unless runs depend on it: they are never dropped."""
    for test_set in gone_sets(task, folder):
        plan.changes.append(Change(verb="remove", what=f"test set {test_set.code}"))
        if test_set.run_files.exists():
            message = f"{test_set.code} is not in the folder, but runs were submitted for it"
            plan.problems.append(folder.task.problem("test_sets", message))
    for phase in gone_phases(task, folder):
        plan.changes.append(Change(verb="remove", what=f"phase {phase.code}"))
        if phase.runs.exists():
            message = f"{phase.code} is not in the folder, but runs were submitted in it"
            plan.problems.append(folder.task.problem("phases", message))


def gone_sets(task: Task, folder: TaskFolder) -> list[TestSet]:
    return list(task.test_sets.exclude(code__in=[one.code for one in folder.test_sets]))


def gone_phases(task: Task, folder: TaskFolder) -> list[Phase]:
    return list(task.phases.exclude(code__in=[phase["code"] for phase in folder.phases]))


def codes_of(chosen: Sequence[str] | None, folder: TaskFolder) -> set[str]:
    """Without a list of its own, a phase has all test sets of the task."""
    return {one.code for one in folder.test_sets} if chosen is None else set(chosen)


def changes_of(row: Model, values: Mapping[str, Any], what: str) -> Iterator[Change]:
    names = {field.target: field.name for field in (*TASK, *TEST_SET, *PHASE) if field.target}
    for attribute, after in values.items():
        before = getattr(row, attribute)
        if before != after:
            detail = f"{names.get(attribute, attribute)} {shown(before)} → {shown(after)}"
            yield Change(verb="change", what=what, detail=detail)


def shown(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S} UTC"
    if value is None or value in ("", []):
        return "nothing"
    written = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return written if len(written) <= 60 and "\n" not in written else f"a text of {len(written)} characters"
