"""Which scorer makes the scores of a version of the profile."""

from __future__ import annotations

from copy import copy

from sharedtask.competition.models import Task
from sharedtask.competition.scorer import number_of_scorer
from sharedtask.scorers.models import ScorerVersion


def find_scorer(task: Task, profile_version: str) -> ScorerVersion | None:
    """None for a version of the profile alone."""
    number = number_of_scorer(profile_version)
    return None if number is None else task.scorer_versions.get(number=number)


def task_by(task: Task, profile_version: str) -> Task:
    """The task as if this version of its profile were in force: a copy, never saved, if another one is."""
    if number_of_scorer(profile_version) == task.scorer.get("number"):
        return task
    scorer = find_scorer(task, profile_version)
    changed = copy(task)
    changed.scorer = scorer.entry if scorer else {}
    return changed
