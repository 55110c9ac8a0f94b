"""The metrics of a task: its profile with its options, the main metrics, and the others that boards show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evaluation import Options, Presentation, Profile, ProfileError
from evaluation.ranking.significance import Sides
from evaluation.scoring.presentation import PLAIN, PRESENTATIONS
from evaluation.scoring.profiles import definitions, find_profile
from sharedtask.competition.models import Task
from sharedtask.competition.scorer import scorer_metrics, with_scorer
from sharedtask.competition.tracks import NO_TRACK, find_track


def profile_of(task: Task) -> Profile:
    """With the metrics of the organisers' own scorer, if there is one.

    Raises `ProfileError`, which names the profile, if it is not installed or cannot be used.
    """
    base = base_profile(task)
    return with_scorer(base, task.scorer) if task.scorer else base


def base_profile(task: Task) -> Profile:
    """Without the organisers' own scorer: what files are read, checked and compared by."""
    try:
        return find_profile(task.profile)
    except ValueError as error:
        raise ProfileError(f"the profile {task.profile} is not installed") from error


def installed_version(task: Task) -> str | None:
    """Of the profile as it is installed here; None if it cannot be used."""
    try:
        return profile_of(task).version
    except ProfileError:
        return None


def can_compute(task: Task) -> bool:
    """Whether the version in force is the installed one. With another one, figures would change silently."""
    return installed_version(task) == task.profile_version


def pending_version(task: Task) -> str | None:
    """An installed version that an organiser has not put in force yet; None if there is no such version."""
    installed = installed_version(task)
    return None if installed == task.profile_version else installed


def options_of(task: Task, track: str = NO_TRACK) -> Options:
    """Those of the profile, and what the task and the track choose."""
    chosen_track = find_track(task, track)
    reader = chosen_track.reader if chosen_track and chosen_track.reader else task.reader
    chosen = replace(profile_of(task).options, reader=reader, extra=tuple(task.extra_metrics))
    return replace(chosen, verbs=tuple(task.verbs)) if task.verbs else chosen


def metrics_of(task: Task, track: str = NO_TRACK) -> tuple[str, ...]:
    """All that files are scored by: those of the track, or of the profile, then those that the task adds."""
    if chosen_track := find_track(task, track):
        return (*chosen_track.metrics, *scorer_metrics(task))
    return tuple(definitions(profile_of(task), options_of(task)))


def main_metrics(task: Task, track: str = NO_TRACK) -> list[str]:
    """Each has its own ranking: those of the track, or those named by the task, or else by its profile."""
    if chosen_track := find_track(task, track):
        return list(chosen_track.main_metrics)
    named = task.scorer["declaration"].get("main") if task.scorer else None
    return list(named or task.main_metrics) or list(profile_of(task).main)


def displayed_metrics(task: Task, track: str = NO_TRACK) -> list[str]:
    """Those that boards and run pages show, the main metrics first; in a track all of its metrics."""
    if find_track(task, track):
        return list(metrics_of(task, track))
    displayed = list(profile_of(task).displayed_metrics(main_metrics(task)))
    return [*displayed, *(name for name in task.extra_metrics if name not in displayed)]


def presentations_of(task: Task) -> Mapping[str, Presentation]:
    return {**PRESENTATIONS, **profile_of(task).presentations}


def significance_test(task: Task) -> Sides:
    """Whether the p-values of the task are two-sided or one-sided."""
    return "one-sided" if task.significance_test == Task.SignificanceTest.ONE_SIDED else "two-sided"


def presentation_of(task: Task, metric: str) -> Presentation:
    """A metric that an installed version no longer has is still printed, in the usual way."""
    own = profile_of(task).presentations.get(metric)
    return own if own is not None else PRESENTATIONS.get(metric, PLAIN)
