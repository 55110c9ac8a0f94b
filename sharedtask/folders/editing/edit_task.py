"""Edit a task: the act behind every form of the settings.

In: the part that was edited, what the organiser filled in, and what the form had shown. Out: the plan that
was applied. An edit is a changed task.yaml: the reader, the checks, the plan and the writing are those of an
import, so that a form can create nothing that an import would refuse, and an export contains every edit.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from sharedtask.accounts.models import User
from sharedtask.competition import reasons
from sharedtask.competition.models import Task
from sharedtask.core import clock
from sharedtask.core.errors import Refusal
from sharedtask.folders.apply import apply
from sharedtask.folders.checks import check_entries
from sharedtask.folders.editing.description import Description, Values, describe
from sharedtask.folders.editing.effects import effects
from sharedtask.folders.editing.parts import Part
from sharedtask.folders.plan import Plan
from sharedtask.folders.problems import BadTaskFolder, Problem
from sharedtask.folders.read import TaskFolder

UNCHANGED = "Nothing was changed: the task already has these values."
INVALID = "Nothing was changed. Please correct the fields that are marked below."
MEANWHILE = (
    "Someone else changed this while you were editing, and your changes have not been saved. They are still "
    "in the form; the present values are listed above it. Saving again replaces those."
)
TO_CONFIRM = "Nothing has been changed yet. Please confirm the immediate effects, and save again."


@dataclass(frozen=True, kw_only=True)
class FieldProblem:
    field: str
    """In the edited part, such as `title` or `downloads[2].url`; elsewhere, its path in task.yaml."""
    place: str
    """In words, for a problem that is not in the edited part."""
    message: str


class InvalidEdit(Refusal):
    def __init__(self, problems: Sequence[FieldProblem]) -> None:
        super().__init__("edit-invalid", INVALID)
        self.problems = tuple(problems)


class EditedMeanwhile(Refusal):
    def __init__(self) -> None:
        super().__init__("edited-meanwhile", MEANWHILE)


class NeedsConfirmation(Refusal):
    def __init__(self, sentences: Sequence[str]) -> None:
        super().__init__("needs-confirmation", TO_CONFIRM)
        self.sentences = tuple(sentences)
        self.digest = digest(sentences)


def edit_task(
    *,
    task: Task,
    part: Part,
    filled_in: Mapping[str, Any],
    version: str,
    confirmed: str,
    reason: str,
    by: User,
    at: datetime | None = None,
) -> Plan:
    """`version`: the digest of what the form had shown; `confirmed`: that of the effects it had shown."""
    reason = reasons.required(reason)
    with transaction.atomic():
        at = at or clock.database_now()
        task = lock(task)
        before = describe(task)
        if digest(part.read(before.values)) != version:
            raise EditedMeanwhile
        after = before.copy()
        part.write(after.values, filled_in)
        try:
            folder = checked(after, before)
            sentences = effects(readable(before), folder, task, at=at)
            result = apply(
                folder=folder, by=by, reason=reason, action="edit-task", subject=part.subject, at=at
            )
            if not result.plan.changes:
                raise Refusal("edit-unchanged", UNCHANGED)
            if sentences and confirmed != digest(sentences):
                # After the checks of the plan: nobody confirms an edit that is then refused.
                raise NeedsConfirmation(sentences)
        except BadTaskFolder as bad:
            raise InvalidEdit([locate(problem, part, after.values) for problem in bad.problems]) from bad
    return result.plan


def lock(task: Task) -> Task:
    """Phases first: an act that changes one of them locks it and then writes rows that refer to the task."""
    list(task.phases.select_for_update(of=("self",)).order_by("pk"))
    list(task.test_sets.select_for_update(of=("self",)).order_by("pk"))
    return Task.objects.select_for_update().get(pk=task.pk)


def checked(after: Description, before: Description) -> TaskFolder:
    """The edited task; `BadTaskFolder` for problems that the edit brings.

    A task may have older ones: after publication, the calendar allows times that an import would refuse.
    """
    folder = after.read()
    if problems := check_entries(folder):
        unedited = readable(before)
        older = {problem.message for problem in check_entries(unedited)} if unedited is not None else set()
        if problems := [problem for problem in problems if problem.message not in older]:
            raise BadTaskFolder(problems)
    return folder


def readable(description: Description) -> TaskFolder | None:
    try:
        return description.read()
    except BadTaskFolder:
        return None


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, default=str, sort_keys=True).encode()).hexdigest()[:16]


def locate(problem: Problem, part: Part, values: Values) -> FieldProblem:
    path = part.path(values)
    # Line numbers are those of a task.yaml that nobody has seen.
    message = re.sub(r" in line \d+", "", problem.message)
    field = problem.field.removeprefix(f"{path}." if path else "")
    return FieldProblem(field=field, place=place_of(problem.field, values), message=message)


def place_of(path: str, values: Values) -> str:
    """`phases[2].opens_at` as “Phase Test phase”."""
    match = re.match(r"(test_sets|phases)\[(\d+)\]", path)
    if match is None:
        return ""
    entry = values[match[1]][int(match[2]) - 1]
    return f"Test set {entry['code']}" if match[1] == "test_sets" else f"Phase {entry['title']}"
