"""The metrics of a task: its profile, the main metrics, and the others that boards show."""

from __future__ import annotations

import evaluation
from evaluation import Presentation, Profile
from evaluation.ranking.significance import Sides
from sharedtask.competition.models import Task


def profile_of(task: Task) -> Profile:
    return evaluation.PROFILES[task.profile]


def main_metrics(task: Task) -> list[str]:
    """Each has its own ranking: those named by the task, or else by its profile."""
    return list(task.main_metrics) or list(profile_of(task).main)


def displayed_metrics(task: Task) -> list[str]:
    """Those that boards and run pages show, the main metrics first."""
    return list(profile_of(task).displayed_metrics(main_metrics(task)))


def significance_test(task: Task) -> Sides:
    """Whether the p-values of the task are two-sided or one-sided."""
    return "one-sided" if task.significance_test == Task.SignificanceTest.ONE_SIDED else "two-sided"


def presentation_of(task: Task, metric: str) -> Presentation:
    return profile_of(task).presentations[metric]
