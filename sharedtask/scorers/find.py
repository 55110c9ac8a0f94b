"""Which scorer makes the scores of a version of the profile."""

from __future__ import annotations

from sharedtask.competition.models import Task
from sharedtask.competition.scorer import number_of_scorer
from sharedtask.scorers.models import ScorerVersion


def find_scorer(task: Task, profile_version: str) -> ScorerVersion | None:
    """None for a version of the profile alone."""
    number = number_of_scorer(profile_version)
    return None if number is None else task.scorer_versions.get(number=number)
