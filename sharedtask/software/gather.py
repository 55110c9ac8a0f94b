"""What the pages about software show: versions, phases that accept software, executions."""

from __future__ import annotations

from datetime import datetime

from sharedtask.competition.models import Phase, Task
from sharedtask.software.models import Execution, SystemVersion
from sharedtask.software.models.execution import ExecutionQuerySet
from sharedtask.teams.models import Team


def versions_of(team: Team) -> list[SystemVersion]:
    versions = SystemVersion.objects.filter(system__team=team, system__withdrawn_at=None)
    return list(versions.select_related("system__team__task", "image").order_by("-created_at", "-pk"))


def open_phases(task: Task, team: Team, *, at: datetime) -> list[Phase]:
    phases = task.phases.open(at=at, team=team).filter(software=True)
    return list(phases.prefetch_related("extensions"))


def executions_of(task: Task) -> ExecutionQuerySet:
    executions = Execution.objects.filter(task=task)
    related = executions.select_related("team", "phase__task", "version__system", "run", "task", "amends")
    return related.prefetch_related("task__test_sets")


def places_in_queue() -> dict[int, int]:
    """How many wait before each queued execution, of whatever task."""
    queued = Execution.objects.filter(state=Execution.State.QUEUED).order_by("pk")
    return {pk: ahead for ahead, pk in enumerate(queued.values_list("pk", flat=True))}
