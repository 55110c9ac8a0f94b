"""The metrics of a task: its profile, the main metrics, and the others that boards show."""

from __future__ import annotations

import evaluation
from evaluation import Presentation, Profile
from sharedtask.competition.models import Task
from sharedtask.competition.tracks import NO_TRACK, find_track


def profile_of(task: Task) -> Profile:
    return evaluation.PROFILES[task.profile]


def main_metrics(task: Task, track: str = NO_TRACK) -> list[str]:
    """Each has its own ranking: those of the track, or those named by the task, or else by its profile."""
    if found := find_track(task, track):
        return list(found.main_metrics)
    return list(task.main_metrics) or list(profile_of(task).main)


def displayed_metrics(task: Task, track: str = NO_TRACK) -> list[str]:
    """Those that boards and run pages show, the main metrics first; in a track all of its metrics."""
    if found := find_track(task, track):
        return list(found.metrics)
    return list(profile_of(task).displayed_metrics(main_metrics(task)))


def presentation_of(task: Task, metric: str) -> Presentation:
    return profile_of(task).presentations[metric]
