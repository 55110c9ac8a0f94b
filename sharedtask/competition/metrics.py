"""What a task measures: its profile, the metrics that rank, and those that boards show beside them."""

from __future__ import annotations

import evaluation
from evaluation import Presentation, Profile
from sharedtask.competition.models import Task


def profile_of(task: Task) -> Profile:
    return evaluation.PROFILES[task.profile]


def main_metrics(task: Task) -> list[str]:
    """Each gives a ranking of its own: those that the task names, or else all that its profile does."""
    return list(task.main_metrics) or list(profile_of(task).main)


def shown_metrics(task: Task) -> list[str]:
    """What boards and run pages show: the main metrics first."""
    return list(profile_of(task).displayed_metrics(main_metrics(task)))


def presentation_of(task: Task, metric: str) -> Presentation:
    return profile_of(task).presentations[metric]
