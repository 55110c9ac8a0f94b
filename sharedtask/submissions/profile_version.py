"""Which version of its profile a task uses. A version with scores is replaced by an organiser only.

In: a task. Out: the version in force. A task without scores uses whatever version is installed: nothing that
anybody has seen can change.
"""

from __future__ import annotations

from sharedtask.competition.metrics import pending_version
from sharedtask.competition.models import Task
from sharedtask.scorers.find import task_by
from sharedtask.submissions.models import Score


def in_force(task: Task) -> str:
    """Call it in a transaction that creates scores."""
    pending = pending_version(task)
    if pending is not None and not Score.objects.filter(file__run__task=task).exists():
        scorer = task_by(task, pending).scorer
        unchanged = Task.objects.filter(pk=task.pk, profile_version=task.profile_version)
        unchanged.update(profile_version=pending, scorer=scorer)
        task.profile_version, task.scorer = pending, scorer
    return task.profile_version
