"""Which version of its profile a task uses. A version with scores is replaced by an organiser only.

In: a task. Out: the version in force. A task without scores uses whatever version is installed: nothing that
anybody has seen can change.
"""

from __future__ import annotations

from sharedtask.competition.metrics import pending_version
from sharedtask.competition.models import Task
from sharedtask.submissions.models import Score


def in_force(task: Task) -> str:
    """Call it in a transaction that creates scores."""
    pending = pending_version(task)
    if pending is not None and not Score.objects.filter(file__run__task=task).exists():
        Task.objects.filter(pk=task.pk, profile_version=task.profile_version).update(profile_version=pending)
        task.profile_version = pending
    return task.profile_version
